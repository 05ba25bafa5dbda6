"""Rules files, as the model gets them and as the screen shows them: the ids are those of the list of rules."""

import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from tests.e2e.conftest import World, ask, say, told
from tests.support.llm_server import Call, LLMServer, Reply, Request
from tests.support.terminal import Terminal

SECTION = re.compile(r"context from (/\S+):\n\n(.*)")


def put(path: Path, text: str) -> Path:
    """Write a file and its directories."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def link(path: Path, target: Path) -> None:
    """Make a link in the place of what is there."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    path.symlink_to(target)


def sections(text: str) -> list[tuple[str, str]]:
    """The path in each rules section's heading, and the section's first line."""
    return [(found[1], found[2]) for found in SECTION.finditer(text)]


def reads(*paths: str | Path) -> Iterator[Reply]:
    """One step for each path, so that the reads come one after the other."""
    for path in paths:
        yield Reply(tool_calls=[Call("std_read", {"path": str(path)})])


def new_session(terminal: Terminal, last_question: str) -> None:
    """Begin a new session, which empties the screen."""
    say(terminal, "/new")
    terminal.wait_gone(f"Answer to {last_question}.")


def results(request: Request, count: int) -> list[str]:
    """The texts of the last tool results of a request."""
    return [result.text for result in request.tool_results][-count:]


def written(terminal: Terminal) -> str:
    """All that a program has written to its terminal."""
    return terminal.raw.decode(errors="replace")


def notes(terminal: Terminal) -> list[str]:
    """The ``+ rules`` lines on the screen, in order."""
    return [line.strip() for line in terminal.lines() if "+ rules" in line]


def leave(terminal: Terminal) -> None:
    """Quit."""
    terminal.press("ctrl+d")
    assert terminal.wait_exit() == 0


def test_each_layer_gives_one_message_once_in_order_and_links_are_read_through(world: World) -> None:
    """R1, R2, R3 (never both), R4, R5, R6: the start of a session, and of another after changes on the disk."""
    data = world.home / "elsewhere"  # XDG_DATA_HOME moves the base layer; an empty XDG_CONFIG_HOME counts as unset
    base = put(data / "panto/agent/AGENTS.md", "BASE-RULE\n")
    user = put(world.home / ".config/panto/CLAUDE.md", "USER-RULE\n")
    own = world.write("AGENTS.md", "PROJECT-RULE\n")
    world.write("CLAUDE.md", "NEVER-BOTH\n")
    put(world.home / ".local/share/panto/agent/AGENTS.md", "NOT-THE-BASE\n")
    with LLMServer() as server:
        world.configure(server, "anthropic")
        terminal = world.start(columns=200, rows=60, env={"XDG_DATA_HOME": str(data), "XDG_CONFIG_HOME": ""})
        first = ask(terminal, server, "one")
        assert sections(first.system) == [
            (str(base), "BASE-RULE"),
            (str(user), "USER-RULE"),
            (str(own), "PROJECT-RULE"),
        ]
        assert "NEVER-BOTH" not in first.raw.decode()
        assert "NOT-THE-BASE" not in first.raw.decode()

        own.write_text("CHANGED-RULE\n", encoding="utf-8")
        dotfile = put(world.home / "dotfiles/rules.md", "DOTFILE-RULE\n")
        link(base, own)
        user.unlink()
        link(user.with_name("AGENTS.md"), dotfile)
        second = ask(terminal, server, "two")
        assert second.system == first.system

        new_session(terminal, "two")
        third = ask(terminal, server, "three")
        assert sections(third.system) == [(str(own), "CHANGED-RULE"), (str(dotfile), "DOTFILE-RULE")]
        assert not re.search("(BASE|USER|PROJECT|CHANGED|DOTFILE)-RULE", written(terminal))


