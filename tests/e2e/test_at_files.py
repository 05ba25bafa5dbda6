"""``@`` names files: completed while one types, and read when the text is sent."""

import os
import re
import subprocess

import pytest

from tests.e2e.conftest import World, say, told, wait_ready
from tests.support.llm_server import LLMServer, Reply
from tests.support.terminal import Terminal

SKILL = "---\nname: weigh\ndescription: Weighs parcels\n---\nPut the parcel on the scale.\n"


def repository(world: World, *paths: str) -> None:
    """A git repository with these files."""
    subprocess.run(["git", "init", "-q"], cwd=world.project, check=True)
    for path in paths:
        world.write(path, f"text of {path}\n")


def opened(terminal: Terminal, typed: str, *rows: str) -> None:
    """Type, and wait for rows of the list, which are nothing else on the screen."""
    terminal.type_text(typed)
    for row in rows:
        terminal.wait_for(re.compile(rf"^ +{re.escape(row)}(  |$)", re.MULTILINE))


def test_a_file_is_found_by_some_letters_and_goes_along_whole(world: World) -> None:
    repository(world, "src/cart/totals.py", "src/cart/taxes.py", "README.md", "build/totals.js")
    world.write(".gitignore", "build/\n")
    with LLMServer([Reply("I see.")]) as server:
        world.configure(server)
        terminal = world.start()
        wait_ready(terminal)
        opened(terminal, "why @tot", "src/cart/totals.py")
        assert "totals.js" not in terminal.screen_text()
        terminal.press("tab")
        terminal.wait_for("why @src/cart/totals.py")
        terminal.type_text("?")
        terminal.wait_for("why @src/cart/totals.py ?")
        terminal.press("enter")
        terminal.wait_for("I see.")
        told(terminal, "why @src/cart/totals.py ?", "+ file: src/cart/totals.py")
        (request,) = server.wait_for_requests(1)
        assert "\n".join(request.user_texts) == (
            "why @src/cart/totals.py ?\n\ncontents of src/cart/totals.py:\n\ntext of src/cart/totals.py"
        )


def test_directories_go_on_and_names_with_blanks_are_quoted(world: World) -> None:
    repository(world, "my notes/plan a.md", "my notes/deep/er.md")
    with LLMServer([Reply("Read.")]) as server:
        world.configure(server)
        terminal = world.start()
        wait_ready(terminal)
        opened(terminal, "@note", "my notes/")
        terminal.press("tab")
        terminal.wait_for('@"my notes/')
        terminal.wait_for("my notes/plan a.md")
        terminal.type_text("pla")
        terminal.wait_gone("my notes/deep/")
        terminal.press("enter")
        terminal.wait_for('@"my notes/plan a.md" ')
        terminal.press("enter")
        terminal.wait_for("Read.")
        (request,) = server.wait_for_requests(1)
        assert "text of my notes/plan a.md" in "\n".join(request.user_texts)


def test_hidden_files_are_found_when_asked_for_and_late_names_too(world: World) -> None:
    repository(world, ".github/ci.yml", ".env-example", *(f"many/file{number:04}.txt" for number in range(1500)))
    world.write("zz/last-of-all.txt", "")
    terminal = world.start("--demo")
    wait_ready(terminal)
    opened(terminal, "@.", ".github/", ".env-example")
    terminal.press("backspace", "backspace")
    opened(terminal, "@last", "zz/last-of-all.txt")


def test_an_address_opens_nothing_and_esc_closes_until_the_next_one(world: World) -> None:
    repository(world, "host.txt")
    terminal = world.start("--demo")
    wait_ready(terminal)
    terminal.type_text("mail@host")
    terminal.wait_for("mail@host")
    opened(terminal, " @ho", "host.txt")
    terminal.press("escape")
    terminal.wait_gone("host.txt")
    terminal.type_text("st")
    terminal.wait_for("mail@host @host")
    assert "host.txt" not in terminal.screen_text()
    opened(terminal, " @hos", "host.txt")
    terminal.press("tab")
    terminal.wait_for("mail@host @host @host.txt")


