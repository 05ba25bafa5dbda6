"""Skills, as the model is offered and given them and as the user hears of them: the ids are those of the list."""

import os
import re
from pathlib import Path

import msgspec
import pytest

from tests.e2e.conftest import WIRES, World, ask, say, told
from tests.support.llm_server import Call, LLMServer, Reply, Request

ESCAPES = "\x1b]0;OWNED\x07\x1b[31m"


def skill(root: Path, name: str, description: str, body: str = "Do it well.\n", *, directory: str = "") -> Path:
    """Write a skill below a root, and give its directory. ``description`` may go on with more lines of front matter."""
    place = root / (directory or name)
    place.mkdir(parents=True, exist_ok=True)
    text = f"---\nname: {name}\ndescription: {description}\n---\n{body}"
    (place / "SKILL.md").write_text(text, encoding="utf-8")
    return place


def offer(request: Request) -> tuple[str, list[str]]:
    """The description of the skill tool in a request, and the names that its schema takes."""
    tool = ("tools", request.tool_names.index("agent_skill"))
    wrapped, schema = ((), "input_schema") if request.wire == "anthropic" else (("function",), "parameters")
    names = request.at(*tool, *wrapped, schema, "properties", "name", "enum")
    return str(request.at(*tool, *wrapped, "description")), msgspec.convert(names, list[str])


def call(name: str) -> Reply:
    """A step that loads a skill."""
    return Reply(tool_calls=[Call("agent_skill", {"name": name})])


def test_every_root_is_looked_into_and_later_ones_stand_in_front(world: World) -> None:
    """S1 with all roots and ``[skills] paths``, S2, S3, S4, S5; what is no skill or not for the model is left out."""
    extra, more = world.project.parent / "extra", world.home / "more-skills"
    roots = [
        world.home / ".local/share/panto/agent/skills",
        world.home / ".config/panto/skills",
        *(world.home / name / "skills" for name in (".claude", ".agents", ".agent")),
        *(world.project / name / "skills" for name in (".claude", ".agents", ".panto", ".agent")),
        extra,
        more,
    ]
    for number, root in enumerate(roots):
        skill(root, f"only-{number}", f"alone in root {number}.")
        for other in (number, number - 1):
            skill(root, f"clash-{other}", f"clashing from root {number}.")
    skill(roots[7], "front-name", "named otherwise.", "Go by the front matter.\n", directory="directory-name")
    skill(roots[7], "hidden", "for people only.\ndisable-model-invocation: true")
    skill(roots[7], "small", "spelled wrongly.").joinpath("SKILL.md").rename(roots[7] / "small/skill.md")
    (roots[7] / "nothing").mkdir()
    with LLMServer() as server:
        world.configure(server, extra=f'[skills]\npaths = ["{extra}", "~/more-skills"]\n')
        terminal = world.start(columns=200, rows=100)
        first = ask(terminal, server, "one")
        description, names = offer(first)
        count = len(roots)
        clashes = [f"clash-{number}" for number in range(-1, count)]
        assert sorted(names) == sorted([*clashes, *(f"only-{number}" for number in range(count)), "front-name"])
        lines = description.splitlines()
        for number in range(count):
            assert f"- only-{number}: alone in root {number}." in lines
            assert f"- clash-{number}: clashing from root {min(number + 1, count - 1)}." in lines
        assert "- front-name: named otherwise." in lines
        assert description.count("clashing from root") == count + 1
        assert not re.search("directory-name|for people only|spelled wrongly", first.raw.decode())

        skill(roots[7], "late", "came after the start.")
        second = ask(terminal, server, "two", call("front-name"))
        assert offer(second) == (description, names)
        (result,) = second.tool_results
        assert "Go by the front matter." in result.text
        assert str(roots[7] / "directory-name") in result.text

        say(terminal, "/skills")
        told(terminal, "~/more-skills/clash-9/SKILL.md", "shadows", str(roots[9] / "clash-9/SKILL.md"))
        told(terminal, ".panto/skills/directory-name/SKILL.md", ":2:", "name_mismatch", "directory-name")
        told(terminal, "hidden", "not offered to the model")


