"""The question before a tool call runs: in place, above the prompt, with number keys for the answers."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import ClassVar, TypeAlias

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.message import Message
from textual.widgets import Static

from panto.permissions.approval import Approval, ApprovalRequest
from panto.tui.safe_text import safe_text
from panto.tui.sizes import LOW_ROWS, SMALL_ROWS, TINY_ROWS

_ANSWERS: tuple[tuple[Approval, str], ...] = (
    (Approval("once"), "Yes, once"),
    (Approval("always"), "Yes, and don't ask again for exactly this"),
    (Approval("no"), "No"),
)


_MOST_LINES = 10
_TAKEN = ((LOW_ROWS, 19), (SMALL_ROWS, 11), (TINY_ROWS, 6), (0, 4))
"""From how many rows of the screen on how many are taken by all else that is shown beside a question."""


class ApprovalPanel(Vertical, can_focus=True):
    """Shows one request and posts `Answered`."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("1,y", "answer(0)", show=False),
        Binding("2,a", "answer(1)", show=False),
        Binding("3,n", "answer(2)", show=False),
        Binding("up,k", "move(-1)", show=False),
        Binding("down,j", "move(1)", show=False),
        Binding("enter", "choose", show=False),
    ]

    @dataclass
    class Answered(Message):
        """The user has decided."""

        approval: Approval

    class Asked(Message):
        """Tells the screen that is on top, which may cover the panel, that there is a question now."""

    def __init__(self, request: ApprovalRequest) -> None:
        super().__init__(id="approval")
        self._request = request
        self._chosen = 0

    def compose(self) -> ComposeResult:
        """The call, why it is asked about, and the answers."""
        name = safe_text(_short(self._request.title))
        yield Static(Text.assemble((f"{name}", "bold"), f"  {safe_text(self._request.why)}"), id="approval-why")
        with VerticalScroll(id="approval-what", can_focus=False):
            yield Static(Text(safe_text(_what(self._request))))
        yield Static(id="approval-answers")

    def on_mount(self) -> None:
        """Show the answers, and have the screen make room."""
        self.screen.add_class("asked")
        self.fit(self.screen.size.height)
        self._show(focused=False)

    def on_unmount(self) -> None:
        """The room is free again."""
        self.screen.remove_class("asked")

    def fit(self, rows: int) -> None:
        """Show so many lines of what would run that the answers have room below, on a screen of so many rows."""
        taken = next(taken for least, taken in _TAKEN if rows >= least)
        self.query_one("#approval-what").styles.max_height = max(1, min(_MOST_LINES, rows - taken))

    def on_focus(self) -> None:
        """Show that keys go here now."""
        self._show(focused=True)

    def on_blur(self) -> None:
        """Show how to get here."""
        self._show(focused=False)

    def action_answer(self, index: int) -> None:
        """Take the answer of that number."""
        self.post_message(self.Answered(_ANSWERS[index][0]))

    def action_choose(self) -> None:
        """Take the answer that is marked."""
        self.action_answer(self._chosen)

    def action_move(self, by: int) -> None:
        """Mark another answer."""
        self._chosen = (self._chosen + by) % len(_ANSWERS)
        self._show(focused=True)

    def _show(self, *, focused: bool) -> None:
        lines = [
            Text(
                f"{'>' if index == self._chosen else ' '} {index + 1}. {label}", "bold" if index == self._chosen else ""
            )
            for index, (_, label) in enumerate(_ANSWERS)
        ]
        if not focused:
            lines[0].append("   Tab to answer", "not bold italic")
        self.query_one("#approval-answers", Static).update(Text("\n").join(lines))


def _short(title: str) -> str:
    """A tool without its suite; a slash command whole."""
    return title if title.startswith("/") else title.rpartition(".")[2]


def _what(request: ApprovalRequest) -> str:
    """What exactly would run: the needs' subjects, one a line, or the call's summary."""
    return "\n".join(need.subject for need in request.needs) or request.summary


ShowPanel: TypeAlias = Callable[[ApprovalPanel], Awaitable[None]]
"""Puts a panel on the screen."""


class Approvals:
    """Requests wait here, one after another, until the user has answered each."""

    def __init__(self) -> None:
        self._turn = asyncio.Lock()
        self._answer: asyncio.Future[Approval] | None = None

    async def ask(self, request: ApprovalRequest, show: ShowPanel) -> Approval:
        """Show a request and wait for the answer; the panel is gone afterwards, also when this is cancelled."""
        async with self._turn:
            self._answer = asyncio.get_running_loop().create_future()
            panel = ApprovalPanel(request)
            await show(panel)
            try:
                return await self._answer
            finally:
                self._answer = None
                await panel.remove()

    def answer(self, approval: Approval) -> None:
        """Hand in the user's answer."""
        if self._answer is not None and not self._answer.done():
            self._answer.set_result(approval)
