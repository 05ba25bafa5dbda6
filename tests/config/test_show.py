"""The settings as text: all of them, from where, as TOML that says the same, and without a secret."""

import tomllib
from datetime import datetime

import pytest
from hypothesis import HealthCheck, given, settings
from msgspec import Struct, field, to_builtins

from panto.config import Secret, Settings
from panto.config.show import effective
from panto.config.source import TomlValue
from tests.config.layers import Layers
from tests.config.test_source import contents
from tests.config.toml_writer import tables

USER = "user: ~/.config/panto/config.toml"


class Web(Struct, frozen=True, kw_only=True):
    at: datetime | None = None
    limits: dict[str, float] = field(default_factory=dict[str, float])
    sites: list[dict[str, int]] = field(default_factory=list[dict[str, int]])
    enabled: bool = True
    token: str = ""
    search_url: str = ""
    env: dict[str, str] = field(default_factory=dict[str, str])
    secret: Secret | None = None


class Anything(Struct, frozen=True, kw_only=True):
    values: dict[str, object] = field(default_factory=dict[str, object])


def test_every_setting_is_shown_with_its_origin(layers: Layers) -> None:
    config = layers.load(
        {"mode": "ask"},
        user='theme = "mine"\n[providers."my own"]\nbase_url = "http://h/v1"\nmodels.q = { max_tokens = 5 }\n',
        project='[permissions]\ndeny = ["net.http"]\n',
    )

    assert effective(config) == [
        "# model is not set  # default",
        'mode = "ask"  # command line',
        "# thinking is not set  # default",
        f'theme = "mine"  # {USER}:1',
        "",
        '[providers."my own"]',
        "# api is not set  # default",
        f'base_url = "http://h/v1"  # {USER}:3',
        "# api_version is not set  # default",
        "# api_key is not set  # default",
        "headers = {}  # default",
        "# region is not set  # default",
        "# profile is not set  # default",
        "stall_timeout = 120.0  # default",
        "connect_timeout = 15.0  # default",
        "max_retry_wait = 60.0  # default",
        "",
        '[providers."my own".models.q]',
        "# context_window is not set  # default",
        f"max_tokens = 5  # {USER}:4",
        "# num_ctx is not set  # default",
        "# thinking is not set  # default",
        "# input is not set  # default",
        "# price_input is not set  # default",
        "# price_cached is not set  # default",
        "# price_output is not set  # default",
        "",
        "[extensions]",
        'allow = ["*"]  # default',
        "deny = []  # default",
        "paths = []  # default",
        "packages = []  # default",
        "",
        "[permissions]",
        "allow = []  # default",
        "ask = []  # default",
        'deny = ["net.http"]  # project: ~/project/.panto/config.toml:2',
        "",
        "[ui]",
        "vi = false  # default",
        "",
        "[debug]",
        "wire = false  # default",
    ]


def test_rules_of_several_layers_each_show_where_they_are_from(layers: Layers) -> None:
    lines = effective(
        layers.load(user='[permissions]\ndeny = [\n"a",\n"b",\n]', project='[permissions]\ndeny = ["a", "c"]')
    )

    begin = lines.index("deny = [")
    assert lines[begin : lines.index("", begin)] == [
        "deny = [",
        f'    "a",  # {USER}:3',
        f'    "b",  # {USER}:4',
        '    "c",  # project: ~/project/.panto/config.toml:2',
        "]",
    ]


def test_what_is_wrong_comes_first(layers: Layers) -> None:
    lines = effective(layers.load(user="mode = 1\n[foo]\nx = 1", project="["))

    assert [line.split(": ")[0] for line in lines[:3]] == ["# error", "# warning", "# warning"]
    assert lines[2] == "# warning: ~/.config/panto/config.toml:2: foo: nothing uses this table"
    assert lines[3] == ""


def test_no_secret_is_shown(layers: Layers) -> None:
    config = layers.load(
        user="""
        [providers.a]
        api_key = "sk-CANARY"
        headers.Authorization = "Bearer CANARY"
        [providers.b]
        api_key = "!echo CANARY"
        [providers.c]
        api_key = "env:OPENAI_API_KEY"
        [providers.d]
        api_key = "keyring:openai"
        [providers.e]
        api_key = ["CANARY"]
        [web]
        token = "CANARY"
        secret = "CANARY"
        search_url = "https://me:CANARY@host/?api_key=CANARY&q=1"
        env = { MY_TOKEN = "CANARY", MY_NAME = "shown" }
        [unknown]
        x = "CANARY"
        """
    )
    config.settings_for("web", Web)
    text = "\n".join(effective(config))

    assert "CANARY" not in text
    assert 'api_key = "env:OPENAI_API_KEY"' in text
    assert 'api_key = "keyring:openai"' in text
    assert 'api_key = "!********"' in text
    assert 'search_url = "https://********@host/?api_key=********&q=1"' in text
    assert 'MY_NAME = "shown"' in text


def test_a_claimed_table_is_shown_with_its_origins(layers: Layers) -> None:
    config = layers.load(
        user="[web]\nat = 2020-01-02T03:04:05Z\nlimits = {a = 1, b = inf}\nsites = [{x = 1}, {}]\nenabled = false"
    )
    config.settings_for("web", Web)
    lines = effective(config)

    assert lines[lines.index("[web]") - 1 :] == [
        "",
        "[web]",
        f"at = 2020-01-02T03:04:05+00:00  # {USER}:2",
        f"sites = [{{x = 1}}, {{}}]  # {USER}:4",
        f"enabled = false  # {USER}:5",
        'token = ""  # default',
        'search_url = ""  # default',
        "env = {}  # default",
        "# secret is not set  # default",
        "",
        "[web.limits]",
        f"a = 1.0  # {USER}:3",
        f"b = inf  # {USER}:3",
    ]


@given(tables)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_what_is_shown_is_toml_that_says_the_same(layers: Layers, table: dict[str, TomlValue]) -> None:
    config = layers.load({"mode": "plan", "anything": {"values": table}})
    value = config.settings_for("anything", Anything)
    shown = tomllib.loads("\n".join(effective(config)))

    assert value.values == table
    assert shown.pop("anything") == {"values": table}
    wanted = to_builtins(Settings(mode="plan"), enc_hook=str)
    del wanted["model"], wanted["thinking"]
    assert shown == wanted | {
        name: {key: list(each) for key, each in wanted[name].items()} for name in ("extensions", "permissions")
    }


@given(contents, contents)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_whatever_the_files_hold_it_can_be_shown(layers: Layers, user: bytes, project: bytes) -> None:
    layers.write("user", user)
    layers.write("project", project)
    lines = effective(layers.load())

    assert tomllib.loads("\n".join(lines))["mode"] in ("plan", "ask", "build")
    assert all(line.isprintable() for line in lines)


@pytest.mark.parametrize("name", ["\x1b[31m", "a\nb", "\u202e"])
def test_no_name_turns_into_something_else(layers: Layers, name: str) -> None:
    lines = effective(layers.load({"providers": {name: {"headers": {}}}, "theme": name}))

    assert all(line.isprintable() for line in lines)
    assert name in tomllib.loads("\n".join(lines))["providers"]
