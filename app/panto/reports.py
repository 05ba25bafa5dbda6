"""What the subcommands print: plain text, a list of lines each."""

import asyncio
import sys
from argparse import ArgumentParser
from collections.abc import Sequence
from pathlib import Path

from panto.config import load as load_config
from panto.config.diagnostics import visible
from panto.config.show import effective
from panto.loader import Extension
from panto.paths import Paths
from panto.permissions.approval import Approval, ApprovalRequest
from panto.program import Options, open_program


def config(project: Path) -> list[str]:
    """The effective config of a project as TOML, with the origin of each value."""
    return effective(load_config(Paths.discover(project)))


def extensions(project: Path) -> list[str]:
    """Every extension of a project: id, layer, state, and what it registered or what is wrong with it."""
    return asyncio.run(_extensions(project))


async def _extensions(project: Path) -> list[str]:
    async with open_program(Options(project), _nobody_to_ask) as program:
        await program.load()
        return [_line(extension) for extension in program.loader.extensions]


def subcommand(project: Path, name: str, arguments: Sequence[str]) -> int:
    """Run a subcommand that an extension offers, and give its exit status; 2 if there is none of that name."""
    return asyncio.run(_subcommand(project, name, arguments))


async def _subcommand(project: Path, name: str, arguments: Sequence[str]) -> int:
    async with open_program(Options(project), _nobody_to_ask) as program:
        await program.load()
        found = program.offers.subcommands.get(name)
        if found is None:
            there = ", ".join(other.name for other in program.offers.subcommands.all())
            print(f"panto-py: there is no directory {name} here, and no subcommand of that name", file=sys.stderr)
            print(f"extensions offer: {there or 'none'}; panto-py extensions says which are on", file=sys.stderr)
            return 2
        parser = ArgumentParser(prog=f"panto-py {name}", description=found.description)
        found.arguments(parser)
        return await found.run(parser.parse_args(arguments), _say)


def _say(line: str) -> None:
    print("\n".join(map(visible, line.split("\n"))))


async def _nobody_to_ask(_request: ApprovalRequest) -> Approval:
    return Approval("no")


def _line(extension: Extension) -> str:
    what = extension.why or registered(extension)
    return f"{extension.id:<24} {extension.candidate.layer:<9} {extension.state:<10} {what}".rstrip()


def registered(extension: Extension) -> str:
    """What an extension has registered, such as ``tool std.read, handler tool_result``."""
    handles = extension.host.handles if extension.host else ()
    return ", ".join(f"{handle.kind} {handle.name}" for handle in handles)
