"""The gate with the user behind it: what it asks about, they decide."""

from collections.abc import Sequence

from panto.permissions.approval import ApprovalRequest, Approve
from panto.permissions.gate import ALLOWED, Gate, Judgement, strictest
from panto.tools import Need


class PermissionDeniedError(Exception):
    """Something may not be done. The message says who says so, and why."""


class Guard:
    """Lets through what may be done, and raises for the rest."""

    def __init__(self, gate: Gate, approve: Approve) -> None:
        self.gate = gate
        self._approve = approve

    async def permit(
        self,
        needs: Sequence[Need],
        *,
        title: str,
        summary: str = "",
        opinion: Judgement = ALLOWED,
        granted: bool = False,
    ) -> None:
        """Come back if this may be done, after asking the user where they must be asked.

        ``title`` and ``summary`` say what it is. ``opinion`` is what others think of it: the strictest counts.
        ``granted``: what would be asked only by default is not. Raises `PermissionDeniedError`.
        """
        judgement = strictest((opinion, self.gate.judge(needs, granted=granted)))
        if judgement.verdict == "deny":
            raise PermissionDeniedError(f"Denied: {judgement.why}.")
        if judgement.verdict == "ask":
            await self._ask(ApprovalRequest(title, summary, tuple(needs), judgement.why))

    async def _ask(self, request: ApprovalRequest) -> None:
        approval = await self._approve(request)
        if approval.verdict == "no":
            said = f" and says: {approval.reason}" if approval.reason else ""
            raise PermissionDeniedError(f"The user does not want this to run{said}.")
        if approval.verdict == "always":
            self.gate.grant(request.needs)
