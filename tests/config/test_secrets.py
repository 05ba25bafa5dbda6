"""A provider's key is found where the settings say, and goes nowhere else."""

import sys
import threading
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

from panto.config import Config
from panto.config.secrets import Credentials, SecretError, credentials
from panto.config.source import TomlValue
from tests.config.layers import Layers

KEY = "sk-CANARY-0123456789"
URL = 'base_url = "https://elsewhere.example/v1"'


async def refused(
    config: Config, *, default: str | None = None, project_trusted: bool = False, **environ: str
) -> SecretError:
    with pytest.raises(SecretError) as raised:
        await credentials(config, "x", default=default, project_trusted=project_trusted, environ=environ)
    assert "CANARY" not in str(raised.value) + repr(raised.value)
    assert raised.value.what in str(raised.value)
    assert raised.value.action in str(raised.value)
    return raised.value


async def key_of(
    config: Config, *, default: str | None = None, project_trusted: bool = False, **environ: str
) -> str | None:
    found = await credentials(config, "x", default=default, project_trusted=project_trusted, environ=environ)
    return found.api_key


def provider(*lines: str) -> str:
    return "\n".join(["[providers.x]", *lines])


async def test_without_a_key_there_is_none(layers: Layers) -> None:
    assert await credentials(layers.load(), "x") == Credentials(None, {})
    assert await key_of(layers.load(project=provider(URL))) is None


async def test_a_key_that_is_written_out(layers: Layers) -> None:
    config = layers.load(user=provider(f'api_key = "  {KEY} "', 'headers.X-Title = "panto"'))

    assert await credentials(config, "x") == Credentials(KEY, {"X-Title": "panto"})


async def test_a_key_in_the_environment(layers: Layers) -> None:
    config = layers.load(user=provider('api_key = "env:MY_KEY"'))

    assert await key_of(config, MY_KEY=f"{KEY}\n") == KEY


@pytest.mark.parametrize("value", ["", " \n"])
async def test_a_variable_that_is_not_set_is_named(layers: Layers, value: str) -> None:
    error = await refused(layers.load(user="\n" + provider('api_key = "env:MY_KEY"')), MY_KEY=value, OTHER=KEY)

    assert str(error) == (
        "providers.x.api_key (user: ~/.config/panto/config.toml:3): "
        "the environment variable is not set or empty: env:MY_KEY. "
        "Set it before you start panto-py, or set providers.x.api_key in your settings."
    )


async def test_a_key_behind_env_by_mistake_is_not_shown(layers: Layers) -> None:
    await refused(layers.load(user=provider(f'api_key = "env:{KEY}"')))


async def test_the_default_holds_where_no_layer_gives_a_key(layers: Layers) -> None:
    assert await key_of(layers.load(), default="env:MY_KEY", MY_KEY=KEY) == KEY
    assert (await refused(layers.load(), default="env:MY_KEY")).origin.layer == "default"
    assert await key_of(layers.load(user=provider('api_key = "own"')), default="env:MY_KEY", MY_KEY=KEY) == "own"


@pytest.mark.parametrize("key", ["a\u201cb", "smart\u2019quote", "k\u0435y"])
async def test_what_no_key_holds_is_not_sent(layers: Layers, key: str) -> None:
    error = await refused(layers.load(user=provider(f'api_key = "{key}CANARY"')))

    assert "characters" in error.what


async def test_a_command_prints_the_key(layers: Layers) -> None:
    config = layers.load(user=provider(f'''api_key = "!printf '%s\\\\n' {KEY}"'''))

    assert await key_of(config, PATH="/usr/bin:/bin") == KEY


async def test_a_command_runs_beside_its_settings_and_sees_the_environment(layers: Layers) -> None:
    file = layers.write("user", provider('api_key = "!cat $NAME"'))
    (file.parent / "key.txt").write_text(KEY)

    assert await key_of(layers.load(), NAME="key.txt", PATH="/usr/bin:/bin") == KEY


async def test_a_command_of_the_command_line_runs(layers: Layers) -> None:
    config = layers.load({"providers": {"x": {"api_key": "!echo given"}}})

    assert await key_of(config) == "given"


async def test_a_command_that_fails_says_so_but_not_what_it_is(layers: Layers) -> None:
    error = await refused(layers.load(user=provider('api_key = "!echo not signed in >&2; : CANARY; exit 3"')))

    assert error.what == "the command failed with status 3: not signed in"
    assert "terminal" in error.action


class FakeKeyring(ModuleType):
    """Stands for the optional package, which reaches for the system's own keyring."""

    def __init__(self, answer: Callable[[], str | None]) -> None:
        super().__init__("keyring")
        self.answer = answer
        self.asked: list[tuple[str, str]] = []
        self.threads: list[threading.Thread] = []

    def get_password(self, service: str, name: str) -> str | None:
        self.asked.append((service, name))
        self.threads.append(threading.current_thread())
        return self.answer()


async def test_a_key_in_the_keyring(layers: Layers, monkeypatch: pytest.MonkeyPatch) -> None:
    keyring = FakeKeyring(lambda: KEY)
    monkeypatch.setitem(sys.modules, "keyring", keyring)

    assert await key_of(layers.load(user=provider('api_key = "keyring:work"'))) == KEY
    assert keyring.asked == [("panto", "work")]
    assert threading.current_thread() not in keyring.threads


async def test_without_the_keyring_package_it_is_said_how_to_get_it(
    layers: Layers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "keyring", None)
    error = await refused(layers.load(user=provider('api_key = "keyring:work"')))

    assert "not installed" in error.what
    assert "--with keyring" in error.action