def test_links_that_go_in_circles_and_names_that_attack_do_no_harm(world: World) -> None:
    repository(world, "src/a.py")
    (world.project / "src/loop").symlink_to(world.project)
    (world.project / "e\x1b[31mvil.py").write_text("")
    (world.project / os.fsdecode(b"bad\xff.py")).write_text("")
    world.write("[bold]x.py", "")
    terminal = world.start("--demo")
    wait_ready(terminal)
    opened(terminal, "@py", "src/a.py", "[bold]x.py")
    terminal.press("backspace", "backspace")
    opened(terminal, "loop", "src/loop")
    assert "loop/src" not in terminal.screen_text()


@pytest.mark.parametrize("git", [True, False], ids=["repository", "none"])
def test_a_path_that_leads_out_is_completed_from_where_it_leads(world: World, git: bool) -> None:
    if git:
        repository(world, "inside.py")
    outside = world.project.parent / "outside/far.txt"
    outside.parent.mkdir()
    outside.write_text("FAR-TEXT")
    world.write("a/b/c/d/e/f/deep.py", "")
    terminal = world.start("--demo")
    wait_ready(terminal)
    opened(terminal, "@../outs", "../outside/")
    terminal.press("tab")
    terminal.wait_for("../outside/far.txt")
    terminal.press("tab")
    terminal.wait_for("@../outside/far.txt ")
    opened(terminal, "@a/b/c/d/e/f/d", "a/b/c/d/e/f/deep.py")


def test_what_is_large_binary_or_denied_is_left_out_and_told(world: World) -> None:
    world.write("large.log", "x" * 200_000)
    (world.project / "data.bin").write_bytes(b"\0\1\2")
    world.write("secret.txt", "SECRET-TEXT")
    with LLMServer([Reply("Fine.")]) as server:
        world.configure(server, extra='permissions.deny = ["fs.read(**/secret.txt)"]')
        terminal = world.start(columns=120)
        wait_ready(terminal)
        terminal.paste("see @large.log, @data.bin, (@secret.txt) and @nobody")
        terminal.wait_for("@nobody")
        terminal.press("enter")
        terminal.wait_for("Fine.")
        told(terminal, "+ file: large.log (200 kB: only its path)")
        told(terminal, "+ file: data.bin (binary, 3 B: only its path)")
        told(terminal, "+ file: secret.txt (not read: Denied")
        (request,) = server.wait_for_requests(1)
        sent = "\n".join(request.user_texts)
        assert "SECRET-TEXT" not in sent
        assert "[large.log is not attached: 200 kB: only its path]" in sent
        terminal.press("ctrl+d")
        assert terminal.wait_exit() == 0
        again = world.start("--continue", columns=120)
        told(again, "@nobody", "+ file: large.log")


def test_a_skill_is_named_in_the_midst_of_a_text(world: World) -> None:
    world.write(".panto/skills/weigh/SKILL.md", SKILL)
    with LLMServer([Reply("Weighed.")]) as server:
        world.configure(server)
        terminal = world.start()
        wait_ready(terminal)
        opened(terminal, "this one: @wei", "@skill:weigh")
        terminal.press("tab")
        terminal.wait_for("@skill:weigh ")
        terminal.press("enter")
        terminal.wait_for("Weighed.")
        (request,) = server.wait_for_requests(1)
        assert "Put the parcel on the scale." in "\n".join(request.user_texts)
        told(terminal, "┃ this one: @skill:weigh")


def test_a_text_without_a_file_is_what_it_is(world: World) -> None:
    with LLMServer([Reply("Yes.")]) as server:
        world.configure(server)
        terminal = world.start()
        say(terminal, "ask @anna or a@b.c about @")
        terminal.wait_for("Yes.")
        (request,) = server.wait_for_requests(1)
        assert request.user_texts == ["ask @anna or a@b.c about @"]
