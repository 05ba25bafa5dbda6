"""The layers as the program loads them: what holds, where it comes from, and what is said about the rest."""

import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from msgspec import structs

from panto.config import Config, Diagnostic, Mode, Settings
from tests.config.layers import Layers
from tests.config.test_source import contents

USER = "~/.config/panto/config.toml"
PROJECT = "~/project/.panto/config.toml"

NAMES = "an array, each element a string that is not empty"
TOP = "debug, extensions, mode, model, permissions, providers, theme, thinking, ui"
PROVIDER = (
    "api, api_key, api_version, base_url, connect_timeout, headers, max_retry_wait, models, profile, region, "
    "stall_timeout"
)
API = '"openai-chat", "openai-responses", "anthropic", "gemini", "ollama", "bedrock"'
SECONDS = "a number above 0, at most 86400"
WAIT = "a number at least 0, at most 86400"
BAD_NAME = "a name that is not allowed here"
MEANT = 'did you mean "anthropic"?'


def said(config: Config) -> list[str]:
    return [str(fault) for fault in config.diagnostics]


def test_without_any_file_the_defaults_hold(layers: Layers) -> None:
    config = layers.load()

    assert {name: getattr(config, name) for name in Settings.__struct_fields__} == structs.asdict(Settings())
    assert config.mode == "build"
    assert config.theme == "panto-dark"
    assert config.extensions.allow == ("*",)
    assert config.diagnostics == ()
    assert str(config.origin("mode")) == "default"


@pytest.mark.parametrize(
    ("given_in", "wins"),
    [
        (["base"], "base"),
        (["base", "user"], "user"),
        (["base", "user", "project"], "project"),
        (["base", "user", "project", "command line"], "command line"),
        (["base", "command line"], "command line"),
    ],
)
def test_the_last_layer_wins(layers: Layers, given_in: list[str], wins: str) -> None:
    texts = {layer: f'theme = "of {layer}"' for layer in given_in if layer != "command line"}
    config = layers.load({"theme": "of command line"} if "command line" in given_in else None, **texts)

    assert config.theme == f"of {wins}"
    assert config.origin("theme").layer == wins