def test_what_cannot_be_read_gives_way_with_a_notice_and_what_is_empty_says_nothing(world: World) -> None:
    """R3 (dangling, a directory, a pipe that must not be waited for), R7 (absent, empty, blank)."""
    base, user = world.home / ".local/share/panto/agent", world.home / ".config/panto"
    link(base / "AGENTS.md", base / "gone.md")
    put(base / "CLAUDE.md", "BASE-FALLBACK\n")
    (user / "AGENTS.md").mkdir(parents=True)
    put(user / "CLAUDE.md", "USER-FALLBACK\n")
    os.mkfifo(world.project / "AGENTS.md")
    with LLMServer() as server:
        world.configure(server)
        terminal = world.start(columns=200, rows=60)
        told(terminal, str(base / "AGENTS.md"), "CLAUDE.md is used instead")
        told(terminal, str(user / "AGENTS.md"), "CLAUDE.md is used instead")
        told(terminal, str(world.project / "AGENTS.md"), "can't be read")
        first = ask(terminal, server, "one")
        assert sections(first.system) == [
            (str(base / "CLAUDE.md"), "BASE-FALLBACK"),
            (str(user / "CLAUDE.md"), "USER-FALLBACK"),
        ]

        (base / "AGENTS.md").unlink()
        (base / "CLAUDE.md").unlink()
        (user / "AGENTS.md").rmdir()
        put(user / "AGENTS.md", "")
        (world.project / "AGENTS.md").unlink()
        world.write("AGENTS.md", " \n\t\n\n")
        world.write("CLAUDE.md", "NEVER-BOTH\n")
        new_session(terminal, "one")
        second = ask(terminal, server, "two")
        assert sections(second.system) == []
        assert "context from /" not in second.raw.decode()
        assert "NEVER-BOTH" not in second.raw.decode()
        assert "USER-FALLBACK" not in second.raw.decode()
        assert "AGENTS.md" not in terminal.screen_text()


def nest(world: World) -> None:
    """Rules at several depths, and files to read."""
    world.write("top.py", "top = 1\n")
    world.write("a/AGENTS.md", "OUTER-RULE\n")
    world.write("a/CLAUDE.md", "NEVER-BOTH\n")
    world.write("a/b/CLAUDE.md", "INNER-RULE\n")
    world.write("a/b/x.py", "first = 1\nsecond = 2\nthird = 3\n")
    world.write("c/AGENTS.md", "DIRECTORY-RULE\n")
    world.write("c/d/AGENTS.md", "DEEPER-RULE\n")
    world.write("f/AGENTS.md", "SELF-RULE\n")
    world.write("f/y.py", "y = 1\n")
    world.write("p/AGENTS.md", "ONCE-RULE\n")
    for name in "xyz":
        world.write(f"p/{name}.py", f"{name} = 1\n")


