"""Keys as some terminals send them and Textual does not take them: told to it once, before the screen opens."""

import codecs
from collections.abc import Callable
from enum import Enum
from functools import partial
from typing import cast

from textual._ansi_sequences import ANSI_SEQUENCES_KEYS  # its one table, which it offers no way into
from textual.drivers import linux_driver
from textual.keys import Keys

NEWLINE_KEYS = ("shift+enter", "alt+enter", "ctrl+enter", "ctrl+j", "shift+\r", "alt+\r", "ctrl+\r")
"""All that asks for a new line; those with ``\\r`` come from terminals in xterm's modifyOtherKeys mode."""


class _Key(Enum):
    """Keys that Textual has no name for."""

    ALT_BACKSPACE = "alt+backspace"


def teach_textual() -> None:
    """Alt+Enter (ESC CR) is a key of its own, and not Enter; so is Alt with a digit, and no sign of a Mac's.

    Alt+Backspace is not Ctrl+W.

    Bytes that are no text become a stand-in, and end nothing.
    """
    table = cast("dict[str, tuple[Enum, ...]]", ANSI_SEQUENCES_KEYS)
    for sequence in ("\x1b\r", "\x1b\n"):
        table.setdefault(sequence, (Keys.ControlJ,))
    for digit in "0123456789":
        table.pop(f"\x1b{digit}", None)
    table["\x1b\x7f"] = (_Key.ALT_BACKSPACE,)
    linux_driver.getincrementaldecoder = _lenient  # pyright: ignore[reportPrivateImportUsage] - what it reads keys by


def _lenient(encoding: str) -> Callable[[], codecs.IncrementalDecoder]:
    return partial(codecs.getincrementaldecoder(encoding), errors="replace")
