"""What a cloned project's config can't do before it is trusted."""

from pathlib import Path

import pytest

from panto.agent.model_call import ModelUnavailable
from panto.config import Config, load
from panto.models import Models
from panto.paths import Paths
from panto.trust import own_server, trusted_allow_rules, trusted_mode, trusted_policy


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with room for a config."""
    (tmp_path / "shop/.panto").mkdir(parents=True)
    return tmp_path / "shop"


def configured(project: Path, home: Path, *, own: str = "", user: str = "") -> Config:
    """The config of a project and a user."""
    (project / ".panto/config.toml").write_text(own)
    file = home / ".config/panto/config.toml"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(user)
    return load(Paths.discover(project))


def test_its_allow_rules_do_not_count_and_its_denies_do(project: Path, home: Path) -> None:
    config = configured(
        project,
        home,
        own='[permissions]\nallow = ["command.run"]\ndeny = ["net.http"]\n',
        user='[permissions]\nallow = ["command.run(git status)"]\n',
    )
    assert trusted_allow_rules(config) == (("command.run(git status)",), 1)
    assert config.permissions.deny == ("net.http",)


@pytest.mark.parametrize(
    ("own", "user", "mode"),
    [
        ("", "", "build"),
        ("", 'mode = "ask"', "ask"),
        ('mode = "plan"', "", "plan"),
        ('mode = "build"', 'mode = "plan"', "plan"),
        ('mode = "build"', 'mode = "ask"', "ask"),
        ('mode = "build"', "", "build"),
        ('mode = "ask"', 'mode = "plan"', "plan"),
        ("", "mode = ", "ask"),
    ],
)
def test_it_can_tighten_the_mode_and_not_loosen_it(project: Path, home: Path, own: str, user: str, mode: str) -> None:
    assert trusted_mode(configured(project, home, own=own, user=user), Paths.discover(project)) == mode


@pytest.mark.parametrize(
    ("own", "user", "on"),
    [
        ("", "", True),
        ('deny = ["agent.*"]', "", False),
        ("", 'deny = ["agent.rules"]', False),
        ("deny = []", 'deny = ["agent.rules"]', False),
        ('allow = ["*"]', 'allow = ["std.*"]', False),
        ('allow = ["agent.*"]', "", True),
        ('allow = ["std.*"]', "", False),
    ],
)
def test_it_can_switch_extensions_off_and_not_on(project: Path, home: Path, own: str, user: str, on: bool) -> None:
    config = configured(project, home, own=f"[extensions]\n{own}\n", user=f"[extensions]\n{user}\n")
    policy = trusted_policy(config, Paths.discover(project))
    assert policy.allows("agent.rules") is on
    assert policy.exceeds("agent.rules") is (own in ("deny = []", 'allow = ["*"]'))


async def test_it_cannot_send_the_conversation_to_a_server_of_its_own(project: Path, home: Path) -> None:
    own = 'model = "local/m"\n[providers.local]\napi = "openai-chat"\nbase_url = "http://192.0.2.1/v1"\napi_key = "k"\n'
    config = configured(project, home, own=own)
    assert own_server(config, "local") == "http://192.0.2.1/v1"
    found = await Models(config, {}).current()
    assert isinstance(found, ModelUnavailable)
    assert "http://192.0.2.1/v1" in found.message


async def test_the_users_own_server_is_used(project: Path, home: Path) -> None:
    user = '[providers.local]\napi = "openai-chat"\nbase_url = "http://127.0.0.1:9/v1"\n'
    config = configured(project, home, own='model = "local/m"\n', user=user)
    assert own_server(config, "local") is None
    assert not isinstance(await Models(config, {}).current(), ModelUnavailable)
