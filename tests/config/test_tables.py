"""Tables that extensions own: kept as they are written, checked when one says what belongs in them."""

import re
from datetime import date
from enum import Enum
from typing import Annotated, Any, Literal

import pytest
from msgspec import Meta, Struct, field

from panto.config import Secret
from panto.config.schema import ADDS_UP
from tests.config.layers import Layers

USER = "~/.config/panto/config.toml"


class Colour(Enum):
    RED = "red"
    GREEN = "green"


class Server(Struct, frozen=True, kw_only=True):
    command: str
    args: tuple[str, ...] = ()
    env: dict[str, Secret] = field(default_factory=dict[str, Secret])
    seconds: Annotated[int, Meta(gt=0)] = 10

    def __post_init__(self) -> None:
        if self.command == "rm":
            raise ValueError("rm is no server")


class Kinds(Struct, frozen=True, kw_only=True, rename="kebab"):
    """A key of every kind that settings may have."""

    on_start: bool = True
    level: Literal["low", "high"] = "low"
    colour: Colour = Colour.RED
    day: date | None = None
    limit: int | Literal["none"] = 1
    one_or_more: str | list[str] = ""
    rules: Annotated[list[str], Meta(extra=ADDS_UP)] = field(default_factory=list[str])
    tags: frozenset[str] = frozenset()
    pair: tuple[int, int] = (0, 0)
    anything: dict[str, Any] = field(default_factory=dict[str, Any])
    servers: dict[str, Server] = field(default_factory=dict[str, Server])
    chain: list[Server] = field(default_factory=list[Server])
    main: Server | None = None
    either: bool | dict[str, Server] = False


def test_the_table_is_checked_and_merged(layers: Layers) -> None:
    config = layers.load(
        user='[kinds]\non-start = false\nlevel = "high"\ncolour = "green"\nday = 2020-01-02\nlimit = "none"\n'
        'one-or-more = ["a"]\nrules = ["u"]\ntags = ["x", "x"]\npair = [1, 2]\nanything = {a = [{b = 1.5}]}\n'
        'servers.git = {command = "git", args = ["a"]}\n',
        project='[kinds]\nrules = ["p", "u"]\nservers.git.seconds = 5\nservers.web = {command = "web", env.KEY = "k"}\n'
        '[[kinds.chain]]\ncommand = "one"\n[kinds.main]\ncommand = "main"',
    )
    value = config.settings_for("kinds", Kinds)

    assert config.diagnostics == ()
    assert value == Kinds(
        on_start=False,
        level="high",
        colour=Colour.GREEN,
        day=date(2020, 1, 2),
        limit="none",
        one_or_more=["a"],
        rules=["u", "p"],
        tags=frozenset("x"),
        pair=(1, 2),
        anything={"a": [{"b": 1.5}]},
        servers={
            "git": Server(command="git", args=("a",), seconds=5),
            "web": Server(command="web", env={"KEY": Secret("k")}),
        },
        chain=[Server(command="one")],
        main=Server(command="main"),
    )
    assert str(config.origin("kinds", "servers", "git", "args")) == f"user: {USER}:12"
    assert config.origin("kinds", "servers", "git", "seconds").layer == "project"
    assert config.origin("kinds", "servers", "git", "env").layer == "default"


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("on-start = 1", "on-start: wrong type; allowed: true or false"),
        ("on_start = true", "on_start: unknown key; allowed: {names}; did you mean on-start?"),
        ("level = 'hihg'", 'level: "hihg" is not known; allowed: "low", "high"; did you mean "high"?'),
        ("colour = 'gren'", 'colour: "gren" is not known; allowed: "red", "green"; did you mean "green"?'),
        ("day = 'today'", "day: wrong value; allowed: a date"),
        ("limit = 1.5", 'limit: wrong type; allowed: an integer or "none"'),
        ("one-or-more = 1", "one-or-more: wrong type; allowed: a string or an array, each element a string"),
        ("rules = 1", "rules: wrong type; allowed: an array, each element a string"),
        ("pair = [1]", "pair: wrong value; allowed: an array of 2"),
        ("either = 1", "either: wrong type; allowed: true or false or a table"),
        ("anything = 1", "anything: wrong type; allowed: a table"),
        ("servers = []", "servers: wrong type; allowed: a table"),
        ("servers.a = 1", "servers.a: wrong type; allowed: a table"),
        ("servers.a.args = []", "servers.a: command is missing; this table is ignored"),
        ("servers.a = {command = 'rm'}", "servers.a: rm is no server; this table is ignored"),
        ("chain = [{}]", "chain[0]: command is missing; this table is ignored"),
        ("main = {}", "main: command is missing; this table is ignored"),
    ],
)
def test_what_does_not_fit_is_named_and_left_out(layers: Layers, text: str, fault: str) -> None:
    config = layers.load(user=f"[kinds]\n{text}\n")

    assert config.settings_for("kinds", Kinds) == Kinds()
    [said] = [str(each) for each in config.diagnostics]
    assert re.sub(r"allowed: [a-z, -]*servers[a-z, -]*;", "allowed: {names};", said) == f"{USER}:2: kinds.{fault}"


