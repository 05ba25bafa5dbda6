"""What a terminal's answers say of it, and what can't be told without them."""

import pytest

from panto.terminal_probe import Terminal, multiplexer, probe, read_answers

ATTRIBUTES = "\x1b[?62;22c"


@pytest.mark.parametrize(
    ("answers", "terminal"),
    [
        ("", Terminal()),
        (ATTRIBUTES, Terminal(None, kitty_keys=False, synchronised=False)),
        (f"\x1bP>|kitty(0.35)\x1b\\\x1b[?0u\x1b[?2026;2$y{ATTRIBUTES}", Terminal("kitty(0.35)", True, True)),
        (f"\x1b[?2026;0$y{ATTRIBUTES}", Terminal(None, False, False)),
        (f"\x1b[?2026;1$y{ATTRIBUTES}", Terminal(None, False, True)),
        ("\x1bP>|slow\x1b\\", Terminal("slow")),
        (f"typed{ATTRIBUTES}", Terminal(None, False, False)),
    ],
)
def test_answers(answers: str, terminal: Terminal) -> None:
    assert read_answers(answers) == terminal


def test_where_there_is_no_terminal_nothing_is_known() -> None:
    assert probe() == Terminal()


def test_what_stands_between(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("TMUX", "STY", "ZELLIJ"):
        monkeypatch.delenv(name, raising=False)
    assert multiplexer() == ""
    monkeypatch.setenv("STY", "1.pts")
    assert multiplexer() == "screen"