def test_each_value_knows_its_file_and_line(layers: Layers) -> None:
    config = layers.load(
        {"mode": "ask"},
        user='model = "a/b"\n\n[providers.local]\nbase_url = "http://localhost/v1"\nstall_timeout = 5\n',
        project="# mine\n[providers.local]\nstall_timeout = 9\n[providers.local.models.q]\nmax_tokens = 7\n",
    )

    assert str(config.origin("model")) == f"user: {USER}:1"
    assert str(config.origin("providers", "local", "base_url")) == f"user: {USER}:4"
    assert str(config.origin("providers", "local", "stall_timeout")) == f"project: {PROJECT}:3"
    assert str(config.origin("providers", "local", "models", "q", "max_tokens")) == f"project: {PROJECT}:5"
    assert str(config.origin("providers", "local", "connect_timeout")) == "default"
    assert str(config.origin("providers", "local")) == f"project: {PROJECT}:2"
    assert str(config.origin("mode")) == "command line"
    provider = config.providers["local"]
    assert (provider.base_url, provider.stall_timeout, provider.models["q"].max_tokens) == ("http://localhost/v1", 9, 7)


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ('mode = "biuld"', 'mode: "biuld" is not known; allowed: "plan", "ask", "build"; did you mean "build"?'),
        ('mode = "zzz"', 'mode: "zzz" is not known; allowed: "plan", "ask", "build"'),
        ("mode = 3", 'mode: wrong type; allowed: "plan", "ask", "build"'),
        ('theme = ""', "theme: wrong value; allowed: a string that is not empty"),
        ("theme = ['a']", "theme: wrong type; allowed: a string that is not empty"),
        ("model = true", "model: wrong type; allowed: a string that is not empty"),
        ("thme = 'a'", f"thme: unknown key; allowed: {TOP}; did you mean theme?"),
        ("providers = 1", "providers: wrong type; allowed: a table"),
        ("providers.x = 1", "providers.x: wrong type; allowed: a table"),
        (
            "providers.x.base_ulr = 'http://h'",
            f"providers.x.base_ulr: unknown key; allowed: {PROVIDER}; did you mean base_url?",
        ),
        ("providers.x.api = 'grpc'", f'providers.x.api: "grpc" is not known; allowed: {API}'),
        ("providers.x.api = 'antropic'", f'providers.x.api: "antropic" is not known; allowed: {API}; {MEANT}'),
        ("providers.x.stall_timeout = 0", f"providers.x.stall_timeout: wrong value; allowed: {SECONDS}"),
        ("providers.x.stall_timeout = inf", f"providers.x.stall_timeout: wrong value; allowed: {SECONDS}"),
        ("providers.x.connect_timeout = nan", f"providers.x.connect_timeout: wrong value; allowed: {SECONDS}"),
        ("providers.x.max_retry_wait = -1", f"providers.x.max_retry_wait: wrong value; allowed: {WAIT}"),
        (
            "providers.x.headers.'a b' = 'c'",
            f'providers.x.headers."a b": {BAD_NAME}; allowed: the name of an HTTP header',
        ),
        ('providers.x.headers.a = "b\\r\\nc: d"', "providers.x.headers.a: wrong value; allowed: one line of text"),
        ("providers.x.api_key = ' '", "providers.x.api_key: wrong value; allowed: one line of text"),
        ("providers.x.api_key = 1", "providers.x.api_key: wrong type; allowed: one line of text"),
        (
            'providers.x.models."a b".max_tokens = 1.5',
            'providers.x.models."a b".max_tokens: wrong type; allowed: an integer above 0',
        ),
        ("extensions.paths = 'x'", f"extensions.paths: wrong type; allowed: {NAMES}"),
    ],
)
def test_what_does_not_fit_is_named_and_the_default_holds(layers: Layers, text: str, fault: str) -> None:
    config = layers.load(user=f"# first\n{text}\n")

    assert said(config) == [f"{USER}:2: {fault}"]
    assert config.diagnostics[0].severity == "warning"
    assert config.ignored == ()
    for name, value in structs.asdict(Settings()).items():
        if name != "providers":
            assert getattr(config, name) == value


def test_what_does_not_fit_leaves_what_a_lower_layer_says(layers: Layers) -> None:
    config = layers.load(
        base='[providers.x]\nbase_url = "https://h/v1"\napi = "anthropic"\nheaders.A = "1"\nheaders.B = "2"',
        user="mode = 'plan'",
        project='mode = 1\n[providers.x]\nbase_url = "ftp://h"\napi = 3\nheaders = {A = 1, B = "3"}',
    )

    provider = config.providers["x"]
    assert (config.mode, provider.base_url, provider.api) == ("plan", "https://h/v1", "anthropic")
    assert {name: value.reveal() for name, value in provider.headers.items()} == {"A": "1", "B": "3"}
    assert len(config.diagnostics) == 4


@pytest.mark.parametrize(
    "url",
    [
        *("ftp://host", "host/v1", "http://", "http:///v1", "http://h/a b", "https://h\\n", "https://h#x"),
        *("http://user:CANARY@host/", "https://h/v1?key=CANARY"),
    ],
)
def test_an_address_that_no_request_should_go_to_is_refused(layers: Layers, url: str) -> None:
    config = layers.load(user=f'providers.x.base_url = "{url}"')

    assert config.providers["x"].base_url is None
    assert [fault.key for fault in config.diagnostics] == ["providers.x.base_url"]
    assert "CANARY" not in repr(config)


@pytest.mark.parametrize("url", ["https://api.host.example", "http://127.0.0.1:8080/v1", "http://[::1]:80/"])
def test_an_address_that_requests_go_to_is_taken(layers: Layers, url: str) -> None:
    config = layers.load(user=f'providers.x.base_url = "{url}"')

    assert config.providers["x"].base_url == url