@pytest.mark.parametrize("answer", [None, "", " "])
async def test_a_keyring_without_the_entry_is_named(
    layers: Layers, monkeypatch: pytest.MonkeyPatch, answer: str | None
) -> None:
    monkeypatch.setitem(sys.modules, "keyring", FakeKeyring(lambda: answer))
    error = await refused(layers.load(user=provider('api_key = "keyring:work"')))

    assert error.what == "the keyring has no entry for keyring:work"
    assert error.action == "Add it: keyring set panto NAME"


async def test_a_keyring_that_fails_is_named(layers: Layers, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> str:
        raise RuntimeError("locked\x1b[2J")

    monkeypatch.setitem(sys.modules, "keyring", FakeKeyring(fail))
    error = await refused(layers.load(user=provider('api_key = "keyring:work"')))

    assert error.what == r"the keyring failed: RuntimeError: locked\u001b[2J"


async def test_a_keyring_that_waits_for_somebody_is_given_up(layers: Layers, monkeypatch: pytest.MonkeyPatch) -> None:
    unlocked = threading.Event()

    def wait() -> None:
        unlocked.wait()

    monkeypatch.setitem(sys.modules, "keyring", FakeKeyring(wait))
    config = layers.load(user=provider('api_key = "keyring:work"'))
    try:
        with pytest.raises(SecretError, match="did not answer within"):
            await credentials(config, "x", seconds=0.01)
    finally:
        unlocked.set()


# What a cloned repository must not get.


@pytest.mark.parametrize("trusted", [False, True])
@pytest.mark.parametrize(
    "user", [f'api_key = "{KEY}"', 'api_key = "env:CANARY"', 'api_key = "!echo CANARY"', f'headers.A = "{KEY}"']
)
async def test_nothing_of_the_users_goes_to_an_address_of_the_projects(
    layers: Layers, user: str, trusted: bool
) -> None:
    error = await refused(layers.load(user=provider(user), project=provider(URL)), project_trusted=trusted, CANARY=KEY)

    assert "project: ~/project/.panto/config.toml:2" in error.what
    assert error.origin.layer == "user"
    assert "your own settings" in error.action


@pytest.mark.parametrize("trusted", [False, True])
async def test_nor_does_the_key_that_is_tried_by_default(layers: Layers, trusted: bool) -> None:
    error = await refused(layers.load(project=provider(URL)), default="env:MY_KEY", project_trusted=trusted, MY_KEY=KEY)

    assert error.key == "providers.x.api_key"


@pytest.mark.parametrize("name", ["Host", "host", "HOST"])
async def test_nor_to_another_server_behind_the_users_address(layers: Layers, name: str) -> None:
    config = layers.load(
        user=provider(f'api_key = "{KEY}"', URL), project=provider(f'headers.{name} = "elsewhere.example"')
    )

    assert f"headers.{name}" in (await refused(config)).what


@pytest.mark.parametrize("layer", ["base", "user", "command line"])
async def test_the_users_own_address_gets_the_users_key(layers: Layers, layer: str) -> None:
    given: dict[str, TomlValue] = {"providers": {"x": {"base_url": "https://h/v1"}}}
    on_command_line = layer == "command line"
    layers.write("project", provider(URL) if on_command_line else "")
    layers.write("user", provider(f'api_key = "{KEY}"', *([URL] if layer == "user" else [])))
    layers.write("base", provider(URL) if layer == "base" else "")

    assert await key_of(layers.load(given if on_command_line else None)) == KEY


async def test_a_projects_other_settings_of_a_provider_are_no_harm(layers: Layers) -> None:
    config = layers.load(
        user=provider(f'api_key = "{KEY}"', URL),
        project=provider('headers.X-Project = "p"', "stall_timeout = 5", "models.q.max_tokens = 1"),
    )

    assert await credentials(config, "x") == Credentials(KEY, {"X-Project": "p"})


async def test_a_project_may_bring_a_key_of_its_own(layers: Layers) -> None:
    config = layers.load(project=provider('api_key = "its-own"', URL, 'headers.A = "b"'))

    assert await credentials(config, "x") == Credentials("its-own", {"A": "b"})


async def test_a_project_that_is_not_trusted_runs_no_command(layers: Layers, tmp_path: Path) -> None:
    proof = tmp_path / "ran"
    config = layers.load(project=provider(f'api_key = "!touch {proof}; echo key"'))
    error = await refused(config)

    assert "is not run" in error.what
    assert "Trust the project" in error.action
    assert not proof.exists()


@pytest.mark.parametrize("spelling", ["env:CANARY", "keyring:CANARY"])
@pytest.mark.parametrize("url", ["", URL])
async def test_nor_can_it_name_a_key_of_the_users(layers: Layers, spelling: str, url: str) -> None:
    error = await refused(layers.load(project=provider(f'api_key = "{spelling}"', url)), MY_KEY=KEY)

    assert "cannot name one of your keys" in error.what


async def test_a_trusted_project_may_do_both(layers: Layers) -> None:
    config = layers.load(project=provider('api_key = "env:MY_KEY"', URL))
    assert await key_of(config, project_trusted=True, MY_KEY=KEY) == KEY

    config = layers.load(project=provider('api_key = "!echo printed"', URL))
    assert await key_of(config, project_trusted=True) == "printed"


async def test_a_project_cannot_change_where_the_users_key_is_taken_from_unnoticed(layers: Layers) -> None:
    config = layers.load(user=provider(f'api_key = "{KEY}"'), project=provider('api_key = "env:AWS_SECRET"'))

    assert (await refused(config, AWS_SECRET=KEY)).origin.layer == "project"


async def test_credentials_are_not_shown() -> None:
    assert "CANARY" not in repr(Credentials(KEY, {"A": KEY}))
