"""Tool lists: which calls the lists of a skill or a command deny, allow, or leave to the user."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from panto import Need, ToolCall, ToolCallEvent
from panto_agent._tools import ToolLists

PROJECT = Path("/work/shop")


def call(tool: str, *needs: Need) -> ToolCallEvent:
    """A call that is about to run."""
    return ToolCallEvent("s", ToolCall("1", tool), needs, {})


def shell(command: str) -> ToolCallEvent:
    """A call of the shell."""
    return call("std.shell", Need("command.run", command))


def read(path: str, tool: str = "std.read") -> ToolCallEvent:
    """A call that reads a path."""
    return call(tool, Need("fs.read", str(PROJECT / path)))


def write(path: str) -> ToolCallEvent:
    """A call that writes a path."""
    return call("std.write", Need("fs.write", str(PROJECT / path)))


def edit(path: str) -> ToolCallEvent:
    """A call that edits a path."""
    return call("std.edit", Need("fs.read", str(PROJECT / path)), Need("fs.write", str(PROJECT / path)))


def judged(
    event: ToolCallEvent,
    allowed: Sequence[str] | None = None,
    disallowed: Sequence[str] | None = None,
    *,
    grants: bool = True,
) -> str:
    """What becomes of a call while one skill is active: ``grant``, or the verdict."""
    lists = ToolLists(PROJECT)
    lists.activate("skill totals", allowed=allowed, disallowed=disallowed, grants=grants)
    lists.judge(event)
    verdict, why = event.verdict
    assert why.encode().count(b"\n") == 0  # valid, and on one line
    return "grant" if verdict == "allow" and event.granted else verdict


@pytest.mark.parametrize(
    "entry",
    [
        "Read",
        "read",
        "READ",
        "std.read",
        "std_read",
        "std.*",
        "std_*",
        "*",
        "std.r?ad",
        " Read ",
        "Read(**)",
        "Read(*)",
    ],
)
def test_a_tool_goes_by_several_names(entry: str) -> None:
    assert judged(read("a.py"), [entry]) == "grant"
    assert judged(read("a.py"), None, [entry]) == "deny"


@pytest.mark.parametrize(
    ("entry", "tool"),
    [
        ("Write", "std.write"),
        ("Edit", "std.edit"),
        ("MultiEdit", "std.edit"),
        ("Glob", "std.glob"),
        ("Grep", "std.grep"),
        ("LS", "std.list"),
        ("Bash", "std.shell"),
        ("mcp.github.issues", "mcp.github.issues"),
        ("mcp.github.*", "mcp.github.issues"),
    ],
)
def test_names_from_elsewhere_and_of_other_extensions_mean_one_tool(entry: str, tool: str) -> None:
    assert judged(call(tool), [entry]) == "grant"
    assert judged(call(tool), None, [entry]) == "deny"
    assert judged(call("std.other"), [entry]) == "deny"
    assert judged(call("std.other"), None, [entry]) == "allow"


@pytest.mark.parametrize(
    ("entry", "event", "expected"),
    [
        ("Bash(git *)", shell("git status"), "grant"),
        ("Bash(git *)", shell("git"), "grant"),
        ("Bash(git:*)", shell("git"), "grant"),
        ("Bash(git:*)", shell("git log -3"), "grant"),
        ("Bash(git:*)", shell("gitx"), "deny"),
        ("Bash(git *)", shell("gitx status"), "deny"),
        ("Bash(git:*)", shell("git:status"), "deny"),
        ("Bash(git add:*)", shell("git push"), "deny"),
        ("Bash(:*)", shell("ls"), "grant"),
        ("Bash(ls)", shell("ls -l"), "deny"),
        ("std.shell(ls)", shell("ls"), "grant"),
        ("Bash(git:*)", shell("git log; rm -rf x"), "ask"),
        ("Bash(git:*)", shell('git commit -m "x"'), "ask"),
        ("Bash(git:*)", shell("rm -rf x; git log"), "deny"),
        ("Bash", shell("git log; rm -rf x"), "grant"),
        ("Read(src/**)", read("src/a/b.py"), "grant"),
        ("Read(./src/**)", read("src/a/b.py"), "grant"),
        ("Read(src/**)", read("lib/b.py"), "deny"),
        ("Read(src/**)", read("src/a.py", "std.grep"), "deny"),
        ("Read(src/**)", edit("src/a.py"), "deny"),
        ("Edit(src/**)", edit("src/a.py"), "grant"),
        ("Edit(src/**)", edit("lib/a.py"), "deny"),
        ("Edit(src/**)", read("src/a.py"), "deny"),
        ("Edit", read("src/a.py"), "deny"),
        ("Write(src/**)", write("src/a.py"), "grant"),
        ("Write(src/**)", edit("src/a.py"), "deny"),
        ("Grep(src/**)", read("src", "std.grep"), "deny"),
        ("Grep(src/**)", read("src/a", "std.grep"), "grant"),
        ("Read(src/**)", call("std.read"), "deny"),
        ("Skill(x)", read("a"), "deny"),
        ("Bash()", shell("ls"), "deny"),
        ("Bash(ls", shell("ls"), "deny"),
        ("std.*(ls)", shell("ls"), "deny"),
        ("WebFetch", read("a"), "deny"),
    ],
)
def test_a_pattern_allows_what_falls_under_it_wholly(entry: str, event: ToolCallEvent, expected: str) -> None:
    assert judged(event, [entry]) == expected


@pytest.mark.parametrize(
    ("entry", "event", "expected"),
    [
        ("Bash(sudo *)", shell("sudo ls"), "deny"),
        ("Bash(sudo:*)", shell("sudo"), "deny"),
        ("Bash(sudo:*)", shell("  sudo ls; ls"), "deny"),
        ("Bash(sudo:*)", shell("sudox"), "allow"),
        ("Bash(*rm *)", shell("ls | rm -rf x"), "deny"),
        ("Read(.env)", read(".env"), "deny"),
        ("Read(.env)", read("deep/.env", "std.grep"), "deny"),
        ("Read(.env)", edit(".env"), "deny"),
        ("Read(.env)", write(".env"), "allow"),
        ("Edit(src/**)", edit("src/a.py"), "deny"),
        ("Edit(src/**)", write("src/a.py"), "deny"),
        ("Edit(src/**)", read("src/a.py"), "allow"),
        ("Bash()", shell("ls"), "deny"),
        ("Bash(ls", shell("pwd"), "deny"),
        ("Skill(x)", call("agent.skill"), "allow"),
        ("Skill", call("agent.skill"), "deny"),
        ("web_fetch", call("web.fetch"), "deny"),
    ],
)
def test_a_pattern_rules_out_what_falls_under_it_whichever_tool_does_it(
    entry: str, event: ToolCallEvent, expected: str
) -> None:
    assert judged(event, None, [entry]) == expected


def test_a_path_counts_as_it_really_is(tmp_path: Path) -> None:
    project = tmp_path / "shop"
    (project / "src").mkdir(parents=True)
    (project / "src/out").symlink_to(tmp_path)
    lists = ToolLists(project)
    lists.activate("skill a", allowed=["Read(src/**)"], disallowed=None, grants=True)
    event = call("std.read", Need("fs.read", str(project / "src/out/secret")))
    lists.judge(event)
    assert event.verdict[0] == "deny"


def test_reasons_name_the_skill_and_what_it_allows_or_rules_out() -> None:
    lists = ToolLists(PROJECT)
    lists.activate("skill totals", allowed=["Read", "Bash(git *)", "Nothing"], disallowed=["Bash(rm *)"], grants=True)
    limited, denied, asked = write("a"), shell("rm x"), shell("git log | head")
    for event in (limited, denied, asked):
        lists.judge(event)
    assert "the skill totals allows only Read, Bash(git *), and this call is none of these" in limited.verdict[1]
    assert "std.write" in limited.verdict[1]
    assert "the skill totals rules out Bash(rm *)" in denied.verdict[1]
    assert "the skill totals allows only Read, Bash(git *)" in asked.verdict[1]


def test_a_hostile_list_makes_a_reason_of_one_line_and_bounded_length() -> None:
    event = write("a")
    lists = ToolLists(PROJECT)
    allowed = [f"Read(\n{number})" for number in range(1000)]
    lists.activate("skill a\nb" + "x" * 1000, allowed=allowed, disallowed=None, grants=True)
    lists.judge(event)
    assert event.verdict[0] == "deny"
    assert "\n" not in event.verdict[1]
    assert len(event.verdict[1]) < 1000


@pytest.mark.parametrize("grants", [True, False])
def test_only_a_skill_that_grants_lets_calls_run_without_asking(grants: bool) -> None:
    event = shell("git log")
    assert judged(event, ["Bash(git *)"], grants=grants) == ("grant" if grants else "allow")
    assert judged(write("a"), ["Bash(git *)"], grants=grants) == "deny"


def test_without_a_list_nothing_is_limited_or_allowed() -> None:
    assert judged(write("a")) == "allow"
    assert judged(write("a"), None, []) == "allow"


def test_an_empty_list_allows_nothing_but_loading_skills() -> None:
    assert judged(read("a"), []) == "deny"
    assert judged(read("a"), ["Nonesuch"]) == "deny"
    assert judged(call("agent.skill"), []) == "allow"
    assert judged(call("agent.skill"), ["Nonesuch"], ["Read"]) == "allow"


def test_each_limit_and_each_denial_of_several_holds() -> None:
    lists = ToolLists(PROJECT)
    lists.activate("skill a", allowed=["Read", "Bash(git *)"], disallowed=None, grants=True)
    lists.activate("skill b", allowed=["Read", "Write", "Bash"], disallowed=["Read(.env)"], grants=True)
    lists.activate("skill c", allowed=None, disallowed=["Bash(git push:*)"], grants=False)
    events = {
        "allow": read("a"),
        "a": write("a"),
        "b": read(".env"),
        "c": shell("git push"),
        "ask": shell("git log; rm -rf x"),
    }
    for event in events.values():
        lists.judge(event)
    assert {name: event.verdict[0] for name, event in events.items()} == {
        "allow": "allow",
        "a": "deny",
        "b": "deny",
        "c": "deny",
        "ask": "ask",
    }
    assert all(f"skill {name} " in events[name].verdict[1] for name in "abc")
    lists.clear()
    after = write("a")
    lists.judge(after)
    assert after.verdict[0] == "allow"
    assert not after.granted


def test_activating_again_replaces_the_lists() -> None:
    lists = ToolLists(PROJECT)
    lists.activate("skill a", allowed=["Read"], disallowed=None, grants=True)
    lists.activate("skill a", allowed=["Write"], disallowed=None, grants=True)
    event = write("a")
    lists.judge(event)
    assert event.granted


def test_its_own_files_may_be_read_whatever_the_list_says(tmp_path: Path) -> None:
    own = tmp_path / "totals"
    (own / "references").mkdir(parents=True)
    (own / "out").symlink_to(tmp_path)
    lists = ToolLists(PROJECT)
    lists.activate("skill totals", allowed=["Bash"], disallowed=["Read(secret.md)"], grants=True, directory=own)
    places = {
        "references/more.md": "allow",
        "references": "allow",
        "../other/x": "deny",
        "out/x": "deny",
        "secret.md": "deny",
        "x\0": "deny",
    }
    for place, expected in places.items():
        event = call("std.read", Need("fs.read", f"{own}/{place}"))
        lists.judge(event)
        assert (place, event.verdict[0]) == (place, expected)
        assert not event.granted
    changing = call("std.edit", Need("fs.read", f"{own}/a"), Need("fs.write", f"{own}/a"))
    lists.judge(changing)
    assert changing.verdict[0] == "deny"


def test_what_stands_for_nothing_is_given_back_once() -> None:
    lists = ToolLists(PROJECT)
    allowed = [
        "Read",
        "WebFetch",
        "Skill(x)",
        "std.read",
        "mcp.github.*",
        "mcp__github__*",
        "Bash()",
        "WebFetch",
        "std_*",
    ]

    def activate(name: str) -> tuple[str, ...]:
        return lists.activate(name, allowed=allowed, disallowed=["Task", "Bash"], grants=True)

    assert activate("skill a") == ("WebFetch", "Skill(x)", "mcp__github__*", "Bash()", "Task")
    assert activate("skill a") == ()
    lists.clear()
    assert activate("skill a") == ()
    assert len(activate("skill b")) == 5


def test_a_pattern_of_many_wildcards_takes_no_time_on_a_long_command() -> None:
    long = shell("a" * 5_000)
    assert judged(long, ["Bash(*a*a*a*a*a*a*a*b)"]) == "deny"
    assert judged(long, None, ["Bash(*a*a*a*a*a*a*a*b)"]) == judged(long, None)
    assert judged(shell("a" * 5_000 + "b"), None, ["Bash(*a*a*a*a*a*a*a*b)"]) == "deny"
    assert judged(read("a" * 3_000), ["Read(*a*a*a*a*b)"]) == "deny"
    assert judged(shell("a" * 5_000), ["Bash(a*)"]) == "grant"


NAMES = st.sampled_from(
    ["Read", "Edit", "Bash", "Skill", "std.read", "std_shell", "std.*", "*", "WebFetch", "[", "?", ""]
)
PATTERNS = st.sampled_from(
    ["", "(src/**)", "(git *)", "(git:*)", "(*)", "()", "(", "(~\0/x)", "(~\ud800/x)", "(~/x)", "(a)(b)"]
)
ENTRIES = st.lists(
    st.builds(str.__add__, NAMES, PATTERNS) | st.text(st.characters(exclude_categories=()), max_size=20), max_size=6
)
EVENTS = st.one_of(
    st.builds(
        shell,
        st.text(st.characters(exclude_categories=()), max_size=20)
        | st.sampled_from(["git log", "git", "rm x", "git a; b"]),
    ),
    st.builds(read, st.text(max_size=10).map(lambda text: f"src/{text}")),
    st.builds(edit, st.sampled_from(["src/a.py", "b"])),
    st.builds(call, st.sampled_from(["std.read", "agent.skill", "web.fetch", "mcp.a.b"])),
)


@given(EVENTS, st.none() | ENTRIES, st.none() | ENTRIES, st.booleans())
def test_any_lists_judge_any_call(
    event: ToolCallEvent, allowed: list[str] | None, disallowed: list[str] | None, grants: bool
) -> None:
    result = judged(event, allowed, disallowed, grants=grants)
    if result == "grant":
        assert grants
        assert allowed
    if not allowed and allowed is not None and event.call.name != "agent.skill":
        assert result == "deny"


@given(EVENTS, ENTRIES, ENTRIES)
def test_what_is_ruled_out_is_denied_whatever_is_allowed(
    event: ToolCallEvent, allowed: list[str], disallowed: list[str]
) -> None:
    def again() -> ToolCallEvent:
        return call(event.call.name, *event.needs)

    alone = judged(again(), None, disallowed)
    both = judged(again(), allowed, disallowed)
    if alone == "deny":
        assert both == "deny"
    else:
        assert both == judged(again(), allowed)


@given(EVENTS, ENTRIES, ENTRIES)
def test_an_entry_more_never_narrows_and_what_no_entry_covers_is_denied(
    event: ToolCallEvent, one: list[str], other: list[str]
) -> None:
    def again(allowed: list[str]) -> str:
        return judged(call(event.call.name, *event.needs), allowed)

    order = ["deny", "ask", "allow", "grant"]
    assert order.index(again([*one, *other])) == max(order.index(again(one)), order.index(again(other)))