def test_a_broken_file_is_named_and_the_other_layers_hold(layers: Layers) -> None:
    config = layers.load(base="mode = 'plan'", user='theme = "mine"\nmode = ask\n', project='theme = "projects"')

    assert config.ignored == ("user",)
    assert (config.mode, config.theme) == ("plan", "projects")
    [fault] = config.diagnostics
    assert fault.severity == "error"
    assert (fault.line, fault.column) == (2, 8)
    assert str(fault) == f"{USER}:2:8: not TOML: Invalid value; the whole file is ignored"


def test_faults_come_by_layer_and_line(layers: Layers) -> None:
    config = layers.load({"mode": "x"}, base="mode = 1\ntheme = 1\nzz = 1", project="a = 1", user="[")

    assert [(fault.file and fault.file.parent.name, fault.line) for fault in config.diagnostics] == [
        ("panto", 1),
        ("agent", 1),
        ("agent", 2),
        ("agent", 3),
        (".panto", 1),
        (None, None),
    ]
    assert str(config.diagnostics[-1]).startswith("command line: mode: ")


def test_a_flood_of_faults_is_cut_short(layers: Layers) -> None:
    config = layers.load(project="".join(f"key{at} = 1\n" for at in range(500)))

    assert len(config.diagnostics) == 101
    assert config.diagnostics[-1].message == "400 more faults in this file"


def test_text_from_a_file_cannot_forge_what_is_said(layers: Layers) -> None:
    config = layers.load(user='"a\\u001b[31m\\n\\u202eb" = 1\nmode = "\\u001b[2J"')

    assert all(text.isprintable() for text in said(config))
    assert '"a\\u001b[31m\\u000a\\u202eb"' in said(config)[0]


def test_a_key_in_the_wrong_place_is_not_repeated(layers: Layers) -> None:
    canary = "sk-ant-CANARY-0123456789abcdef"
    config = layers.load(
        user=f"mode = '{canary}'\nproviders.x.api = '{canary}'\nproviders.x.stall_timeout = '{canary}'\n"
        f"providers.x.base_url = '{canary}'\nproviders.y = '{canary}'\npermissions.deny = [['{canary}']]"
    )

    assert len(config.diagnostics) == 6
    assert "CANARY" not in repr(config) + str(said(config))


def test_keys_are_not_shown_by_repr(layers: Layers) -> None:
    config = layers.load(
        user="[providers.x]\napi_key = 'CANARY'\nheaders.Authorization = 'CANARY'\n[web]\nkey = 'CANARY'"
    )

    assert config.providers["x"].api_key is not None
    assert config.providers["x"].api_key.reveal() == "CANARY"
    assert "CANARY" not in repr(config) + repr(config.providers) + f"{config.providers['x'].api_key}"


@given(contents, contents)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_no_bytes_stop_the_start(layers: Layers, user: bytes, project: bytes) -> None:
    layers.write("user", user)
    layers.write("project", project)
    config = layers.load()

    assert config.mode in ("plan", "ask", "build")
    assert all(isinstance(fault, Diagnostic) and str(fault).isprintable() for fault in config.diagnostics)
    assert all(str(fault).isprintable() for fault in config.unclaimed())


@pytest.mark.parametrize("mode", ["plan", "ask", "build"])
def test_the_command_line_comes_last(layers: Layers, mode: Mode) -> None:
    config = layers.load({"mode": mode}, user="mode = 'plan'")

    assert config.mode == mode


def test_loading_asks_for_nothing_that_only_editing_or_keys_need(layers: Layers) -> None:
    """Measured without the package's own imports, which are no business of settings."""
    layers.write("user", 'mode = "plan"\n[providers.x]\napi_key = "!echo key"\n')
    app = Path(sys.modules["panto"].__path__[0])
    code = (
        "import sys, types; from pathlib import Path;"
        f"package = types.ModuleType('panto'); package.__path__ = [{str(app)!r}]; sys.modules['panto'] = package;"
        "from panto.config import load; from panto.paths import Paths;"
        f"assert load(Paths.discover(Path({str(layers.paths.root)!r}))).mode == 'plan';"
        "print(*sorted({'tomlkit', 'asyncio', 'subprocess', 'platformdirs', 'difflib', 'keyring'} & set(sys.modules)))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert run.stdout.strip() == ""
