"""The transcript: one widget, and the entries it shows."""

from panto.tui.transcript.entries import (
    AnswerEntry,
    ErrorEntry,
    NoticeEntry,
    TextEntry,
    ThinkingEntry,
    TurnEndEntry,
    UserEntry,
)
from panto.tui.transcript.entry import Entry
from panto.tui.transcript.retry_entry import RetryEntry
from panto.tui.transcript.tool_entry import ToolEntry
from panto.tui.transcript.widget import Transcript

__all__ = [
    "AnswerEntry",
    "Entry",
    "ErrorEntry",
    "NoticeEntry",
    "RetryEntry",
    "TextEntry",
    "ThinkingEntry",
    "ToolEntry",
    "Transcript",
    "TurnEndEntry",
    "UserEntry",
]
