import pytest
from hypothesis import given, strategies as st

from panto.loader.policy import Policy

IDS = ["std.read", "std.write", "agent.rules", "mcp.github"]


@pytest.mark.parametrize(
    ("allow", "deny", "on"),
    [
        (["*"], [], IDS),
        (["*"], ["agent.rules"], ["std.read", "std.write", "mcp.github"]),
        (["*"], ["std.*", "mcp.*"], ["agent.rules"]),
        (["std.*"], ["*.write"], ["std.read"]),
        (["std.read"], ["*"], []),
        ([], [], []),
        (["STD.*"], [], []),
        (["std"], [], []),
        (["std.?ead"], [], ["std.read"]),
    ],
)
def test_deny_beats_allow(allow: list[str], deny: list[str], on: list[str]) -> None:
    assert [name for name in IDS if Policy(allow, deny).allows(name)] == on


@given(st.lists(st.text("std.*?read[]!", max_size=8)), st.lists(st.text("std.*?read[]!", max_size=8)))
def test_whatever_is_denied_is_off(allow: list[str], deny: list[str]) -> None:
    for name in IDS:
        if not Policy(["*"], deny).allows(name):
            assert not Policy(allow, deny).allows(name)


def test_globs_without_a_match_are_named_once() -> None:
    policy = Policy(["*", "std.*", "sdt.*"], ["agent.rulez", "mcp.*", "sdt.*"])
    assert policy.idle(IDS) == ["sdt.*", "agent.rulez"]
    assert Policy(["*"]).idle([]) == []
