"""Opening what is written: files in the editor at their line, addresses in the browser or by way of the clipboard."""

from pathlib import Path

import pytest

from tests.e2e.conftest import World, say, told
from tests.support.llm_server import Call, Gate, LLMServer, Reply
from tests.support.terminal import Terminal

LOCAL: dict[str, str | None] = {"SSH_CONNECTION": None, "DISPLAY": None, "WAYLAND_DISPLAY": None, "VISUAL": None}


def program(world: World, name: str, then: str = "") -> tuple[Path, Path]:
    """A program that writes what it is started with into a file, a line for each argument: both their paths."""
    file, noted = world.home / name, world.home / f"{name}.noted"
    file.write_text(f"#!/bin/sh\nprintf '%s\\n' \"$@\" > '{noted}.new'\nmv '{noted}.new' '{noted}'\n{then}\n")
    file.chmod(0o755)
    return file, noted


def arguments(terminal: Terminal, noted: Path) -> list[str]:
    """What a program was started with, as soon as it was."""
    terminal.wait_for(lambda _: noted.exists())
    return noted.read_text().splitlines()


def click(terminal: Terminal, text: str) -> None:
    """Click into the middle of a text."""
    terminal.wait_for(text)
    place = terminal.find(text)
    assert place is not None
    terminal.click(place[0] + len(text) // 2, place[1])


def test_a_click_on_a_place_in_a_file_opens_it_in_place_of_the_screen(world: World) -> None:
    world.write("src/totals.py", "def total(items):\n    return sum(items)\n")
    editor, noted = program(world, "nano", "echo EDITING; read answer; echo $answer")
    with LLMServer([Reply("The fault is in `src/totals.py:2`, I think."), Reply("It goes on.")]) as server:
        world.configure(server)
        terminal = world.start(env={**LOCAL, "EDITOR": str(editor)})
        say(terminal, "where?")
        click(terminal, "src/totals.py:2")
        assert arguments(terminal, noted) == ["+2,1", str((world.project / "src/totals.py").resolve())]
        terminal.wait_for("EDITING")
        assert not terminal.alternate
        terminal.send("done\n")
        terminal.wait_for(lambda terminal: terminal.alternate)
        terminal.wait_for("The fault is in src/totals.py:2")
        say(terminal, "and now?")
        terminal.wait_for("It goes on.")


def test_a_key_opens_what_a_tool_has_read_and_an_editor_with_a_window_is_left_alone(world: World) -> None:
    world.write("src/totals.py", "def total(items):\n    return sum(items)\n")
    editor, noted = program(world, "code")
    with LLMServer([Reply(tool_calls=[Call("std_read", {"path": "src/totals.py"})]), Reply("Seen.")]) as server:
        world.configure(server)
        terminal = world.start(env={**LOCAL, "EDITOR": f"{editor} --wait"})
        say(terminal, "look")
        terminal.wait_for("Seen.")
        terminal.press("alt+2")
        terminal.wait_for("j/k move")
        terminal.press("k", "o")
        wait, *_, place = arguments(terminal, noted)
        assert wait == "--wait"
        assert place.startswith(str((world.project / "src/totals.py").resolve()))
        terminal.wait_for("opened src/totals.py")


def test_a_turn_goes_on_while_a_file_is_edited(world: World) -> None:
    world.write("a.py", "x\n")
    editor, noted = program(world, "vi", "echo EDITING; read answer; echo $answer")
    gate = Gate()
    script = [
        Reply("See `a.py:1`."),
        Reply([gate, "Let me look."], tool_calls=[Call("std_read", {"path": "a.py"})]),
        Reply("\n\n".join(f"line {number}" for number in range(200))),
    ]
    with LLMServer(script) as server:
        world.configure(server)
        terminal = world.start(env={**LOCAL, "EDITOR": str(editor)})
        say(terminal, "one")
        terminal.wait_for("See a.py:1.")
        say(terminal, "two")
        terminal.wait_for("┃ two")
        click(terminal, "a.py:1")
        assert arguments(terminal, noted)[0] == "+1"
        terminal.wait_for("EDITING")
        gate.open()
        server.wait_for_requests(3)
        assert "EDITING" in terminal.screen_text()
        terminal.send("done\n")
        terminal.wait_for("line 199")


def test_a_key_that_ends_the_editor_does_not_end_the_program(world: World) -> None:
    world.write("src/a.py", "x\n")
    editor, noted = program(world, "vi", "echo EDITING; read answer")
    with LLMServer([Reply("See `src/a.py:1`."), Reply("It goes on.")]) as server:
        world.configure(server)
        terminal = world.start(env={**LOCAL, "EDITOR": str(editor)})
        say(terminal, "where?")
        click(terminal, "src/a.py:1")
        assert arguments(terminal, noted)[0] == "+1"
        terminal.wait_for("EDITING")
        terminal.send("\x03")
        told(terminal, "vi ended with status")
        say(terminal, "and now?")
        terminal.wait_for("It goes on.")


@pytest.mark.parametrize(
    ("editor", "said", "words"),
    [
        (None, "a.py:1", "no editor is set"),
        ("vi", "../secret.py:1", "is outside of the project"),
        ("vi", "none.py:1", "there is no such file"),
        ("not-there", "a.py:1", "is not there"),
    ],
)
def test_what_is_in_the_way_is_told(world: World, editor: str | None, said: str, words: str) -> None:
    world.write("a.py", "x\n")
    world.write("../secret.py", "x\n")
    vi, noted = program(world, "vi")
    with LLMServer([Reply(f"See `{said}`.")]) as server:
        world.configure(server)
        terminal = world.start(env={**LOCAL, "EDITOR": str(vi) if editor == "vi" else editor})
        say(terminal, "where?")
        click(terminal, said)
        told(terminal, words)
        assert not noted.exists()


def test_an_address_is_copied_where_there_is_no_browser(world: World) -> None:
    with LLMServer([Reply("Read [the manual](https://a.example/b).")]) as server:
        world.configure(server)
        terminal = world.start(env={**LOCAL, "SSH_CONNECTION": "192.0.2.1 1 192.0.2.2 22"})
        say(terminal, "where?")
        terminal.wait_for("(https://a.example/b)")
        assert b";https://a.example/b\x1b\\" in terminal.raw
        click(terminal, "the manual")
        terminal.wait_for("there is no browser here: copied https://a.example/b")
        assert terminal.clipboard == "https://a.example/b"


def test_an_address_is_opened_in_the_browser_and_never_with_the_projects_own_code(world: World) -> None:
    world.write("webbrowser.py", "import sys\nsys.exit(9)\n")
    browser, noted = program(world, "browser")
    with LLMServer([Reply("Read https://a.example/b?c=d, it helps.")]) as server:
        world.configure(server)
        terminal = world.start(env={**LOCAL, "DISPLAY": ":77", "BROWSER": f"{browser} %s"})
        say(terminal, "where?")
        click(terminal, "https://a.example/b?c=d")
        terminal.wait_for("opened https://a.example/b?c=d")
        assert arguments(terminal, noted) == ["https://a.example/b?c=d"]


@pytest.mark.parametrize("term", ["linux", "dumb"])
def test_a_terminal_that_knows_no_links_is_not_told_of_any(world: World, term: str) -> None:
    with LLMServer([Reply("Read https://a.example/b, it helps.")]) as server:
        world.configure(server)
        terminal = world.start(env={**LOCAL, "TERM": term})
        say(terminal, "where?")
        terminal.wait_for("https://a.example/b, it helps.")
        assert b"\x1b]8;" not in terminal.raw


def test_selecting_within_a_link_opens_nothing(world: World) -> None:
    world.write("src/totals.py", "x\n")
    editor, noted = program(world, "vi", "read answer")
    with LLMServer([Reply("See src/totals.py:12, I think."), Reply("It goes on.")]) as server:
        world.configure(server)
        terminal = world.start(env={**LOCAL, "EDITOR": str(editor)})
        say(terminal, "where?")
        terminal.wait_for("I think.")
        place = terminal.find("src/totals.py")
        assert place is not None
        terminal.drag(place, (place[0] + 12, place[1]))
        terminal.press("ctrl+c")
        terminal.wait_for(lambda terminal: terminal.clipboard == "src/totals.py")
        say(terminal, "and now?")
        terminal.wait_for("It goes on.")
        assert not noted.exists()
