"""What the subcommands print: plain text, a list of lines each."""

import asyncio
import json
import sys
from argparse import ArgumentParser
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from panto.config import load as load_config
from panto.config.diagnostics import visible
from panto.config.show import effective
from panto.loader import Facts
from panto.loader.facts import Cost
from panto.offers import SubcommandError
from panto.paths import Paths
from panto.permissions.approval import Approval, ApprovalRequest
from panto.program import Options, open_program


def config(project: Path) -> list[str]:
    """The effective config of a project as TOML, with the origin of each value."""
    return effective(load_config(Paths.discover(project)))


def extensions(project: Path) -> list[str]:
    """Every extension of a project: id, layer, state, and what it registered or what is wrong with it.

    Below it, indented, what it has cost since the start, and its errors.
    """
    return [line for found in asyncio.run(_extensions(project)) for line in _lines(found)]


def extensions_as_json(project: Path) -> list[str]:
    """The same for machines: one JSON array, with an object for each extension. Its keys are those of `Facts`."""
    found = msgspec.to_builtins(asyncio.run(_extensions(project)), enc_hook=str)
    return [json.dumps(found, indent=2)]  # which is ASCII: what does not print is escaped


async def _extensions(project: Path) -> list[Facts]:
    async with open_program(Options(project), _nobody_to_ask) as program:
        await program.load()
        return await program.switches.facts()


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
        try:
            return await found.run(parser.parse_args(arguments), _say)
        except SubcommandError as error:
            print(f"panto-py {name}: {visible(str(error))}", file=sys.stderr)
            return 2


def _say(line: str) -> None:
    print("\n".join(map(visible, line.split("\n"))))


async def _nobody_to_ask(_request: ApprovalRequest) -> Approval:
    return Approval("no")


def _lines(found: Facts) -> Iterator[str]:
    what = found.why if found.state == "broken" else ", ".join(map(str, found.registered))
    yield visible(f"{found.id:<24} {found.layer:<9} {found.state:<10} {what}".rstrip())
    if found.timings:
        yield visible("    " + ", ".join(f"{event} {_cost(cost)}" for event, cost in found.timings.items()))
    if found.errors:
        yield visible(f"    errors: {found.errors}, the last one: {found.last_error}")


def _cost(cost: Cost) -> str:
    calls = f" in {cost.calls} calls" if cost.calls > 1 else ""
    return f"{cost.total_ms:.1f} ms{calls}"
