"""The README's chapter on extensions, word for word: its code does what it says, in each of the three places."""

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.e2e.conftest import World, say
from tests.support.llm_server import Call, LLMServer, Reply
from tests.support.readme import chapter, files_in
from tests.support.terminal import Terminal

FILES = files_in(chapter("Writing an extension"))


def as_own_files(world: World) -> str:
    """Into the user's extensions directory."""
    for name in ("tally/notes.py", "tally/words.py", "tally/board.py"):
        file = world.config_file.parent / "extensions" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(FILES[name], encoding="utf-8")
    return ""


def as_package(directory: Path) -> Path:
    """The package's checkout, below a directory."""
    root = directory / "panto-tally"
    package = root / "panto_tally"
    package.mkdir(parents=True)
    (package / "__init__.py").touch()
    for name, text in FILES.items():
        (root / name if "/" not in name else package / Path(name).name).write_text(text, encoding="utf-8")
    return root


def as_checkout(world: World) -> str:
    """A checkout outside of everything, named in ``paths``."""
    return f'[extensions]\npaths = ["{as_package(world.home / "src")}"]\n'


def installed(world: World) -> str:
    """A distribution, installed into a directory of its own, named in ``packages``."""
    uv = os.environ.get("UV") or shutil.which("uv")
    assert uv is not None, "this test installs a package, with uv"
    environment = {**os.environ, "UV_CACHE_DIR": str(world.home / "uv-cache")}
    environment.pop("VIRTUAL_ENV", None)
    install = [uv, "pip", "install", "--quiet", "--no-deps", "--target"]
    subprocess.run([*install, str(site(world)), str(as_package(world.home / "src"))], check=True, env=environment)
    shutil.rmtree(world.home / "src")
    return '[extensions]\npackages = ["panto-tally"]\n'


def site(world: World) -> Path:
    """Where distributions are installed."""
    return world.home / "site"


def start(world: World) -> Terminal:
    """The program, with what is installed there."""
    return world.start(rows=40, env={"PYTHONPATH": str(site(world))})


@pytest.mark.parametrize("place", [as_own_files, as_checkout, installed])
def test_the_readmes_extension_does_what_the_readme_says(world: World, place: Callable[[World], str]) -> None:
    world.write("notes.md", "one two three\nfour five\n")
    script = [
        Reply(tool_calls=[Call("std_read", {"path": "notes.md"}), Call("tally_words", {"path": "notes.md"})]),
        Reply("Counted."),
        Reply(tool_calls=[Call("tally_words", {"path": "gone.md"})]),
        Reply("All of them matter."),
    ]
    with LLMServer(script) as server:
        world.configure(server, extra=place(world))
        terminal = start(world)
        say(terminal, "count them")
        terminal.wait_for("Counted.")
        first, second = server.wait_for_requests(2)
        assert "tally_words" in first.tool_names
        assert "Count the words of a text file." in first.raw.decode()
        assert second.tool_results[-1].text == "5 words"
        terminal.wait_for("7 words")  # the handler counts what the read shows, and each of its two lines has a number

        say(terminal, "/tally")
        terminal.wait_for("notes.md 1x")
        terminal.press("ctrl+b")
        terminal.wait_for("Read so far")

        terminal.press("f8")
        terminal.wait_for("All of them matter.")
        fourth = server.wait_for_requests(4)[3]
        assert fourth.user_texts[-1] == "Which of the files that you have read matter most?"
        assert "give a text file" in fourth.tool_results[-1].text


def test_its_settings_and_its_parts_can_be_had_one_by_one(world: World) -> None:
    as_own_files(world)
    world.write("a.md", "one\n")
    world.write("b.md", "two\n")
    script = [Reply(tool_calls=[Call("std_read", {"path": name}) for name in ("a.md", "b.md", "b.md")]), Reply("Read.")]
    with LLMServer(script) as server:
        world.configure(server, extra='[extensions]\ndeny = ["tally.notes"]\n[tally]\nmost = 1\n')
        terminal = world.start()
        say(terminal, "read them")
        terminal.wait_for("Read.")
        say(terminal, "/tally")
        terminal.wait_for("b.md 2x")
        screen = terminal.screen_text()
        assert "a.md 1x" not in screen
        assert "2 words" not in screen