def test_a_fault_in_an_entry_leaves_the_rest_of_it(layers: Layers) -> None:
    config = layers.load(user="[kinds.servers.a]\ncommand = 'x'\nseconds = 0\ncomand = 1\n[kinds.servers.b]\n")

    assert config.settings_for("kinds", Kinds).servers == {"a": Server(command="x")}
    assert [fault.key for fault in config.diagnostics] == [
        "kinds.servers.a.seconds",
        "kinds.servers.a.comand",
        "kinds.servers.b",
    ]


def test_of_several_kinds_the_one_of_the_values_shape_counts(layers: Layers) -> None:
    config = layers.load(user="[kinds]\neither.a = {command = 'x', seconds = 0, other = 1}\none-or-more = ['a', 1]")
    value = config.settings_for("kinds", Kinds)

    assert value.either == {"a": Server(command="x")}
    assert value.one_or_more == ["a"]
    assert [fault.key for fault in config.diagnostics] == [
        "kinds.either.a.seconds",
        "kinds.either.a.other",
        "kinds.one-or-more[1]",
    ]


@pytest.mark.parametrize("text", ["[[kinds]]\non-start = false", "kinds = [1]"])
def test_what_is_no_table_is_named(layers: Layers, text: str) -> None:
    config = layers.load(user=text)

    assert [fault.message for fault in config.unclaimed()] == ["nothing uses this table"]
    assert config.settings_for("kinds", Kinds) == Kinds()
    assert [str(fault) for fault in config.diagnostics] == [f"{USER}:1: kinds: wrong type; allowed: a table"]
    assert config.unclaimed() == ()


def test_one_layers_wrong_table_leaves_the_others(layers: Layers) -> None:
    config = layers.load(user="[kinds]\non-start = false", project="[[kinds]]")

    assert config.settings_for("kinds", Kinds).on_start is False


def test_an_absent_table_gives_the_defaults(layers: Layers) -> None:
    config = layers.load()

    assert config.settings_for("kinds", Kinds) == Kinds()
    assert config.diagnostics == ()


def test_a_table_that_nobody_asks_for_is_named_once_for_each_file(layers: Layers) -> None:
    config = layers.load(
        base="[kinds]\n", user="# mine\n[permission]\ndeny = []\n[kins]", project="[permission]", command_line={"a": {}}
    )
    config.settings_for("kinds", Kinds)

    assert [str(fault) for fault in config.unclaimed()] == [
        f"{USER}:2: permission: nothing uses this table; did you mean permissions?",
        f"{USER}:4: kins: nothing uses this table; did you mean kinds?",
        "~/project/.panto/config.toml:1: permission: nothing uses this table; did you mean permissions?",
        "command line: a: nothing uses this table",
    ]


def test_asking_again_repeats_no_fault(layers: Layers) -> None:
    config = layers.load(user="mode = 1\n[kinds]\nlevel = 1")
    first = config.settings_for("kinds", Kinds)
    faults = config.diagnostics

    assert config.settings_for("kinds", Kinds) == first
    assert config.diagnostics == faults
    assert len(faults) == 2


def test_an_unclaimed_table_knows_its_origin_too(layers: Layers) -> None:
    config = layers.load(user="[kinds]\nlevel = 1")

    assert str(config.origin("kinds", "level")) == f"user: {USER}:2"
    assert str(config.origin("kinds", "other")) == "default"
    assert str(config.origin("nothing", "other")) == "default"


def test_the_programs_own_tables_are_not_to_be_had(layers: Layers) -> None:
    with pytest.raises(ValueError, match="permissions"):
        layers.load().settings_for("permissions", Kinds)


def test_a_struct_without_defaults_is_the_extensions_fault(layers: Layers) -> None:
    with pytest.raises(TypeError, match="Server has no default for command"):
        layers.load().settings_for("server", Server)


def test_claims_show_no_secrets(layers: Layers) -> None:
    config = layers.load(user="[kinds.servers.a]\ncommand = 'x'\nenv.KEY = 'CANARY'\n[kinds.anything]\nb = 'CANARY'")
    config.settings_for("kinds", Kinds)

    assert "CANARY" not in repr(config) + repr(config.tables) + repr(config.tables.claims)
    assert config.tables.kinds == {"kinds": Kinds}
