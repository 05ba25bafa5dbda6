"""Every setting by itself: what it is for, what it may be, what it is, and what was typed for it."""

import pytest
from msgspec import Struct

from panto.config import Config, Settings, kinds
from panto.config.catalogue import Item, items, read_typed
from tests.config.layers import Layers


class Web(Struct, frozen=True, kw_only=True):
    """A table of an extension's."""

    sites: tuple[str, ...] = ("a",)
    limit: int = 3


@pytest.fixture
def config(layers: Layers) -> Config:
    """Some settings, one of them secret, and an extension's table."""
    layers.write(
        "user",
        'model = "local/m"\n[providers.local]\napi_key = "hunter22hunter22"\nheaders = { x-team = "blue" }\n'
        '[providers.local.models."m:1"]\nmax_tokens = 99\n[web]\nlimit = 7\n',
    )
    config = layers.load()
    config.settings_for("web", Web)
    return config


def item(config: Config, name: str) -> Item:
    """The setting of that name."""
    return next(each for each in items(config) if each.name == name)


def test_every_setting_is_there_once_with_what_it_is_for(config: Config) -> None:
    found = items(config)
    names = [each.name for each in found]
    assert len(names) == len(set(names))
    assert all(each.description for each in found if each.path[0] != "web")
    assert {"model", "mode", "debug.wire", "permissions.deny", 'providers.local.models."m:1".max_tokens'} <= set(names)
    assert names[-2:] == ["web.sites", "web.limit"]
    assert not [each for each in found if kinds.is_table(kinds.bare(each.kind, {}))]
    assert {each.path[0] for each in found} >= set(Settings.__struct_fields__) - {"providers"}


def test_values_are_shown_as_toml_and_secrets_are_not(config: Config) -> None:
    assert item(config, "model").text == '"local/m"'
    assert item(config, "model").typed == "local/m"
    assert item(config, "thinking").text == ""
    assert item(config, "web.sites").text == '["a"]'
    assert item(config, "web.limit").origin.layer == "user"
    assert item(config, "mode").choices == ["plan", "ask", "build"]
    assert item(config, "debug.wire").choices == ["true", "false"]
    for name in ("providers.local.api_key", "providers.local.headers.x-team"):
        assert item(config, name).is_secret
        assert item(config, name).text == '"********"'


@pytest.mark.parametrize(
    ("name", "text", "value", "refused"),
    [
        ("mode", "ask", "ask", False),
        ("mode", "bild", "bild", True),
        ("model", 'a "b" c', 'a "b" c', False),
        ("model", "", "", True),
        ("debug.wire", "true", True, False),
        ("debug.wire", "yes", "yes", True),
        ("web.limit", "12", 12, False),
        ("web.limit", "1.5", 1.5, True),
        ("web.limit", "1\nmode = 'plan'", 1, False),
        ("web.sites", '["a", "b"]', ("a", "b"), False),
        ("web.sites", "a", "a", True),
        ("web.sites", "[[1]]", "[[1]]", True),
        ("web.sites", "{a = 1}", "{a = 1}", True),
        ("providers.local.stall_timeout", "30", 30, False),
        ("providers.local.stall_timeout", "-1", -1, True),
        ("providers.local.api_key", "env:KEY", "env:KEY", False),
        ("providers.local.base_url", "ftp://x", "ftp://x", True),
    ],
)
def test_what_is_typed_is_read_and_judged(config: Config, name: str, text: str, value: object, refused: bool) -> None:
    read, refusal = read_typed(item(config, name), text)
    assert read == value
    assert bool(refusal) is refused
