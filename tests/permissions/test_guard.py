"""The gate with the user behind it."""

from pathlib import Path

import pytest

from panto.permissions.approval import Approval, ApprovalRequest
from panto.permissions.gate import Gate, Judgement, read_rules
from panto.permissions.guard import Guard, PermissionDeniedError
from panto.tools import Need

STATUS = Need("command.run", "git status")


class User:
    """Gives one answer to everything."""

    def __init__(self, answer: Approval) -> None:
        self.answer = answer
        self.asked: list[ApprovalRequest] = []

    async def approve(self, request: ApprovalRequest) -> Approval:
        """The answer."""
        self.asked.append(request)
        return self.answer


def guarded(tmp_path: Path, answer: Approval, **rules: list[str]) -> tuple[Guard, User]:
    """A guard, and the user behind it."""
    user = User(answer)
    read, problems = read_rules(rules.get("deny", []), rules.get("ask", []), rules.get("allow", []))
    assert problems == []
    return Guard(Gate(tmp_path, "build", read), user.approve), user


async def test_the_user_sees_what_it_is_and_why_they_are_asked(tmp_path: Path) -> None:
    guard, user = guarded(tmp_path, Approval("once"))
    await guard.permit([STATUS], title="/review", summary="git status")
    assert user.asked == [ApprovalRequest("/review", "git status", (STATUS,), "it runs a command")]


async def test_always_holds_for_the_very_same_need(tmp_path: Path) -> None:
    guard, user = guarded(tmp_path, Approval("always"))
    for _ in range(2):
        await guard.permit([STATUS], title="t")
    await guard.permit([Need("command.run", "git log")], title="t")
    assert len(user.asked) == 2


async def test_no_is_raised_with_its_reason(tmp_path: Path) -> None:
    guard, _ = guarded(tmp_path, Approval("no", "not on a Friday"))
    with pytest.raises(PermissionDeniedError, match="does not want this to run and says: not on a Friday"):
        await guard.permit([STATUS], title="t")


async def test_a_rule_denies_without_asking(tmp_path: Path) -> None:
    guard, user = guarded(tmp_path, Approval("once"), deny=["command.run(git *)"])
    with pytest.raises(PermissionDeniedError, match=r"a rule of the user's denies it: command.run\(git \*\)"):
        await guard.permit([STATUS], title="t", granted=True)
    assert user.asked == []


async def test_a_grant_lifts_what_is_asked_by_default_alone(tmp_path: Path) -> None:
    guard, user = guarded(tmp_path, Approval("no"), ask=["command.run(git push*)"])
    await guard.permit([STATUS], title="t", granted=True)
    await guard.permit([Need("fs.write", str(tmp_path / "a"))], title="t", granted=True)
    assert user.asked == []
    for need in (Need("command.run", "git push"), Need("fs.write", str(tmp_path.parent / "elsewhere"))):
        with pytest.raises(PermissionDeniedError):
            await guard.permit([need], title="t", granted=True)
    guard.gate.mode = "plan"
    with pytest.raises(PermissionDeniedError, match="the mode is plan"):
        await guard.permit([STATUS], title="t", granted=True)
    assert len(user.asked) == 2


async def test_in_ask_mode_a_grant_lifts_the_asking_for_writes_in_the_project(tmp_path: Path) -> None:
    guard, user = guarded(tmp_path, Approval("no"))
    guard.gate.mode = "ask"
    need = Need("fs.write", str(tmp_path / "a"))
    await guard.permit([need], title="t", granted=True)
    assert user.asked == []
    with pytest.raises(PermissionDeniedError):
        await guard.permit([need], title="t")


async def test_the_strictest_of_opinion_and_gate_counts(tmp_path: Path) -> None:
    guard, user = guarded(tmp_path, Approval("once"))
    with pytest.raises(PermissionDeniedError, match="Denied: the skill says so"):
        await guard.permit([STATUS], title="t", opinion=Judgement("deny", "the skill says so"))
    await guard.permit([], title="t", opinion=Judgement("ask", "it is Friday"), granted=True)
    assert [request.why for request in user.asked] == ["it is Friday"]