def test_only_reads_bring_rules_whole_or_in_part_and_the_screen_shows_a_line_for_each(world: World) -> None:
    """R8, R9, R10, R11, R12, R13, R15, R16, R17, R18, and R19 for a new session."""
    nest(world)
    others: Sequence[Call] = (
        Call("std_list", {"path": "a/b"}),
        Call("std_glob", {"pattern": "a/**/*.py"}),
        Call("std_grep", {"pattern": "second", "path": "a/b"}),
        Call("std_shell", {"command": "cat a/b/x.py"}),
        Call("std_write", {"path": "a/b/new.py", "content": "new = 1\n"}),
    )
    edit = Call("std_edit", {"path": "a/b/new.py", "old": "new = 1", "new": "new = 2"})
    part = Call("std_read", {"path": "a/b/x.py", "offset": 2, "limit": 1})
    with LLMServer() as server:
        world.configure(server, extra='[permissions]\nallow = ["command.run(cat a/b/x.py)"]\n')
        terminal = world.start(columns=200, rows=60)
        request = ask(terminal, server, "look around", Reply(tool_calls=others), Reply(tool_calls=[edit]))
        assert [result.is_error for result in request.tool_results] == [False] * 6
        world.write("AGENTS.md", "ROOT-RULE\n")  # too late for this session, and the root's never come with a read
        assert ["second = 2" in result.text for result in request.tool_results[2:4]] == [True, True]
        assert (world.project / "a/b/new.py").read_text(encoding="utf-8") == "new = 2\n"
        request = ask(
            terminal,
            server,
            "fail",
            *reads("top.py", "a/b/nope.py"),
            Reply(tool_calls=[Call("std_read", {"path": "a/b/x.py", "offset": 99})]),
        )
        top, missing, beyond = results(request, 3)
        assert "top = 1" in top
        assert "nope.py" in missing
        assert "99" in beyond
        assert not re.search("(ROOT|OUTER|INNER)-RULE", request.raw.decode())
        assert notes(terminal) == []

        request = ask(
            terminal, server, "go", Reply(tool_calls=[part]), *reads("a/b/x.py", "c", "f/AGENTS.md", "f/y.py")
        )
        partial, whole, directory, rules_file, beside_it = results(request, 5)
        own, *attached = partial.split("\n\n---\n\n")
        assert "second = 2" in own
        assert "third = 3" not in own
        assert attached == [
            f"context from {world.project / 'a/AGENTS.md'}:\n\nOUTER-RULE",
            f"context from {world.project / 'a/b/CLAUDE.md'}:\n\nINNER-RULE",
        ]
        assert "third = 3" in whole
        assert sections(whole) == []
        assert "AGENTS.md" in directory.split("\n\n---\n\n")[0]
        assert sections(directory) == [(str(world.project / "c/AGENTS.md"), "DIRECTORY-RULE")]
        assert rules_file.count("SELF-RULE") == 1
        assert "context from" not in rules_file
        assert "y = 1" in beside_it
        assert sections(beside_it) == []
        assert not re.search("(ROOT|DEEPER)-RULE|NEVER-BOTH", request.raw.decode())

        together = Reply(tool_calls=[Call("std_read", {"path": f"p/{name}.py"}) for name in "xyz"])
        request = ask(terminal, server, "at once", together)
        assert [f"{name} = 1" in text for name, text in zip("xyz", results(request, 3), strict=True)] == [True] * 3
        assert "".join(results(request, 3)).count("ONCE-RULE") == 1

        wanted = [f"+ rules: {path}" for path in ("a/AGENTS.md", "a/b/CLAUDE.md", "c/AGENTS.md", "p/AGENTS.md")]
        terminal.wait_for(lambda terminal: notes(terminal) == wanted)
        lines = terminal.lines()
        assert "a/b/x.py" in lines[next(row for row, line in enumerate(lines) if wanted[0] in line) - 1]
        terminal.press("ctrl+o")
        terminal.wait_for("third = 3")  # the read's own output, unfolded, is all there is to see
        assert not re.search("(ROOT|OUTER|INNER|DIRECTORY|ONCE)-RULE", written(terminal))

        new_session(terminal, "at once")
        request = ask(terminal, server, "afresh", *reads("a/b/x.py"))
        assert [first for _, first in sections(results(request, 1)[0])] == ["OUTER-RULE", "INNER-RULE"]
        assert [first for _, first in sections(request.system)] == ["ROOT-RULE"]


