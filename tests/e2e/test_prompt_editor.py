"""Writing in another editor, and the keys of vi, in a real terminal."""

from tests.e2e.conftest import World, wait_ready
from tests.support.llm_server import LLMServer, Reply


def editor(world: World, script: str) -> str:
    """An editor that is a script; the file's path is $1."""
    file = world.home / "editor"
    file.write_text(f"#!/bin/sh\n{script}\n")
    file.chmod(0o700)
    return str(file)


def test_the_editor_gets_the_whole_text_and_gives_it_back_also_with_vi(world: World) -> None:
    fifty = "\n".join(f"line {number}" for number in range(50))
    seen = world.home / "seen"
    stub = editor(world, f"cat \"$1\" > '{seen}'\nprintf ' and more\\n' >> \"$1\"")
    with LLMServer([Reply("Got it.")]) as server:
        world.configure(server, extra="ui.vi = true")
        terminal = world.start(env={"EDITOR": stub})
        wait_ready(terminal)
        terminal.type_text("read ")
        terminal.paste(fifty)
        terminal.wait_for("│ read [paste 1: 50 lines]")
        terminal.press("escape")
        terminal.wait_for("vi normal")
        terminal.press("ctrl+g")
        terminal.wait_for("│ read [paste 1: 50 lines] and more")
        assert seen.read_text() == f"read {fifty}"
        terminal.press("0", "x", "i")
        terminal.wait_for("│ ead [paste")
        terminal.wait_gone("vi normal")
        terminal.type_text("R")
        terminal.wait_for("│ Read [paste")
        terminal.press("enter")
        terminal.wait_for("Got it.")
        assert server.requests[0].user_texts == [f"Read {fifty} and more"]


def test_what_the_editor_does_not_save_changes_nothing(world: World) -> None:
    world.write_config('model = "demo/panto-demo"\n')
    terminal = world.start(env={"EDITOR": editor(world, 'echo gone > "$1"; exit 3')}, columns=120)
    wait_ready(terminal)
    terminal.type_text("mine")
    terminal.wait_for("│ mine")
    terminal.press("ctrl+g")
    terminal.wait_for("editor ended with status 3")
    terminal.wait_for("│ mine")


def test_without_an_editor_one_is_told_what_to_do(world: World) -> None:
    world.write_config('model = "demo/panto-demo"\n')
    terminal = world.start(columns=120)
    wait_ready(terminal)
    terminal.press("ctrl+g")
    terminal.wait_for("no editor is set")


def test_a_key_does_what_it_does_in_a_shell(world: World) -> None:
    world.write_config('model = "demo/panto-demo"\n')
    terminal = world.start()
    wait_ready(terminal)
    terminal.send("one two-three\x1b\x7f")  # Alt+Backspace
    terminal.wait_for("│ one two- ")
    terminal.send("\x17\x19\x19")  # Ctrl+W, Ctrl+Y twice
    terminal.wait_for("│ one two-threetwo-three")
    terminal.send("\x01\x1bd")  # Ctrl+A, Alt+D
    terminal.wait_for("│  two-threetwo-three")
    terminal.send("\x05\x15")  # Ctrl+E, Ctrl+U
    terminal.wait_gone("two")
    terminal.send("\x1f\x1f")  # Ctrl+_ twice
    terminal.wait_for("│ one two-threetwo-three")


def test_an_editor_that_takes_the_file_away_changes_nothing(world: World) -> None:
    world.write_config('model = "demo/panto-demo"\n')
    terminal = world.start(env={"EDITOR": editor(world, 'rm "$1"')}, columns=120)
    wait_ready(terminal)
    terminal.type_text("mine")
    terminal.wait_for("│ mine")
    terminal.press("ctrl+g")
    terminal.wait_for("what was written can't be read")
    terminal.wait_for("│ mine")


def test_an_editor_with_a_window_is_waited_for(world: World) -> None:
    window = world.home / "code"
    window.write_text('#!/bin/sh\nprintf "from a window" > "$2"\n')
    window.chmod(0o700)
    world.write_config('model = "demo/panto-demo"\n')
    terminal = world.start(env={"EDITOR": "/bin/false", "VISUAL": f"{window} --wait"})
    wait_ready(terminal)
    terminal.press("ctrl+g")
    terminal.wait_for("│ from a window")
