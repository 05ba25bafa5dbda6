"""What is a command, and what is something to say."""

import pytest

from panto.offers import Command, Offers, Registry
from panto.tui.commands import parse_command


async def nothing(_arguments: str) -> None:
    """A command that does nothing."""


@pytest.fixture
def table() -> Registry[Command]:
    """One command with an alias."""
    commands = Offers().commands
    commands.add(Command("model", "choose", nothing, aliases=("m",)))
    return commands


@pytest.mark.parametrize(
    ("text", "arguments"),
    [("/model", ""), ("/m", ""), ("/model a/b", "a/b"), ("  /model  a b ", "a b"), ("/model a\nb", "a\nb")],
)
def test_a_command_with_its_arguments(table: Registry[Command], text: str, arguments: str) -> None:
    parsed = parse_command(text, table)
    assert isinstance(parsed, tuple)
    assert (parsed[0].name, parsed[1]) == ("model", arguments)


def test_a_question_mark_is_a_name(table: Registry[Command]) -> None:
    help_command = Command("help", "", nothing, aliases=("?",))
    table.add(help_command)
    assert parse_command("/?", table) == (help_command, "")
    assert parse_command("/? me", table) == (help_command, "me")


def test_an_unknown_command_is_named(table: Registry[Command]) -> None:
    assert parse_command("/modle x", table) == "modle"


@pytest.mark.parametrize(
    "text", ["hello", "/etc/hosts is odd", "/", "// comment", "what is /model", "/ model", "/1", "/?!"]
)
def test_what_only_looks_like_one_is_something_to_say(table: Registry[Command], text: str) -> None:
    assert parse_command(text, table) is None