def test_links_count_as_what_they_lead_to_and_what_is_outside_brings_nothing(world: World) -> None:
    """R5, R11 (a dangling one gives way), R13 (one real file once), R14, R16 for a linked rules file."""
    project, outside = world.project, world.project.parent
    put(outside / "AGENTS.md", "PARENT-RULE\n")
    put(outside / "shop-x/AGENTS.md", "SIBLING-RULE\n")
    put(outside / "shop-x/x.py", "x = 1\n")
    put(outside / "far/deep/AGENTS.md", "FAR-RULE\n")
    put(outside / "far/deep/x.py", "x = 1\n")
    link(project / "out", outside / "far/deep")
    user = put(world.home / ".config/panto/AGENTS.md", "USER-RULE\n")
    for name in "abcdeg":
        world.write(f"{name}/x.py", "x = 1\n")
    world.write("a/AGENTS.md", "INSIDE-RULE\n")
    link(outside / "far/in", project / "a")
    shared = world.write("shared/rules.md", "SHARED-RULE\n")
    link(project / "b/AGENTS.md", shared)
    link(project / "c/CLAUDE.md", shared)
    link(project / "d/AGENTS.md", user)
    link(project / "e/AGENTS.md", world.write("shared/e.md", "LINKED-RULE\n"))
    link(project / "g/AGENTS.md", project / "gone.md")
    world.write("g/CLAUDE.md", "FALLBACK-RULE\n")
    with LLMServer() as server:
        world.configure(server, "anthropic")
        terminal = world.start(columns=200, rows=60)
        paths = ("..", "../shop-x/x.py", outside / "shop-x", outside / "far/deep/x.py", "out/x.py", "out", "d/x.py")
        request = ask(terminal, server, "outside", *reads(*paths))
        assert [result.is_error for result in request.tool_results] == [False] * len(paths)
        assert [sections(text) for text in results(request, len(paths))] == [[]] * len(paths)
        assert not re.search("(PARENT|SIBLING|FAR)-RULE", request.raw.decode())
        assert request.raw.decode().count("USER-RULE") == 1
        assert notes(terminal) == []

        paths = (outside / "far/in/x.py", "a/x.py", "b/x.py", "c/x.py", "g/x.py")
        request = ask(terminal, server, "inside", *reads(*paths))
        assert [sections(text) for text in results(request, len(paths))] == [
            [(str(project / "a/AGENTS.md"), "INSIDE-RULE")],
            [],
            [(str(shared), "SHARED-RULE")],
            [],
            [(str(project / "g/CLAUDE.md"), "FALLBACK-RULE")],
        ]
        wanted = ["+ rules: a/AGENTS.md", "+ rules: shared/rules.md", "+ rules: g/CLAUDE.md"]
        terminal.wait_for(lambda terminal: notes(terminal) == wanted)
        told(terminal, str(project / "g/AGENTS.md"), "CLAUDE.md is used instead")

        request = ask(terminal, server, "itself", *reads("e/AGENTS.md", "e/x.py"))
        itself, beside_it = results(request, 2)
        assert "LINKED-RULE" in itself
        assert sections(itself) == []
        assert sections(beside_it) == []


def test_a_resumed_session_knows_which_rules_it_holds(world: World) -> None:
    """R19: what was attached, what was read itself, and what came by an import is there; the rest still comes."""
    world.write("AGENTS.md", "ROOT-RULE\n")
    for name in "abkmn":
        world.write(f"{name}/x.py", "x = 1\n")
        world.write(f"{name}/AGENTS.md", f"{name}-RULE\n")
    world.write("k/AGENTS.md", "k-RULE\n@../m/AGENTS.md\n")
    with LLMServer() as server:
        world.configure(server)
        terminal = world.start(columns=200, rows=60)
        request = ask(terminal, server, "one", *reads("a/x.py", "b/AGENTS.md", "k/x.py"))
        assert [len(sections(text)) for text in results(request, 3)] == [1, 0, 1]
        assert "m-RULE" in results(request, 1)[0]
        leave(terminal)

        again = world.start("--continue", columns=200, rows=60)
        again.wait_for("Answer to one.")
        request = ask(again, server, "two", *reads("a/x.py", "b/x.py", "k/x.py", "n/x.py", "m/x.py"))
        assert [text.count("-RULE") for text in results(request, 5)[:4]] == [0, 0, 0, 1]
        assert "n-RULE" in results(request, 2)[0]
        assert sections(request.system) == [(str(world.project / "AGENTS.md"), "ROOT-RULE")]
        assert "m-RULE" not in results(request, 1)[0]


ESCAPES = "\x1b]0;OWNED\x07\x1b[31m\x1b[2J"