def test_what_is_refused_missing_or_too_long_is_named_and_the_rest_is_offered(world: World) -> None:
    """A refused skill with file, line and reason; ``compat = false``; a missing path; the descriptions' budget."""
    own, user = world.project / ".panto/skills", world.home / ".config/panto/skills"
    for place in (world.home, world.project):
        skill(place / ".claude/skills", f"claude-{place.name}", "of another agent.")
        skill(place / ".agents/skills", f"shared-{place.name}", "ok.")
    skill(user, "long", "A long description that goes on and on, much longer than there is room for. " * 3)
    unclosed = skill(own, "unclosed", 'hunter2\nlicense: "opened')
    nameless = skill(own, "", "hunter2", directory="nameless")
    silent = skill(own, "silent", "")
    latin = skill(own, "latin", "gr")
    (latin / "SKILL.md").write_bytes(b"---\nname: latin\ndescription: gr\xf6\xdfe\n---\n")
    stray = skill(own, "stray", f"hunter2\nstray{ESCAPES}line")
    missing = world.project.parent / "not-there"
    extra = f'[skills]\npaths = ["{missing}"]\ncompat = false\ndescription_budget = 60\n'
    with LLMServer() as server:
        world.configure(server, "anthropic", extra)
        terminal = world.start(columns=200, rows=100)
        told(terminal, str(missing), "does not exist")
        told(terminal, f"{unclosed / 'SKILL.md'}:4:", "license", "never closed")
        told(terminal, str(nameless / "SKILL.md"), "name", "missing")
        told(terminal, f"{silent / 'SKILL.md'}:3:", "description", "missing")
        told(terminal, str(latin / "SKILL.md"), "UTF-8")
        told(terminal, f"{stray / 'SKILL.md'}:4:")
        told(terminal, "description_budget", "60", "shortened")
        request = ask(terminal, server, "one")
        description, names = offer(request)
        assert sorted(names) == ["long", "shared-home", "shared-shop"]
        lines = description.splitlines()
        assert "- shared-home: ok." in lines
        assert "- shared-shop: ok." in lines
        (cut,) = (line for line in lines if line.startswith("- long: "))
        assert cut.startswith("- long: A long description that goes on")
        assert cut.endswith("…")
        assert len(cut) <= len("- long: ") + 60 - 2 * len("ok.")
        assert "of another agent" not in request.raw.decode()
        written = terminal.raw.decode(errors="replace")
        assert "hunter2" not in written + request.raw.decode()
        assert "\x1b]0;OWNED" not in written
        assert "OWNED" not in terminal.title


def test_a_call_gives_the_instructions_once_and_lists_the_files(world: World) -> None:
    """S6, attachments, unknown names, a second call, a new session and a resumed one."""
    body = f"# Totals\n\nRound {ESCAPES}half to even.\n\n---\n\nSee scripts/round.py.\n"
    place = skill(world.home / ".agents/skills", "totals", f"How totals {ESCAPES}are rounded.\nlicense: MIT", body)
    (place / "scripts").mkdir()
    (place / "scripts/round.py").write_text("ATTACHED = 1\n", encoding="utf-8")
    (place / "picture.bin").write_bytes(b"\x00\xff" * 50)
    os.mkfifo(place / "pipe")
    with LLMServer() as server:
        world.configure(server, "anthropic")
        terminal = world.start(columns=200, rows=100)
        read = Reply(tool_calls=[Call("std_read", {"path": str(place / "scripts/round.py")})])
        request = ask(terminal, server, "one", call("total"), call("totals"), call("totals"))
        unknown, first, again = request.tool_results
        assert [unknown.is_error, first.is_error, again.is_error] == [True, False, False]
        assert "'total'" in unknown.text
        preamble, _, instructions = first.text.partition("# Totals")
        assert str(place) in preamble
        assert "elative" in preamble
        assert f"Round {ESCAPES}half to even.\n\n---\n\nSee scripts/round.py." in instructions
        assert not re.search(r"name: totals|description:|license: MIT", first.text)
        assert re.search(r"scripts/round\.py \(13\b", instructions)
        assert re.search(r"picture\.bin \(100\b", instructions)
        assert not re.search(r"SKILL\.md|pipe", instructions)
        assert "already" in again.text
        assert "half to even" not in again.text
        assert len(again.text) < 200
        assert "ATTACHED" not in request.raw.decode()
        request = ask(terminal, server, "two", read)
        assert "ATTACHED = 1" in request.tool_results[-1].text

        terminal.press("ctrl+o")
        terminal.wait_for("See scripts/round.py.")
        say(terminal, "/skills")
        told(terminal, "How totals", "are rounded.")
        say(terminal, "/new")
        terminal.wait_gone("Answer to two.")
        request = ask(terminal, server, "three", call("totals"))
        (fresh,) = request.tool_results
        assert "half to even." in fresh.text
        terminal.press("ctrl+d")
        assert terminal.wait_exit() == 0
        assert "\x1b]0;OWNED" not in terminal.raw.decode(errors="replace")
        assert "OWNED" not in terminal.title

        resumed = world.start("--continue", columns=200, rows=100)
        resumed.wait_for("Answer to three.")
        request = ask(resumed, server, "four", call("totals"))
        before, note = request.tool_results
        assert "half to even." in before.text
        assert "already" in note.text
        assert "half to even." not in note.text


