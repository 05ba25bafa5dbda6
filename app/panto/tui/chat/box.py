"""The transcript with the line to find something in it, when that is wanted."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from textual.app import ComposeResult
from textual.containers import Vertical

from panto.tui.chat.widget import Chat

if TYPE_CHECKING:
    from panto.tui.chat.find_bar import FindBar


class ChatBox(Vertical):
    """What has been said, and a line below it while the user looks for something."""

    def compose(self) -> ComposeResult:
        """The transcript alone."""
        yield Chat(id="transcript")

    @property
    def chat(self) -> Chat:
        """The transcript."""
        return self.query_one(Chat)

    async def find(self) -> None:
        """Have the line opened, or gone to, with what was looked for last."""
        from panto.tui.chat.find_bar import FindBar  # noqa: PLC0415 - only who looks for something pays for it

        if self._bar is None:
            finding = self.chat.searching.finding
            await self.mount(FindBar(finding.text if finding else ""))
            self.on_chat_found()
        else:
            self._bar.focus_line()

    def on_find_bar_wanted(self, message: FindBar.Wanted) -> None:
        """Something else is looked for."""
        self.chat.look_for(message.text)

    def on_find_bar_step(self, message: FindBar.Step) -> None:
        """To another match."""
        self.chat.action_match(message.by)

    async def on_find_bar_closed(self, message: FindBar.Closed) -> None:
        """Go to where the match is, or back to the prompt without any marks."""
        if self._bar is not None:
            await self._bar.remove()
        if message.kept and self.chat.searching.finding is not None:
            self.chat.focus()
        else:
            self.chat.look_for("")
            self.chat.post_message(Chat.Left())

    async def on_chat_find_wanted(self) -> None:
        """The user wants to look for something."""
        await self.find()

    def on_chat_found(self) -> None:
        """Show how many matches there are."""
        finding = self.chat.searching.finding
        if self._bar is not None:
            self._bar.show_count(finding.text if finding else "", self.chat.searching.count)

    @property
    def _bar(self) -> FindBar | None:
        return cast("FindBar | None", next(iter(self.query("#find")), None))
