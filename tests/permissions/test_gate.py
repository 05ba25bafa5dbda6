from collections.abc import Sequence
from itertools import product
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from panto.events import Mode, Verdict
from panto.permissions.gate import Gate, Judgement, read_rules, strictest
from panto.permissions.paths import is_inside, real
from panto.tools import Ability, Need

MODES: tuple[Mode, ...] = ("plan", "ask", "build")
VERDICTS: tuple[Verdict, ...] = ("allow", "ask", "deny")

TABLE: dict[tuple[Ability, str], tuple[Verdict, Verdict, Verdict]] = {  # plan, ask, build
    ("fs.read", "inside"): ("allow", "allow", "allow"),
    ("fs.read", "/etc/hosts"): ("allow", "allow", "allow"),
    ("skill.use", "review"): ("allow", "allow", "allow"),
    ("env.read", "PATH"): ("allow", "allow", "allow"),
    ("fs.write", "inside"): ("deny", "ask", "allow"),
    ("fs.write", "inside/new/deep/file"): ("deny", "ask", "allow"),
    ("fs.write", "/etc/hosts"): ("deny", "ask", "ask"),
    ("command.run", "ls"): ("deny", "ask", "ask"),
    ("net.http", "example.org"): ("deny", "ask", "ask"),
    ("mcp.use", "github.search"): ("deny", "ask", "ask"),
}


def gate(
    project: Path, mode: Mode = "build", *, deny: Sequence[str] = (), ask: Sequence[str] = (), allow: Sequence[str] = ()
) -> Gate:
    made, problems = read_rules(deny, ask, allow)
    assert not problems
    return Gate(project, mode, made)


def need(ability: Ability, subject: str, project: Path) -> Need:
    return Need(ability, str(project / subject) if ability.startswith("fs.") else subject)


@pytest.mark.parametrize(("what", "verdicts"), TABLE.items())
def test_what_happens_in_which_mode(
    tmp_path: Path, what: tuple[Ability, str], verdicts: tuple[Verdict, Verdict, Verdict]
) -> None:
    for mode, verdict in zip(MODES, verdicts, strict=True):
        judgement = gate(tmp_path, mode).judge([need(*what, tmp_path)])
        assert judgement.verdict == verdict, mode
        assert bool(judgement.why) is (verdict != "allow")


def test_a_call_that_needs_nothing_runs(tmp_path: Path) -> None:
    for mode in MODES:
        assert gate(tmp_path, mode).judge([]) == Judgement("allow")


def test_the_strictest_need_decides(tmp_path: Path) -> None:
    needs = [need("fs.read", "a", tmp_path), Need("command.run", "ls"), need("fs.write", ".env", tmp_path)]
    guarded = gate(tmp_path, deny=["fs.write(**/.env)"])
    assert guarded.judge(needs[:1]).verdict == "allow"
    assert guarded.judge(needs[:2]).verdict == "ask"
    judgement = guarded.judge(needs)
    assert judgement.verdict == "deny"
    assert "fs.write(**/.env)" in judgement.why


@given(st.lists(st.builds(Judgement, st.sampled_from(VERDICTS), st.text())))
def test_deny_over_ask_over_allow_and_the_first_of_equals(judgements: list[Judgement]) -> None:
    found = strictest(judgements)
    if judgements:
        highest = max(VERDICTS.index(judgement.verdict) for judgement in judgements)
        assert found is next(one for one in judgements if VERDICTS.index(one.verdict) == highest)
    else:
        assert found == Judgement("allow")


def test_a_deny_rule_beats_everything(tmp_path: Path) -> None:
    secret = need("fs.read", ".env", tmp_path)
    for mode in MODES:
        guarded = gate(tmp_path, mode, deny=["fs.read(**/.env*)"], allow=["fs.read"])
        guarded.grant([secret])
        assert guarded.judge([secret]).verdict == "deny"


def test_rules_from_strict_to_lax(tmp_path: Path) -> None:
    guarded = gate(tmp_path, deny=["command.run(sudo *)"], ask=["command.run(git push*)"], allow=["command.run(git *)"])
    for command, verdict in [("sudo git status", "deny"), ("git push", "ask"), ("git status", "allow"), ("ls", "ask")]:
        assert guarded.judge([Need("command.run", command)]).verdict == verdict


def test_an_ask_rule_asks_for_what_would_run(tmp_path: Path) -> None:
    judgement = gate(tmp_path, ask=["fs.read(**/*.pem)"]).judge([need("fs.read", "a/key.pem", tmp_path)])
    assert judgement == Judgement("ask", "a rule asks: fs.read(**/*.pem)")


