"""The screen itself: a line to type into, the list, and the keys. It chooses nothing: it says what is wished."""

from dataclasses import dataclass
from typing import ClassVar, Literal

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.widgets import Input, Static

from panto.events import Notification
from panto.tui.hints import keys_line, keys_of, told_lines
from panto.tui.model_picker.rows import ModelRow, captions
from panto.tui.model_picker.stock import Marks, Stock, arranged, found
from panto.tui.pick_list import PickList
from panto.tui.safe_text import safe_line
from panto.tui.wish_screen import WishScreen

LOW_ROWS = 14
"""Below this height there are no blank lines."""
_EDGES = 4


@dataclass(frozen=True)
class Wish:
    """What the user wants done with a model."""

    model: str
    what: Literal["choose", "favour", "default"]


class ModelScreen(WishScreen[Wish]):
    """Every model there is to talk to. `wish` gives what the user wants; `show` what is known by now."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "wish('choose')", "use", priority=True),
        Binding("ctrl+f", "wish('favour')", "favourite", priority=True),
        Binding("ctrl+d", "wish('default')", "default", priority=True),
        Binding("up", "move(-1)", "move", priority=True),
        Binding("down", "move(1)", "move", priority=True),
        Binding("ctrl+p", "move(-1)", show=False, priority=True),
        Binding("ctrl+n", "move(1)", show=False, priority=True),
        Binding("pageup", "page(-1)", show=False, priority=True),
        Binding("pagedown", "page(1)", show=False, priority=True),
        Binding("ctrl+home", "end(False)", show=False, priority=True),
        Binding("ctrl+end", "end(True)", show=False, priority=True),
        Binding("escape", "close", "close", priority=True),
        Binding("ctrl+c", "close", show=False, priority=True),
    ]

    def __init__(self, stock: Stock, marks: Marks, words: str = "") -> None:
        super().__init__(id="models")
        self._stock = stock
        self._marks = marks
        self._words = words

    def compose(self) -> ComposeResult:
        """Top to bottom."""
        yield Static(id="models-title")
        yield Input(self._words, placeholder="type to search", id="models-search", compact=True, select_on_focus=False)
        yield PickList(id="models-list")
        yield Static(id="models-told")
        yield Static(id="models-keys")

    def on_mount(self) -> None:
        """Show what is known, with what was typed before."""
        self.query_one(PickList).on_pick = lambda: self.action_wish("choose")
        search = self.query_one(Input)
        search.cursor_blink = False  # nothing moves while nothing happens
        search.focus()
        self._show_rows(anew=True)

    def on_resize(self, event: events.Resize) -> None:
        """Arrange what there is."""
        self.set_class(event.size.height < LOW_ROWS, "low")
        self._show_title()
        self._show_keys()

    def show(self, stock: Stock, marks: Marks) -> None:
        """Show what is known now. What is chosen stays so."""
        self._stock, self._marks = stock, marks
        if self.is_mounted and not self.closed:
            self._show_title()
            self._show_rows()

    def tell(self, told: Notification) -> None:
        """Show something below the list, until something else is typed."""
        line = self.query_one("#models-told", Static)
        line.update(told_lines(told))
        line.display = True

    @property
    def chosen(self) -> ModelRow | None:
        """The model that is chosen."""
        row = self.query_one(PickList).chosen
        return row if isinstance(row, ModelRow) else None

    def on_input_changed(self, event: Input.Changed) -> None:
        """Something else is looked for."""
        event.stop()
        if event.value != self._words:
            self._words = event.value
            self.query_one("#models-told").display = False
            self._show_rows(anew=True)

    def on_approval_panel_asked(self) -> None:
        """This screen covers a question."""
        self.tell(Notification("something is to be approved before it runs", "warning", "Esc leads to the question"))

    def action_wish(self, what: Literal["choose", "favour", "default"]) -> None:
        """Wish for something to be done with the chosen model."""
        if self.chosen is not None and not self.closed:
            self.say_wish(Wish(self.chosen.key, what))

    def action_move(self, by: int) -> None:
        """Choose another."""
        self.query_one(PickList).move(by)

    def action_page(self, pages: int) -> None:
        """Choose one that is further away."""
        self.query_one(PickList).page(pages)

    def action_end(self, last: bool) -> None:
        """Choose the first, or the last."""
        self.query_one(PickList).end(last)

    def _show_rows(self, *, anew: bool = False) -> None:
        words = self._words.strip()
        rows = found(words, self._stock, self._marks) if words else arranged(self._stock, self._marks)
        self.query_one(PickList).show(rows, anew=anew)

    def _show_title(self) -> None:
        width = self.size.width - _EDGES
        columns = captions(width)
        title = Content.assemble(("Models", "bold"), (f"  {_counted(self._stock)}", "$muted"))
        title = title.truncate(max(0, width - len(columns)), ellipsis=True, pad=True)
        self.query_one("#models-title", Static).update(Content.assemble(title, (columns, "$muted")))

    def _show_keys(self) -> None:
        bindings = self.active_bindings
        shown = [bindings[key] for key in dict.fromkeys(keys_of(ModelScreen.BINDINGS)) if key in bindings]
        self.query_one("#models-keys", Static).update(keys_line(shown, self.size.width - _EDGES))


def _counted(stock: Stock) -> str:
    asking = f", asking {', '.join(map(safe_line, sorted(stock.asking)))}" if stock.asking else ""
    return f"{len(stock.entries):,}{asking}"
