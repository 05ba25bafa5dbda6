"""Rules from all layers hold together: none of them can be lifted, nor lost to a slip of the pen."""

import pytest

from tests.config.layers import Layers
from tests.config.test_load import NAMES, USER, said


def test_arrays_replace_but_those_of_permissions_add_up(layers: Layers) -> None:
    config = layers.load(
        {"permissions": {"deny": ["net.http"]}},
        base='[permissions]\ndeny = ["command.run(sudo *)"]',
        user='permissions = { deny = ["fs.read(**/.env*)"], allow = ["fs.read"] }\nextensions.deny = ["mcp.*"]',
        project='[permissions]\ndeny = []\nallow = ["fs.read", "command.run"]\n[extensions]\ndeny = ["lsp.*"]',
    )

    assert config.permissions.deny == ("command.run(sudo *)", "fs.read(**/.env*)", "net.http")
    assert [config.origin("permissions", "deny", at).layer for at in range(3)] == ["base", "user", "command line"]
    assert config.permissions.allow == ("fs.read", "command.run")
    assert [config.origin("permissions", "allow", at).layer for at in range(2)] == ["user", "project"]
    assert config.extensions.deny == ("lsp.*",)


@pytest.mark.parametrize(
    "project",
    [
        "permissions = 1",
        "permissions = []",
        "[permissions]\ndeny = 1",
        "[permissions]\ndeny = false",
        "[permissions.deny]\nx = 1",
        "[[permissions]]\ndeny = []",
        "permissions.deny = [[]]",
        "not toml [",
        "\xff",
    ],
)
def test_no_project_lifts_a_deny(layers: Layers, project: str) -> None:
    layers.write("user", '[permissions]\ndeny = ["command.run"]')
    layers.write("project", project.encode("latin-1"))
    config = layers.load()

    assert config.permissions.deny == ("command.run",)
    assert len(config.diagnostics) == 1


def test_a_rule_without_its_brackets_is_not_lost(layers: Layers) -> None:
    config = layers.load(user='[permissions]\ndeny = "command.run"')

    assert config.permissions.deny == ("command.run",)
    assert str(config.origin("permissions", "deny", 0)) == f"user: {USER}:2"
    assert said(config) == [f"{USER}:2: permissions.deny: wrong type; taken as an array of one; allowed: {NAMES}"]


def test_a_bad_rule_takes_no_other_with_it(layers: Layers) -> None:
    config = layers.load(user='[permissions]\ndeny = [\n"a",\n1,\n"",\n"b"\n]')

    assert config.permissions.deny == ("a", "b")
    assert str(config.origin("permissions", "deny", 1)) == f"user: {USER}:6"
    assert [(fault.key, fault.line) for fault in config.diagnostics] == [
        ("permissions.deny[1]", 4),
        ("permissions.deny[2]", 5),
    ]
