"""The terminal driver, with small programs and a small Textual app."""

import re
import sys
from pathlib import Path

import pytest

from tests.support.terminal import ProgramEndedError, Terminal
from tests.support.tty.launching import Start, launch


def test_a_program_sees_a_terminal_of_its_own(sh: Start) -> None:
    script = "tty; stty size; echo $TERM $COLORTERM; : </dev/tty && echo own"
    with sh(script, columns=41, rows=7) as terminal:
        assert terminal.wait_exit() == 0
        lines = terminal.lines()
    assert re.fullmatch(r"/dev/pts/\d+", lines[0])
    assert lines[1:4] == ["7 41", "xterm-256color truecolor", "own"]


def test_nothing_leaks_in_from_outside(sh: Start, places: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_API_KEY", "secret")
    monkeypatch.setenv("XDG_CONFIG_HOME", "/elsewhere")
    with sh("env | sort; pwd", env={"EXTRA": "1", "COLORTERM": None}, columns=200, rows=40) as terminal:
        assert terminal.wait_exit() == 0
        seen = {line.partition("=")[0]: line.partition("=")[2] for line in terminal.lines() if "=" in line}
        assert str(places[0]) in terminal.lines()
    shells_own = {"_", "PWD", "OLDPWD", "SHLVL"}
    home = places[1]
    assert seen.pop("PATH").startswith(f"{Path(sys.executable).parent}:")
    assert len(seen.pop("TEST_TERMINAL_ID")) == 32
    assert {name: value for name, value in seen.items() if name not in shells_own} == {
        "EXTRA": "1",
        "HOME": str(home),
        "LANG": "C.UTF-8",
        "TERM": "xterm-256color",
        "VIRTUAL_ENV": sys.prefix,
        "XDG_CACHE_HOME": str(home / ".cache"),
        "XDG_CONFIG_HOME": str(home / ".config"),
        "XDG_DATA_HOME": str(home / ".local/share"),
        "XDG_STATE_HOME": str(home / ".local/state"),
    }


def test_no_byte_is_lost_even_if_nobody_looks(py: Start) -> None:
    with py("import sys; sys.stdout.write(''.join(f'{n}\\n' for n in range(20_000)))", rows=5) as terminal:
        assert terminal.wait_exit() == 0
        assert terminal.raw == b"".join(b"%d\r\n" % n for n in range(20_000))
        assert terminal.lines() == ["19996", "19997", "19998", "19999", ""]


def test_much_input_goes_in_while_output_comes_out(py: Start) -> None:
    script = """
import sys, tty
tty.setraw(0)
print("ready", flush=True)
total = 0
while total < 300_000:
    data = sys.stdin.buffer.raw.read(4096)
    total += len(data)
    sys.stdout.buffer.raw.write(b"." * 64)
print("\\r\\ngot", total, flush=True)
"""
    with py(script) as terminal:
        terminal.wait_for("ready")
        terminal.send("x" * 300_000)
        terminal.wait_for("got 300000")
        assert terminal.wait_exit() == 0


def test_waits_for_text_pattern_or_anything(sh: Start) -> None:
    with sh("printf 'one '; read line; printf 'two %s\\033[2J\\033[Hthree' \"$line\"; read line") as terminal:
        terminal.wait_for("one")
        terminal.send("abc\n")
        terminal.wait_for(re.compile(r"^thr\w+$", re.MULTILINE))
        terminal.wait_for(lambda screen: screen.cursor[:2] == (5, 0))
        terminal.wait_gone("one")
        with pytest.raises(TimeoutError, match=r"no 'four' on the screen within 0 s\n\+-+\+\n\|three\n"):
            terminal.wait_for("four", timeout=0)
        with pytest.raises(TimeoutError, match="no screen without 'three' within 0 s"):
            terminal.wait_gone("three", timeout=0)
        with pytest.raises(TimeoutError, match="did not end"):
            terminal.wait_exit(timeout=0)


def test_a_wait_ends_with_the_program(sh: Start) -> None:
    with sh("echo last words; exit 3") as terminal:
        with pytest.raises(ProgramEndedError, match=r"(?s)the program ended with 3.*last words"):
            terminal.wait_for("never")
        assert terminal.exit_status == 3
        terminal.wait_for("last words")


def test_a_program_that_is_not_there(places: tuple[Path, Path]) -> None:
    with launch(["no-such-program"], places, {}) as terminal:
        assert terminal.wait_exit() == 127
        assert "no-such-program" in terminal.screen_text()
    with pytest.raises(FileNotFoundError):
        Terminal.start(["true"], cwd=places[0] / "gone", home=places[1])


READ_KEYS = """
import os, tty
tty.setraw(0)
os.write(1, b"\\x1b[?2004h\\x1b[?1h\\x1b[?1000h\\x1b[>25uready\\r\\n")
while True:
    data = os.read(0, 1000)
    os.write(1, ascii(data.decode()).encode() + b"\\r\\n")
"""


def test_keys_paste_and_mouse_as_the_program_asked_for_them(py: Start) -> None:
    with py(READ_KEYS) as terminal:
        terminal.wait_for("ready")
        for act, sent in [
            (lambda: terminal.press("ctrl+c"), r"'\x03'"),
            (lambda: terminal.press("up", "shift+tab"), r"'\x1bOA\x1b[Z'"),
            (lambda: terminal.press("escape", "escape"), r"'\x1b\x1b'"),
            (lambda: terminal.type_text("hé"), r"'h\xe9'"),
            (lambda: terminal.paste("a\nb"), r"'\x1b[200~a\rb\x1b[201~'"),
            (lambda: terminal.click(3, 4), r"'\x1b[<0;4;5M\x1b[<0;4;5m'"),
            (lambda: terminal.drag((0, 0), (2, 1)), r"'\x1b[<0;1;1M\x1b[<32;3;2M\x1b[<0;3;2m'"),
            (lambda: terminal.wheel("down", 0, 0), r"'\x1b[<65;1;1M'"),
        ]:
            act()
            terminal.wait_for(sent)
        with pytest.raises(ValueError, match="wait in between"):
            terminal.press("escape", "a")


def test_the_kitty_protocol_when_the_terminal_speaks_it(py: Start) -> None:
    with py(READ_KEYS, keyboard="kitty") as terminal:
        terminal.wait_for("ready")
        terminal.press("escape", "a")
        terminal.wait_for(r"'\x1b[27u\x1b[97;;97u'")


def test_a_mouse_nobody_asked_for_is_an_error(sh: Start) -> None:
    with sh("read line") as terminal, pytest.raises(RuntimeError, match="not asked for the mouse"):
        terminal.click(0, 0)


def test_answers_reach_the_program(py: Start) -> None:
    script = """
import os, tty
tty.setraw(0)
os.write(1, b"\\x1b[?2026$p")
os.write(1, ascii(os.read(0, 100).decode()).encode())
"""
    with py(script) as terminal:
        terminal.wait_for(r"'\x1b[?2026;2$y'")
    with py(script, sync=False) as terminal:
        terminal.wait_for(r"'\x1b[?2026;0$y'")


def test_no_half_drawn_update_is_seen(sh: Start) -> None:
    script = r"printf 'old\033[?2026h\033[2J\033[Hhalf'; read line; printf ' whole\033[?2026l'; read line"
    with sh(script, record=True) as terminal:
        with pytest.raises(TimeoutError):
            terminal.wait_for("half", timeout=0)
        terminal.send("\n")
        terminal.wait_for("whole")
        assert not [picture for picture in terminal.pictures if "half" in picture and "whole" not in picture]


def test_an_update_that_never_ends_is_shown_in_the_end(sh: Start) -> None:
    with sh(r"printf '\033[?2026hforgotten'; read line") as terminal:
        terminal.wait_for("forgotten")
        assert terminal.screen_text().startswith("forgotten")


def test_a_new_size_reaches_the_program(py: Start) -> None:
    script = """
import os, signal
def tell(*_):
    size = os.get_terminal_size()
    os.write(1, b"%dx%d\\r\\n" % (size.columns, size.lines))
signal.signal(signal.SIGWINCH, tell)
tell()
while True:
    signal.pause()
"""
    with py(script, columns=60, rows=9) as terminal:
        terminal.wait_for("60x9")
        terminal.resize(33, 5)
        terminal.wait_for("33x5")
        assert len(terminal.lines()) == 5


APP = """
from textual.app import App, ComposeResult
from textual.events import Resize
from textual.widgets import Button, Input, Static


class Echo(App[None]):
    def compose(self) -> ComposeResult:
        yield Static("日本 👩‍🔧 end", id="wide")
        yield Input(placeholder="say something")
        yield Static(id="said")
        yield Button("Press me")

    def on_resize(self, event: Resize) -> None:
        self.query_one("#wide", Static).update(f"日本 👩‍🔧 end {event.size.width}x{event.size.height}")

    def on_input_submitted(self, event: Input.Submitted) -> None:
        self.query_one("#said", Static).update(f"said: {event.value}")

    def on_button_pressed(self) -> None:
        self.query_one("#said", Static).update("pressed")
        self.copy_to_clipboard("copied")


Echo().run()
"""


@pytest.mark.parametrize("keyboard", ["legacy", "kitty"])
def test_a_textual_app(py: Start, keyboard: str) -> None:
    with py(APP, columns=50, rows=12, keyboard=keyboard, record=True) as terminal:
        terminal.wait_for("say something")
        terminal.wait_for("日本 👩‍🔧 end 50x12")
        assert terminal.alternate
        assert {1003, 1006, 2004} <= terminal.modes
        assert 25 not in terminal.modes
        assert (terminal.cell(0, 0).text, terminal.cell(1, 0).text, terminal.find("end")) == ("日", "", (8, 0))
        terminal.type_text("Grüße 日本")
        terminal.press("enter")
        terminal.wait_for("said: Grüße 日本")
        terminal.press("home", "ctrl+k")
        terminal.wait_for("say something")
        terminal.paste("pasted")
        terminal.wait_for("pasted")
        terminal.resize(40, 14)
        terminal.wait_for("end 40x14")
        place = terminal.find("Press me")
        assert place is not None
        terminal.click(*place)
        terminal.wait_for("pressed")
        terminal.wait_for(lambda screen: screen.clipboard == "copied")
        terminal.press("ctrl+q")
        assert terminal.wait_exit() == 0
        assert not terminal.alternate
        assert terminal.modes == {7, 25}
        assert terminal.screen_text().strip() == ""
        assert not [picture for picture in terminal.pictures if "said" in picture and "日本" not in picture]
