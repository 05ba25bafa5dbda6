"""Something to pick by typing, in place above the prompt: a line to search by, and the rows that fit."""

import asyncio
from collections.abc import Callable, Sequence
from typing import ClassVar, cast

from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.widgets import Input, Static

from panto.tui.pick_list import PickList, Row
from panto.tui.safe_text import safe_line
from panto.tui.search_line import SearchLine

MOST_ROWS = 12
_SHARE = 3
"""The list takes no more than this part of the screen."""


class PanelLine(SearchLine):
    """What is typed to search by."""

    KEYS: ClassVar[list[BindingType]] = [
        Binding("enter", "pick", "take"),
        Binding("escape,ctrl+c", "close", "close"),
        Binding("up,ctrl+p", "move(-1)", "move"),
        Binding("down,ctrl+n", "move(1)", "move"),
        Binding("pageup", "page(-1)", show=False),
        Binding("pagedown", "page(1)", show=False),
    ]
    BINDINGS = KEYS

    @property
    def _panel(self) -> "SearchPanel":
        return cast("SearchPanel", self.parent)

    def action_pick(self) -> None:
        """Take the chosen row."""
        self._panel.pick()

    def action_close(self) -> None:
        """Take nothing."""
        self._panel.close()

    def action_move(self, by: int) -> None:
        """Choose another row."""
        self._panel.move(by)

    def action_page(self, pages: int) -> None:
        """Choose a row that is further away."""
        self._panel.page(pages)


class SearchPanel(Vertical):
    """Shows what ``find`` gives for what is typed. It takes the keys until something is picked, or nothing is.

    ``preview`` is called with the key of the row that is chosen now, once the user has typed or moved.
    """

    DEFAULT_CSS = """
    SearchPanel {
        height: auto;
    }
    SearchPanel PickList {
        height: 1;
    }
    """

    def __init__(
        self,
        title: str,
        find: Callable[[str], Sequence[Row]],
        words: str = "",
        preview: Callable[[str], None] = lambda _key: None,
    ) -> None:
        super().__init__()
        self.border_title = safe_line(title)
        self._preview = preview
        self._find = find
        self._words = words
        self._picked: asyncio.Future[str] = asyncio.get_running_loop().create_future()

    def compose(self) -> ComposeResult:
        """The line, the rows, and what is said where there are none."""
        yield PanelLine(self._words, placeholder="type to search", compact=True, select_on_focus=False)
        yield PickList()
        yield Static("nothing fits", classes="none")

    @property
    def rows(self) -> PickList:
        """The list, up to date with all that is typed by now."""
        self._look_for(self.query_one(PanelLine).value)
        return self.query_one(PickList)

    def on_mount(self) -> None:
        """Show what there is, and take the keys."""
        self.query_one(PickList).on_pick = self.pick
        self._show()
        self.query_one(PanelLine).focus()

    def on_input_changed(self, event: Input.Changed) -> None:
        """Something else is looked for."""
        event.stop()
        self._look_for(event.value)

    async def ask(self, app: App[str]) -> str:
        """Open above the prompt, and wait for the key of the row that is picked, empty for none; then go."""
        screen = app.screen_stack[0]
        before = screen.focused
        await screen.mount(self, before="#commands")
        try:
            return await self._picked
        finally:
            if before is not None and before.is_mounted:
                screen.set_focus(before)
            await self.remove()

    def move(self, by: int) -> None:
        """Choose another row."""
        self.rows.move(by)
        self._show_preview()

    def page(self, pages: int) -> None:
        """Choose a row that is further away."""
        self.rows.page(pages)
        self._show_preview()

    def _show_preview(self) -> None:
        chosen = self.query_one(PickList).chosen
        if chosen is not None:
            self._preview(chosen.key)

    def pick(self) -> None:
        """Take the chosen row, if there is one."""
        chosen = self.rows.chosen
        if chosen is not None:
            self._close(chosen.key)

    def close(self) -> None:
        """Take nothing."""
        self._close("")

    def _close(self, key: str) -> None:
        if not self._picked.done():
            self._picked.set_result(key)

    def _look_for(self, words: str) -> None:
        if words != self._words:
            self._words = words
            self._show()

    def _show(self) -> None:
        found = self._find(self._words.strip())
        rows = self.query_one(PickList)
        rows.display = bool(found)
        rows.styles.height = max(1, min(len(found), MOST_ROWS, self.screen.size.height // _SHARE))
        rows.show(found, anew=True)
        self.query_one(".none").display = not found
        if self._words:
            self._show_preview()
