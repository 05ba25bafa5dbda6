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
from panto.tui.search_line import SearchLine
from panto.tui.wish_screen import WishScreen

LOW_ROWS = 14
"""Below this height there are no blank lines."""
_EDGES = 4


@dataclass(frozen=True)
class Wish:
    """What the user wants done with a model."""

    model: str
    what: Literal["choose", "favour", "default"]


class ModelLine(SearchLine):
    """What is typed to search by. The screen's keys act here."""

    KEYS: ClassVar[list[BindingType]] = [
        Binding("enter", "screen.wish('choose')", "use"),
        Binding("ctrl+f", "screen.wish('favour')", "favourite"),
        Binding("ctrl+d", "screen.wish('default')", "default"),
        Binding("escape", "screen.close", "close"),
        Binding("ctrl+c", "screen.close", show=False),
        Binding("up", "screen.move(-1)", "move"),
        Binding("down", "screen.move(1)", "move"),
        Binding("ctrl+p", "screen.move(-1)", show=False),
        Binding("ctrl+n", "screen.move(1)", show=False),
        Binding("pageup", "screen.page(-1)", show=False),
        Binding("pagedown", "screen.page(1)", show=False),
        Binding("ctrl+home", "screen.end(False)", show=False),
        Binding("ctrl+end", "screen.end(True)", show=False),
    ]
    BINDINGS = KEYS


class ModelScreen(WishScreen[Wish]):
    """Every model there is to talk to. `wish` gives what the user wants; `show` what is known by now."""

    def __init__(self, stock: Stock, marks: Marks, words: str = "") -> None:
        super().__init__(id="models")
        self._stock = stock
        self._marks = marks
        self._words = words

    def compose(self) -> ComposeResult:
        """Top to bottom."""
        yield Static(id="models-title")
        yield ModelLine(
            self._words, placeholder="type to search", id="models-search", compact=True, select_on_focus=False
        )
        yield PickList(id="models-list")
        yield Static(id="models-told")
        yield Static(id="models-keys")

    def on_mount(self) -> None:
        """Show what is known, with what was typed before."""
        self.query_one(PickList).on_pick = lambda: self.action_wish("choose")
        self.query_one(ModelLine).focus()
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
        self._look_for(event.value)

    def on_approval_panel_asked(self) -> None:
        """This screen covers a question."""
        self.tell(Notification("something is to be approved before it runs", "warning", "Esc leads to the question"))

    def action_wish(self, what: Literal["choose", "favour", "default"]) -> None:
        """Wish for something to be done with the chosen model."""
        self._catch_up()
        if self.chosen is not None and not self.closed:
            self.say_wish(Wish(self.chosen.key, what))

    def action_move(self, by: int) -> None:
        """Choose another."""
        self._catch_up()
        self.query_one(PickList).move(by)

    def action_page(self, pages: int) -> None:
        """Choose one that is further away."""
        self._catch_up()
        self.query_one(PickList).page(pages)

    def action_end(self, last: bool) -> None:
        """Choose the first, or the last."""
        self._catch_up()
        self.query_one(PickList).end(last)

    def _look_for(self, words: str) -> None:
        if words != self._words:
            self._words = words
            self.query_one("#models-told").display = False
            self._show_rows(anew=True)

    def _catch_up(self) -> None:
        """Show what all that is typed by now finds: the message that tells of it may be on its way."""
        self._look_for(self.query_one(ModelLine).value)

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
        shown = [bindings[key] for key in dict.fromkeys(keys_of(ModelLine.KEYS)) if key in bindings]
        self.query_one("#models-keys", Static).update(keys_line(shown, self.size.width - _EDGES))


def _counted(stock: Stock) -> str:
    asking = f", asking {', '.join(map(safe_line, sorted(stock.asking)))}" if stock.asking else ""
    return f"{len(stock.entries):,}{asking}"
