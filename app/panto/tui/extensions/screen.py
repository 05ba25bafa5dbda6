"""The screen itself: the list, the chosen one's details, and the keys. It switches nothing: it says what is wished."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container
from textual.widgets import OptionList, Static

from panto.events import Notification
from panto.loader import Facts, Target
from panto.tui.extensions.detail import DetailPane
from panto.tui.extensions.lines import target_line, title_line
from panto.tui.extensions.rows import counts, list_width, row
from panto.tui.hints import keys_line, keys_of, told_lines
from panto.tui.wish_screen import WishScreen

WIDE_COLUMNS = 100
"""From this width on the details are beside the list, not below it."""
LOW_ROWS = 18
"""Below this height there are no blank lines."""
_EDGES = 4


@dataclass(frozen=True)
class Wish:
    """What the user wants: an extension on or off, and that written to a layer's config.toml."""

    extension: str
    on: bool
    target: Target


class ExtensionList(OptionList, inherit_bindings=False):
    """The list. A click chooses, and so do these keys; neither switches anything."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "cursor_up", "choose"),
        Binding("down", "cursor_down", "choose"),
        Binding("k", "cursor_up", show=False),
        Binding("j", "cursor_down", show=False),
        Binding("pageup", "page_up", show=False),
        Binding("pagedown", "page_down", show=False),
        Binding("home", "first", show=False),
        Binding("end", "last", show=False),
    ]


class ExtensionsScreen(WishScreen[Wish]):
    """Every extension, and a switch for each. `wish` gives what the user wants; `show` what came of it."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("space", "switch(False)", "switch off"),
        Binding("space", "switch(True)", "switch on"),
        Binding("space", "retry", "try again"),
        Binding("enter", "switch(False)", show=False),
        Binding("enter", "switch(True)", show=False),
        Binding("enter", "retry", show=False),
        Binding("x", "give_up", "switch off"),
        Binding("escape", "close", "close"),
        Binding("q,ctrl+c", "close", show=False),
        Binding("tab", "other_target", "other file"),
        Binding("u", "target('user')", show=False),
        Binding("p", "target('project')", show=False),
        Binding("ctrl+up", "scroll_detail(-1)", "scroll"),
        Binding("ctrl+down", "scroll_detail(1)", "scroll"),
    ]

    def __init__(self, found: Sequence[Facts], files: Mapping[Target, str]) -> None:
        super().__init__(id="extensions")
        self._found = list(found)
        self._files = files
        self._target: Target = "user"
        self._switching = False
        self._row_width = list_width(found)
        self._told_at: int | None = None

    def compose(self) -> ComposeResult:
        """Top to bottom, with the list and the details in the middle."""
        yield Static(id="extensions-title")
        with Container(id="extensions-body"):
            yield ExtensionList(*(one.id for one in self._found), id="extensions-list", compact=True, markup=False)
            yield DetailPane()
        yield Static(id="extensions-told")
        yield Static(id="extensions-target")
        yield Static(id="extensions-keys")

    def on_resize(self, event: events.Resize) -> None:
        """Arrange what there is, at first and when there is more or less room."""
        self._arrange(event.size.width, event.size.height)
        self._show_all()

    def show(self, found: Sequence[Facts], told: Notification) -> None:
        """Show what came of a wish."""
        self._found = list(found)
        self._switching = False
        self.tell(told)
        self._show_all()

    def tell(self, told: Notification) -> None:
        """Show something below the list, until there is something else or another extension is chosen."""
        self._told_at = self.query_one(ExtensionList).highlighted
        line = self.query_one("#extensions-told", Static)
        line.update(told_lines(told))
        line.display = True

    @property
    def chosen(self) -> Facts | None:
        """The extension that is chosen."""
        index = self.query_one(ExtensionList).highlighted
        return None if index is None else self._found[index]

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Which switch there is for the chosen one."""
        if action not in ("switch", "retry", "give_up"):
            return True
        state = self.chosen.state if self.is_mounted and self.chosen else None
        if action == "switch":
            return state in (("off", "denied", "untrusted") if parameters == (True,) else ("on",))
        return state == "broken"

    def on_option_list_option_highlighted(self) -> None:
        """Another one is chosen."""
        if self.query_one(ExtensionList).highlighted != self._told_at:
            self.query_one("#extensions-told").display = False
        self._show_rows()
        self.query_one(DetailPane).show(self.chosen)
        self._show_keys()

    def on_approval_panel_asked(self) -> None:
        """This screen covers a question."""
        self.tell(Notification("something is to be approved before it runs", "warning", "Esc leads to the question"))

    def action_switch(self, on: bool) -> None:
        """Wish for the chosen one to be on, or off. While one is being switched there is no other wish."""
        if self.chosen is not None and not self._switching:
            self._switching = True
            self.say_wish(Wish(self.chosen.id, on, self._target))

    def action_retry(self) -> None:
        """Try a broken one again."""
        self.action_switch(True)

    def action_give_up(self) -> None:
        """Switch a broken one off."""
        self.action_switch(False)

    def action_target(self, target: Target) -> None:
        """Have it written to this layer's file."""
        self._target = target
        self._show_target()

    def action_other_target(self) -> None:
        """Have it written to the other file."""
        self.action_target("project" if self._target == "user" else "user")

    def action_scroll_detail(self, by: int) -> None:
        """Scroll the details."""
        pane = self.query_one(DetailPane)
        pane.scroll_relative(y=by * max(1, pane.size.height - 2), animate=False)

    def _arrange(self, width: int, height: int) -> None:
        """Lay the two parts out beside or above each other."""
        wide = width >= WIDE_COLUMNS
        self.set_class(wide, "wide")
        self.set_class(height < LOW_ROWS, "low")
        self._row_width = min(list_width(self._found), width - _EDGES - 1)
        self.query_one(ExtensionList).styles.width = self._row_width + 1 if wide else "1fr"

    def _show_all(self) -> None:
        self.query_one("#extensions-title", Static).update(title_line(counts(self._found), self.size.width - _EDGES))
        self._show_rows()
        self.query_one(DetailPane).show(self.chosen)
        self._show_target()
        self._show_keys()

    def _show_rows(self) -> None:
        rows = self.query_one(ExtensionList)
        for index, one in enumerate(self._found):
            rows.replace_option_prompt_at_index(index, row(one, self._row_width, index == rows.highlighted))

    def _show_target(self) -> None:
        width = self.size.width - _EDGES
        self.query_one("#extensions-target", Static).update(target_line(self._files, self._target, width))

    def _show_keys(self) -> None:
        bindings = self.active_bindings
        keys = [key for place in (ExtensionList, ExtensionsScreen) for key in keys_of(place.BINDINGS)]
        shown = [bindings[key] for key in dict.fromkeys(keys) if key in bindings]
        self.query_one("#extensions-keys", Static).update(keys_line(shown, self.size.width - _EDGES))
