"""Subcommands of ``panto-py``: what an extension offers on the command line, to print and to exit."""

from argparse import ArgumentParser, Namespace
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeAlias

from panto.offers.registry import Registry

Say: TypeAlias = Callable[[str], None]
"""Prints a line. Text from outside is made safe for the terminal on the way."""


class SubcommandError(Exception):
    """A subcommand can't do what was asked. The message is one line for the user; the exit status is 2."""


@dataclass(frozen=True)
class Subcommand:
    """``panto-py NAME``. ``arguments`` tells a parser what may follow; ``run`` gets that, and gives the exit status.

    ``run`` may raise `SubcommandError`.
    """

    name: str
    description: str
    arguments: Callable[[ArgumentParser], None]
    run: Callable[[Namespace, Say], Awaitable[int]]


def subcommand_registry() -> Registry[Subcommand]:
    """A place for subcommands."""
    return Registry("subcommand ", lambda subcommand: (subcommand.name,))