@pytest.mark.parametrize(("wire", "denied"), [(WIRES[0], False), (WIRES[1], True)])
def test_with_none_there_is_no_tool_and_no_word_of_them(world: World, wire: str, denied: bool) -> None:
    """S7: no skills, no tool. S8: nor when ``deny`` switches it off; then the command is gone as well."""
    if denied:
        skill(world.project / ".panto/skills", "totals", "How totals are rounded.")
    with LLMServer() as server:
        world.configure(server, wire, '[extensions]\ndeny = ["agent.skill"]\n' if denied else "")
        terminal = world.start(columns=200, rows=100)
        request = ask(terminal, server, "one")
        assert "std_read" in request.tool_names
        assert "agent_skill" not in request.tool_names
        assert "skill" not in request.raw.decode().lower()
        say(terminal, "/skills")
        told(terminal, "no command /skills" if denied else "No skills")


def test_a_skill_can_be_loaded_by_hand(world: World) -> None:
    """``/skill:name`` with arguments: the model gets the instructions, the user sees what was typed."""
    place = skill(world.home / ".config/panto/skills", "totals", "How totals are rounded.", "Round half to even.\n")
    with LLMServer([Reply("With care, then.")]) as server:
        world.configure(server)
        terminal = world.start(columns=200, rows=100)
        say(terminal, "/skill:totals with care")
        terminal.wait_for("With care, then.")
        (request,) = server.wait_for_requests(1)
        (text,) = request.user_texts
        assert "Round half to even." in text
        assert str(place) in text
        assert "with care" in text
        assert "description:" not in text
        assert "Round half to even." not in terminal.screen_text()
        request = ask(terminal, server, "two", call("totals"))
        (note,) = request.tool_results
        assert "already" in note.text
        assert "Round half to even." not in note.text


def test_tool_lists_deny_and_limit_and_a_project_grants_nothing(world: World) -> None:
    """``disallowed-tools`` deny, ``allowed-tools`` limit, in other agents' names; an unknown one is announced."""
    own, user = world.project / ".panto/skills", world.home / ".config/panto/skills"
    world.write("x.py", "x = 1\n")
    skill(own, "careful", "denies.\ndisallowed-tools: Bash")
    skill(user, "frugal", "limits.\nallowed-tools: Read Frobnicate")
    skill(own, "eager", "grants.\nallowed-tools: Bash(touch ran)")
    touch = Reply(tool_calls=[Call("std_shell", {"command": "touch ran"})])
    write = Reply(tool_calls=[Call("std_write", {"path": "written", "content": "w\n"})])
    read = Reply(tool_calls=[Call("std_read", {"path": "x.py"})])
    with LLMServer() as server:
        world.configure(server, "anthropic")
        terminal = world.start(columns=200, rows=100)
        request = ask(terminal, server, "one", call("careful"), touch, write)
        assert [result.is_error for result in request.tool_results] == [False, True, False]
        assert "careful" in request.tool_results[1].text

        (world.project / "written").unlink()
        say(terminal, "/new")
        terminal.wait_gone("Answer to one.")
        request = ask(terminal, server, "two", call("frugal"), read, write)
        assert [result.is_error for result in request.tool_results] == [False, False, True]
        assert "frugal" in request.tool_results[2].text
        assert not (world.project / "written").exists()
        told(terminal, "Frobnicate")

        say(terminal, "/new")
        terminal.wait_gone("Answer to two.")
        server.add(call("eager"), touch, Reply("As you wish."))
        say(terminal, "three")
        terminal.wait_for("3. No")
        terminal.wait_gone("Tab to answer")
        terminal.press("3")
        terminal.wait_for("As you wish.")
        assert not (world.project / "ran").exists()