def test_an_allow_rule_does_not_lift_plan(tmp_path: Path) -> None:
    for allow in (["fs.write"], ["command.run"], ["net.http"]):
        guarded = gate(tmp_path, "plan", allow=allow)
        for ability in ("fs.write", "command.run", "net.http"):
            assert guarded.judge([need(ability, "x", tmp_path)]).verdict == "deny"


def test_an_allow_rule_never_covers_a_command_with_shell_syntax(tmp_path: Path) -> None:
    guarded = gate(tmp_path, allow=["command.run(git *)", "command.run"])
    assert guarded.judge([Need("command.run", "git status")]).verdict == "allow"
    for command in (
        "git status; rm -rf x",
        "git status && x",
        "git log | sh",
        "git $(x)",
        "git `x`",
        "git a\nx",
        "git > x",
    ):
        assert guarded.judge([Need("command.run", command)]).verdict == "ask"


def test_a_link_out_of_the_project_is_outside(tmp_path: Path) -> None:
    project, outside = tmp_path / "shop", tmp_path / "elsewhere"
    for directory in (project, outside):
        directory.mkdir()
    (project / "link").symlink_to(outside)
    (project / "file").symlink_to(outside / "not-there-yet")
    (outside / "back").symlink_to(project)
    guarded = gate(project)
    for path, verdict in [
        (project / "link" / "a", "ask"),
        (project / "file", "ask"),
        (project / "a", "allow"),
        (outside / "back" / "a", "allow"),
        (project, "allow"),
        (tmp_path / "shop2" / "a", "ask"),
    ]:
        assert guarded.judge([Need("fs.write", str(path))]).verdict == verdict, path


def test_a_grant_is_exact(tmp_path: Path) -> None:
    guarded = gate(tmp_path)
    granted = [Need("command.run", "npm test"), Need("fs.write", "/outside/a")]
    guarded.grant(granted)
    assert guarded.judge(granted).verdict == "allow"
    for other in (
        Need("command.run", "npm test "),
        Need("command.run", "npm test; rm -rf x"),
        Need("command.run", "npm"),
        Need("fs.write", "/outside/b"),
        Need("net.http", "npm test"),
    ):
        assert guarded.judge([other]).verdict == "ask"
    guarded.mode = "plan"
    assert guarded.judge(granted).verdict == "deny"


def test_a_grant_answers_an_ask_rule_too(tmp_path: Path) -> None:
    guarded = gate(tmp_path, ask=["command.run(git push*)"])
    guarded.grant([Need("command.run", "git push")])
    assert guarded.judge([Need("command.run", "git push")]).verdict == "allow"
    assert guarded.judge([Need("command.run", "git push -f")]).verdict == "ask"


def test_what_can_not_be_read_is_told_and_a_deny_closes_its_category(tmp_path: Path) -> None:
    rules, problems = read_rules(["fs.reed(x)", "net.http"], ["comand.run"], ["command.rum(ls)", "fs.write(a)"])
    assert [problem.partition(" is no ")[0] for problem in problems] == [
        "'fs.reed(x)'",
        "'comand.run'",
        "'command.rum(ls)'",
    ]
    guarded = Gate(tmp_path, "build", rules)
    closed: tuple[Ability, ...] = ("fs.read", "fs.write", "net.http")
    for ability in closed:
        assert guarded.judge([need(ability, "a", tmp_path)]).verdict == "deny"
    assert guarded.judge([Need("command.run", "a")]).verdict == "ask"


def test_a_deny_that_says_nothing_closes_everything(tmp_path: Path) -> None:
    rules, _ = read_rules(["sudo *"], [], ["command.run"])
    abilities: tuple[Ability, ...] = ("fs.read", "command.run", "mcp.use")
    for mode, ability in product(MODES, abilities):
        judgement = Gate(tmp_path, mode, rules).judge([need(ability, "ls", tmp_path)])
        assert judgement.verdict == "deny"
        assert "can't be read" in judgement.why


def test_where_a_path_really_is(tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    assert real(tmp_path / "a") == tmp_path / "a"
    assert real(tmp_path / "gone" / "deep") == tmp_path.resolve() / "gone" / "deep"
    assert real(Path("/p/a\0b")) == Path("/p/a\0b")
    assert is_inside(tmp_path, tmp_path)
    assert not is_inside(tmp_path.parent, tmp_path)