def test_large_rules_are_cut_imports_stand_in_and_escape_codes_stay_out_of_the_terminal(world: World) -> None:
    """R21, the imports, and rules as text that is never interpreted."""
    base = world.home / ".local/share/panto/agent"
    put(base / "AGENTS.md", f"BASE-RULE {ESCAPES} [bold red]markup[/]\n")
    user = put(
        world.home / ".config/panto/AGENTS.md",
        "USER-RULE\n@more/style.md\n@more/style.md\n@missing.md\n```\n@more/fenced.md\n```\n@d1.md\n",
    )
    put(user.parent / "more/style.md", "STYLE-RULE\n@../AGENTS.md\n@deeper.md\n")
    put(user.parent / "more/deeper.md", "DEEPER-RULE\n@style.md\n")
    put(user.parent / "more/fenced.md", "FENCED-RULE\n")
    for depth in range(1, 7):
        put(user.parent / f"d{depth}.md", f"DEPTH-{depth}\n@d{depth + 1}.md\n")
    own = world.write("AGENTS.md", "x" + "é" * 40_000 + "END-OF-RULES\n")
    hidden = put(world.project.parent / f"secret{ESCAPES}.md", "SECRET\n")
    world.write("src/AGENTS.md", f"SRC-RULE {ESCAPES}\n@{hidden}\n")
    world.write(f"src/{ESCAPES}/AGENTS.md", "HOSTILE-RULE\n")
    world.write(f"src/{ESCAPES}/x.py", "x = 1\n")
    with LLMServer() as server:
        world.configure(server, "anthropic")
        terminal = world.start(columns=200, rows=60)
        told(terminal, str(own), "80014 bytes", "65536")
        told(terminal, "d6.md", "left out", "5")
        request = ask(terminal, server, "one")
        system = request.system
        assert ESCAPES in system
        assert re.search(r"é\s+\[cut[^\]\n]*65536[^\]\n]*80014[^\]\n]*\]", system)
        assert "\ufffd" not in system
        assert "END-OF-RULES" not in system
        assert len(system[system.index("xé") :].encode()) < 65_536 + 200
        assert [system.count(f"{name}-RULE") for name in ("USER", "STYLE", "DEEPER", "FENCED")] == [1, 1, 1, 0]
        assert system.index("USER-RULE") < system.index("STYLE-RULE") < system.index("DEEPER-RULE")
        assert "@missing.md" in system
        assert "@more/fenced.md" in system
        assert "@more/style.md" not in system
        assert [system.count(f"DEPTH-{depth}") for depth in range(1, 7)] == [1, 1, 1, 1, 1, 0]
        assert len(sections(system)) == 3

        request = ask(terminal, server, "two", *reads(f"src/{ESCAPES}/x.py", "src/AGENTS.md"))
        attached, rules_file = results(request, 2)
        assert "SRC-RULE" in attached
        assert "HOSTILE-RULE" in attached
        assert "SECRET" not in request.raw.decode()
        assert "SRC-RULE" in rules_file
        told(terminal, "secret", "left out")
        terminal.wait_for(lambda terminal: len(notes(terminal)) == 2)
        say(terminal, "/rules")
        told(terminal, str(user))
        assert not re.search("(BASE|USER|STYLE|DEEPER|HOSTILE|SRC)-RULE", written(terminal))
        terminal.press("ctrl+o")
        terminal.wait_for("SRC-RULE")  # of the file that was read itself
        leave(terminal)
        assert "OWNED" not in terminal.title
        assert "\x1b]0;OWNED" not in written(terminal)
        assert "HOSTILE-RULE" not in written(terminal)


def test_imports_can_be_switched_off(world: World) -> None:
    """``[rules] imports = false``: the line stays a line, at the start and in a read."""
    world.write("AGENTS.md", "ROOT-RULE\n@style.md\n")
    world.write("style.md", "STYLE-RULE\n")
    world.write("src/AGENTS.md", "SRC-RULE\n@../style.md\n")
    world.write("src/x.py", "x = 1\n")
    with LLMServer() as server:
        world.configure(server, extra="[rules]\nimports = false\n")
        terminal = world.start(columns=200, rows=60)
        request = ask(terminal, server, "one", *reads("src/x.py"))
        assert "ROOT-RULE\n@style.md" in request.system
        assert "SRC-RULE\n@../style.md" in results(request, 1)[0]
        assert "STYLE-RULE" not in request.raw.decode()
