"""The rows of the list: a model with what is known of it, a heading, a note."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from panto.llm.offered import OfferedModel, short_count
from panto.tui.pick_list import Span
from panto.tui.safe_text import cell_width, safe_line, truncate

_MARK = 4
"""Columns before the name."""
_WINDOW = 7
_PRICE = 14
_DOES = 16
_WIDE = 90
_NARROW = 52
"""From these widths on there is room for what a model does, and for its window and price."""

PriceTag: TypeAlias = Callable[[OfferedModel], str]


@dataclass(frozen=True)
class Heading:
    """What stands above a group of models."""

    text: str
    key: str = ""

    def spans(self, width: int, chosen: bool) -> Sequence[Span]:
        """The heading at the left."""
        del width, chosen
        return [Span("  "), Span(safe_line(self.text), "muted", bold=True)]


@dataclass(frozen=True)
class Note:
    """Something to know, in place of models."""

    text: str
    key: str = ""

    def spans(self, width: int, chosen: bool) -> Sequence[Span]:
        """The note, below the names."""
        del chosen
        return [Span(" " * _MARK), Span(truncate(safe_line(self.text), width - _MARK), "muted")]


@dataclass(frozen=True)
class ModelRow:
    """A model. ``places`` are the letters of its name that were typed; ``typed``: nothing else is known of it."""

    model: OfferedModel
    present: bool = False
    default: bool = False
    favourite: bool = False
    places: frozenset[int] = frozenset()
    typed: bool = False
    price: PriceTag | None = None

    @property
    def key(self) -> str:
        """The model as ``provider/model``."""
        return self.model.name

    def spans(self, width: int, chosen: bool) -> Sequence[Span]:
        """The name at the left, what is known at the right, as far as there is room."""
        columns = self._columns(width)
        room = max(1, width - _MARK - sum(map(cell_width, columns)))
        name = self._name(room - 1, bold=chosen or self.present)
        used = sum(cell_width(span.text) for span in name)
        mark, role = ("●", "success") if self.present else ("★", "warning") if self.favourite else (" ", "muted")
        return [
            Span("▌" if chosen else " ", "accent"),
            Span(f" {mark} ", role),
            *name,
            Span(" " * (room - used)),
            Span("".join(columns), "foreground" if chosen else "muted"),
        ]

    def _name(self, room: int, *, bold: bool) -> list[Span]:
        """The name, with the letters set off that were typed, and what else is to be said of it."""
        plain = safe_line(self.model.name)
        shown = truncate(plain, room)
        tag = ("  as typed" if self.typed else "") + ("  default" if self.default else "")
        places = self.places if plain == self.model.name else frozenset[int]()
        spans: list[Span] = []
        for at, letter in enumerate(shown):
            typed = at in places
            if spans and typed == (spans[-1].role == "accent"):
                spans[-1] = Span(spans[-1].text + letter, spans[-1].role, spans[-1].bold)
            else:
                spans.append(Span(letter, "accent" if typed else "foreground", bold or typed))
        return [*spans, Span(truncate(tag, room - cell_width(shown)), "muted")]

    def _columns(self, width: int) -> list[str]:
        """What is known, each padded to its column."""
        if width < _NARROW or self.typed:
            return []
        window = short_count(self.model.context_window) if self.model.context_window else "?"
        price = self.price(self.model) if self.price else ""
        columns = [f"{window:>{_WINDOW}}", f"{price:>{_PRICE}}"]
        return [*columns, f"  {self._does():<{_DOES}}"] if width >= _WIDE else columns

    def _does(self) -> str:
        able = (("images", self.model.sees_images), ("thinks", self.model.thinks))
        return "  ".join(word if can else " " * len(word) for word, can in able)


PickerRow: TypeAlias = Heading | Note | ModelRow


def captions(width: int) -> str:
    """What the columns at the right are, for the line above them."""
    if width < _NARROW:
        return ""
    return f"{'window':>{_WINDOW}}{'$ in / out':>{_PRICE}}" + (" " * (_DOES + 2) if width >= _WIDE else "")
