"""What the bus says, onto the screen: events become entries of the transcript and figures of the status line."""

import time
from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from textual.timer import Timer

from panto.events import (
    Event,
    ExtensionError,
    ModelDelta,
    ModelResponse,
    ModelRetry,
    Notification,
    ToolEnd,
    ToolProgress,
    ToolStart,
    TurnEnd,
    TurnStart,
    UserSaid,
)
from panto.messages import Assistant, Message, Text, Thinking, Tool, ToolCall, ToolOutput, User
from panto.tui.prompt import Prompt
from panto.tui.status import StatusLine
from panto.tui.transcript import (
    AnswerEntry,
    Entry,
    NoticeEntry,
    RetryEntry,
    TextEntry,
    ThinkingEntry,
    ToolEntry,
    Transcript,
    TurnEndEntry,
    UserEntry,
)
from panto.tui.usage import Totals, has_cost, short_count

EVENTS: tuple[type[Event], ...] = (
    TurnStart,
    UserSaid,
    ModelDelta,
    ModelRetry,
    ModelResponse,
    ToolStart,
    ToolProgress,
    ToolEnd,
    TurnEnd,
    Notification,
    ExtensionError,
)
"""What the feed shows."""

QUIET_TOOLS = frozenset({"std.read", "std.list", "std.glob", "std.grep", "agent.skill"})
"""Tools whose output is for the model: the screen keeps it folded away."""


E = TypeVar("E", bound=Entry)


