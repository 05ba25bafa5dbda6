"""What the user is asked before a call runs, and what they may answer."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias

from panto.tools import Need


@dataclass(frozen=True)
class ApprovalRequest:
    """What waits for the user: what it is (a tool's name, or a command's), what it needs, and why they are asked."""

    title: str
    summary: str
    needs: tuple[Need, ...]
    why: str


@dataclass(frozen=True)
class Approval:
    """The user's answer. ``always`` holds for the very same needs until the program ends; the model gets ``reason``."""

    verdict: Literal["once", "always", "no"]
    reason: str = ""


Approve: TypeAlias = Callable[[ApprovalRequest], Awaitable[Approval]]
"""Asks the user. It is cancelled when the turn is stopped."""