class Feed:
    """Keeps the transcript, the status line and the prompt in step with the session."""

    def __init__(
        self, transcript: Transcript, status: StatusLine, prompt: Prompt, queued: Callable[[], Sequence[str]]
    ) -> None:
        self._transcript = transcript
        self._status = status
        self._prompt = prompt
        self._queued = queued
        self._open: AnswerEntry | ThinkingEntry | None = None
        self._retry: RetryEntry | None = None
        self._tools: dict[str, ToolEntry] = {}
        self._turn_totals = Totals()
        self._running: dict[str, float] = {}
        self._ticker: Timer | None = None

    def begin(self, history: Iterable[tuple[float, Message]], window: int | None) -> None:
        """Show a session from its beginning."""
        self._open = self._retry = None
        self._tools.clear()
        self._running.clear()
        self._status.totals = Totals()
        self._status.window = window
        for came, message in history:
            self._replay(message, came)

    def show(self, event: Event) -> None:
        """Show one event."""
        match event:
            case TurnStart():
                self._status.doing = "working"
                self._turn_totals = Totals()
                self._ticker = self._transcript.set_interval(1.0, self._tick)
            case UserSaid():
                self._user_said(event.user)
            case ModelDelta():
                self._delta(event)
            case ModelRetry():
                self._retrying(event)
            case ModelResponse():
                self._close_open()
                if event.message.stop not in ("error", "cancelled"):
                    self._settle_retry("answered at")
                self._count(event.message)
            case ToolStart() | ToolProgress() | ToolEnd():
                self._tool_event(event)
            case TurnEnd():
                self._turn_ended(event)
            case Notification():
                self._add(NoticeEntry(event.text, event.severity, event.hint))
            case ExtensionError():
                text = f"{event.extension} failed at {event.doing}: {event.message}"
                self._add(NoticeEntry(text, "warning", "the rest goes on without it"))
            case _:
                pass

    def _tool_event(self, event: ToolStart | ToolProgress | ToolEnd) -> None:
        match event:
            case ToolStart():
                self._tool(event.call, event.summary).update(event.state, event.summary)
                if event.state == "running":
                    self._running[event.call.id] = time.monotonic()
            case ToolProgress():
                self._tool(event.call, "").progress(event.text)
            case ToolEnd():
                self._tool(event.call, "")
                self._tool_ended(event.output)

    def count_queue(self) -> None:
        """Show how much of what was said is not delivered yet."""
        self._status.queued = len(self._queued())

    def show_text(self, text: str) -> None:
        """Show what a command has to say."""
        self._add(TextEntry(text))
        self._transcript.follow()

    def show_entry(self, entry: Entry) -> None:
        """Show something that the user has begun."""
        self._add(entry)
        self._transcript.follow()

    def _add(self, entry: E, came: float | None = None) -> E:
        """Show one more entry, which came at that time, or has just come."""
        entry.came = time.time() if came is None else came
        return self._transcript.add(entry)

    def _replay(self, message: Message, came: float) -> None:
        if isinstance(message, User):
            self._add(UserEntry(message.as_typed, message.notes), came)
        elif isinstance(message, Assistant):
            for part in message.parts:
                self._replay_part(part, came)
            self._count(message)
            if message.error or message.stop == "cancelled":
                self._end(message.error, "", "stopped" if message.stop == "cancelled" else "failed")
        elif isinstance(message, Tool):
            for output in message.parts:
                self._tool_ended(output)

    def _replay_part(self, part: Text | Thinking | ToolCall, came: float) -> None:
        if isinstance(part, ToolCall):
            self._tool(part, "", came)
        elif part.text.strip():
            entry = AnswerEntry(part.text) if isinstance(part, Text) else ThinkingEntry(part.text, done=True)
            self._add(entry, came)
            if isinstance(entry, AnswerEntry):
                entry.finish()

    def _user_said(self, user: User) -> None:
        self._add(UserEntry(user.as_typed, user.notes))
        self._transcript.follow()
        self.count_queue()

    def _retrying(self, event: ModelRetry) -> None:
        """One line for all tries of a request."""
        if self._retry is None:
            self._retry = self._add(RetryEntry())
        self._retry.wait(event.why, event.wait, event.attempt, event.attempts)

    def _settle_retry(self, how: str) -> None:
        if self._retry is not None:
            self._retry.settle(how)
            self._retry = None

    def _delta(self, event: ModelDelta) -> None:
        self._settle_retry("answered at")
        kind = {"text": AnswerEntry, "thinking": ThinkingEntry}.get(event.kind)
        if kind is None or (self._open is not None and type(self._open) is not kind):
            self._close_open()
        if kind is None or (self._open is None and not event.text.strip()):
            return
        entry = self._open = self._open or self._add(kind())
        entry.append(event.text)

    def _tick(self) -> None:
        """A second has passed: running calls show how long they have been at it, a retry how long it still waits."""
        if self._retry is not None:
            self._retry.tick()
        for call_id, started in self._running.items():
            self._tools[call_id].elapsed(time.monotonic() - started)

    def _turn_ended(self, event: TurnEnd) -> None:
        self._close_open()
        if self._ticker is not None:
            self._ticker.stop()
            self._ticker = None
        self._status.doing = ""
        self.count_queue()
        self._end(event.error, event.hint, event.reason, event.seconds)
        if event.unsent:
            self._prompt.give_back(event.unsent)

    def _close_open(self) -> None:
        if self._open is not None:
            self._open.finish()
            self._open = None

    def _tool(self, call: ToolCall, summary: str, came: float | None = None) -> ToolEntry:
        entry = self._tools.get(call.id)
        if entry is None:
            shown = summary or _arguments_in_short(call)
            entry = self._tools[call.id] = self._add(ToolEntry(call.name, shown, quiet=call.name in QUIET_TOOLS), came)
        return entry

    def _tool_ended(self, output: ToolOutput) -> None:
        self._running.pop(output.call_id, None)
        entry = self._tools.pop(output.call_id, None)
        if entry is not None:
            entry.finish(
                "stopped" if output.stopped else "failed" if output.is_error else "done",
                output.text if output.shown is None else output.shown,
                result=output.summary,
                diff=output.diff,
                notes=output.notes,
                seconds=output.seconds,
            )

    def _count(self, message: Assistant) -> None:
        if has_cost(message):
            self._status.totals = self._status.totals.plus(message.usage)
            self._turn_totals = self._turn_totals.plus(message.usage)

    def _end(self, error: str, hint: str, reason: str, seconds: float = 0.0) -> None:
        if self._retry is not None and error:
            self._retry.fail(error, hint)
            self._retry = None
            return
        self._settle_retry("stopped before")
        if error:
            severity = "error" if reason == "failed" else "warning"
            self._add(NoticeEntry(error, severity, hint))
        elif reason == "stopped":
            self._add(NoticeEntry("stopped"))
        elif seconds:
            self._add(TurnEndEntry(self._took(seconds)))

    def _took(self, seconds: float) -> str:
        """What the turn took: time, and tokens and cost as far as they are known. The status line says what is not."""
        used = self._turn_totals
        parts = [f"{seconds:.0f} s"]
        if used.received is not None:
            parts += [f"{short_count(used.sent)} in", f"{short_count(used.received)} out"]
        return "  ".join((*parts, used.price) if used.cost else parts)


def _arguments_in_short(call: ToolCall) -> str:
    """A call's first argument that is a text: what it is about, most likely."""
    return next((value.split("\n")[0] for value in call.arguments.values() if isinstance(value, str)), "")
