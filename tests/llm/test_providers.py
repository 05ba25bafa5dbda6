"""From a model's name, and what config says, to where it is asked; and what is said when that can't be."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from panto.auth import StoredKey, StoredKeys
from panto.config import Config, Secret, load
from panto.config.source import TomlValue
from panto.llm.client import Clients
from panto.llm.formats import FORMATS
from panto.llm.known_providers import KNOWN
from panto.llm.prices import OwnPrices
from panto.llm.providers import Available, ModelProblem, ResolvedModel, available_models, endpoint_of, resolve
from panto.llm.types import AccessError, Endpoint
from panto.paths import Paths
from tests.llm.talking import done, failed, request
from tests.support.llm_server import LLMServer


def config(directory: Path, **providers: TomlValue) -> Config:
    """Settings that say this of providers."""
    return load(Paths.discover(directory), {"providers": providers} if providers else {})


def found(name: str, settings: Config, environ: Mapping[str, str] | None = None) -> ResolvedModel:
    resolved = resolve(name, settings, environ or {})
    assert isinstance(resolved, ResolvedModel), resolved
    return resolved


def problem(name: str, settings: Config, environ: Mapping[str, str] | None = None) -> str:
    resolved = resolve(name, settings, environ or {})
    assert isinstance(resolved, ModelProblem), resolved
    assert "\n" not in resolved.message + resolved.hint
    return f"{resolved.message}; {resolved.hint}"


async def key_of(model: ResolvedModel) -> str:
    assert model.endpoint.credentials is not None
    return (await model.endpoint.credentials.get()).api_key


async def test_a_known_provider_needs_its_key_alone(tmp_path: Path) -> None:
    environ = {"ANTHROPIC_API_KEY": "sk-ant-1"}
    model = found("anthropic/claude-sonnet-4-5", config(tmp_path), environ)
    assert (model.name, model.model) == ("anthropic/claude-sonnet-4-5", "claude-sonnet-4-5")
    assert (model.endpoint.api, model.endpoint.base_url) == ("anthropic", "https://api.anthropic.com")
    assert model.endpoint.key_source == "ANTHROPIC_API_KEY"
    assert (model.context_window, model.max_tokens) == (200_000, 50_000)  # a quarter of the window
    assert await key_of(model) == "sk-ant-1"
    assert "sk-ant-1" not in repr(model)


def test_a_models_name_may_hold_slashes(tmp_path: Path) -> None:
    model = found("openrouter/anthropic/claude-sonnet-4.5", config(tmp_path), {"OPENROUTER_API_KEY": "k"})
    assert (model.model, model.endpoint.provider) == ("anthropic/claude-sonnet-4.5", "openrouter")


@pytest.mark.parametrize("name", KNOWN)
def test_every_known_provider_can_be_used(name: str, tmp_path: Path) -> None:
    environ = dict.fromkeys(KNOWN[name].key_variables, "key")
    own = KNOWN[name].own_address
    addresses: dict[str, TomlValue] = {name: {"base_url": own}} if own else {}
    settings = config(tmp_path, **addresses)
    endpoint = found(f"{name}/some-model", settings, environ).endpoint
    assert endpoint.api in FORMATS
    assert endpoint.base_url.startswith(("https://", "http://127.0.0.1:"))
    assert endpoint.quirks == KNOWN[name].quirks
    bare = resolve(f"{name}/some-model", settings, {})
    assert isinstance(bare, ModelProblem) == KNOWN[name].needs_key


async def test_a_provider_of_ones_own(tmp_path: Path) -> None:
    local: TomlValue = {
        "api": "openai-chat",
        "base_url": "http://127.0.0.1:8080/v1",
        "api_key": "env:LOCAL_KEY",
        "headers": {"x-tenant": "me"},
        "stall_timeout": 7.0,
        "models": {"qwen3": {"context_window": 32768, "max_tokens": 1000}},
    }
    model = found("local/qwen3", config(tmp_path, local=local), {"LOCAL_KEY": "secret-key"})
    assert (model.context_window, model.max_tokens) == (32768, 1000)
    assert (model.endpoint.base_url, model.endpoint.stall_timeout) == ("http://127.0.0.1:8080/v1", 7.0)
    assert model.endpoint.key_source == "LOCAL_KEY"
    assert await key_of(model) == "secret-key"
    assert model.endpoint.credentials is not None
    assert (await model.endpoint.credentials.get()).headers == {"x-tenant": "me"}
    other = found("local/other", config(tmp_path, local=local), {"LOCAL_KEY": "secret-key"})
    assert (other.context_window, other.max_tokens) == (None, None)


def test_config_overrides_what_is_known(tmp_path: Path) -> None:
    settings = config(tmp_path, anthropic={"base_url": "http://127.0.0.1:9", "models": {"claude-x": {"max_tokens": 5}}})
    model = found("anthropic/claude-x", settings)  # a server of one's own may want no key
    assert (model.endpoint.base_url, model.max_tokens) == ("http://127.0.0.1:9", 5)


def test_a_model_on_this_machine_may_take_its_time(tmp_path: Path) -> None:
    settings = config(tmp_path, ollama={"stall_timeout": 900.0})
    assert found("ollama/qwen3", config(tmp_path)).endpoint.header_timeout == 600.0
    assert found("ollama/qwen3", settings).endpoint.header_timeout == 900.0


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("anthropic", "names a provider, but no model; write it as anthropic/"),
        ("anthropic/", "names a provider, but no model"),
        ("claude-sonnet-4-5", "write it as provider/model"),
        ("", "write it as provider/model"),
        ("/", "write it as provider/model"),
        ("/x", "write it as provider/model"),
        ("antropic/claude", "there is no provider 'antropic'; did you mean anthropic?"),
        ("zzz/claude", "there is no provider 'zzz'; known are anthropic, azure, bedrock"),
        ("zzz/claude", "[providers.zzz]"),
        ("openai/gpt-5", "there is no key for openai; set OPENAI_API_KEY, or api_key in [providers.openai]"),
        ("demo/other", "write it as demo/panto-demo"),
    ],
)
def test_what_is_wrong_with_a_name(name: str, words: str, tmp_path: Path) -> None:
    assert words in problem(name, config(tmp_path))


@pytest.mark.parametrize(
    ("provider", "words"),
    [
        ({"base_url": "http://127.0.0.1:1/v1"}, "[providers.local] has no api; set api in"),
        ({"api": "openai-chat"}, "[providers.local] has no base_url; set it in"),
        (
            {"api": "anthropic", "base_url": "http://127.0.0.1:1", "api_key": "env:LOCAL_KEY"},
            "there is no key for local: LOCAL_KEY is not set; set LOCAL_KEY",
        ),
    ],
)
def test_what_a_provider_lacks(provider: TomlValue, words: str, tmp_path: Path) -> None:
    assert words in problem("local/m", config(tmp_path, local=provider))


def test_names_of_ones_own_providers_are_near_misses_too(tmp_path: Path) -> None:
    settings = config(tmp_path, workbench={"api": "openai-chat", "base_url": "http://127.0.0.1:1/v1"})
    assert "did you mean workbench?" in problem("worckbench/m", settings)


def test_a_key_in_a_header_is_a_key(tmp_path: Path) -> None:
    found("openai/gpt-5", config(tmp_path, openai={"headers": {"Authorization": "Bearer x"}}))


def test_a_variable_that_is_blank_is_not_set(tmp_path: Path) -> None:
    assert "OPENAI_API_KEY" in problem("openai/gpt-5", config(tmp_path), {"OPENAI_API_KEY": "  "})


def test_the_providers_that_have_a_key(tmp_path: Path) -> None:
    assert available_models({}, config(tmp_path)) == ()
    environ = {"OPENAI_API_KEY": "k", "GROQ_API_KEY": "k", "OTHER": "k"}
    settings = config(
        tmp_path, local={"api_key": "sk-written-out", "models": {"m": {}}}, mine={"api_key": "env:NOT_SET"}
    )
    assert available_models(environ, settings) == (
        Available("local", "api_key in [providers.local]", "m"),
        Available("openai", "OPENAI_API_KEY", "gpt-5"),
        Available("groq", "GROQ_API_KEY", "openai/gpt-oss-120b"),
    )


async def test_a_command_gives_the_key_once(tmp_path: Path) -> None:
    count = tmp_path / "count"
    command = f"!echo x >> {count}; echo sk-from-the-command"
    settings = config(tmp_path, local={"api": "openai-chat", "base_url": "http://127.0.0.1:1/v1", "api_key": command})
    model = found("local/m", settings)
    assert model.endpoint.key_source == "api_key in [providers.local]"
    assert [await key_of(model) for _ in range(3)] == ["sk-from-the-command"] * 3
    assert count.read_text() == "x\n"
    assert model.endpoint.credentials is not None
    model.endpoint.credentials.forget()
    await key_of(model)
    assert count.read_text() == "x\nx\n"


async def test_a_command_that_fails_is_the_end_of_the_stream(tmp_path: Path, clients: Clients) -> None:
    local: TomlValue = {"api": "openai-chat", "base_url": "http://127.0.0.1:1/v1", "api_key": "!exit 3"}
    model = found("local/m", config(tmp_path, local=local))
    with pytest.raises(AccessError):
        await key_of(model)
    end = await failed(request(model="m"), model.endpoint, clients)
    assert end.failure.kind == "auth"
    assert "providers.local.api_key" in end.failure.message
    assert end.failure.hint


@pytest.mark.parametrize("api", ["openai-chat", "anthropic"])
async def test_the_whole_way_from_config_to_an_answer(api: str, tmp_path: Path, clients: Clients) -> None:
    with LLMServer(["Hello."], api_key="sk-right") as server:
        address = server.base_url if api == "openai-chat" else server.anthropic_url
        local: TomlValue = {"api": api, "base_url": address, "api_key": "env:LOCAL_KEY"}
        model = found("local/test-model", config(tmp_path, local=local), {"LOCAL_KEY": "sk-right"})
        assert (await done(request(), model.endpoint, clients)).model == "local/test-model"


def test_an_answer_is_bounded_only_where_the_api_wants_a_bound(tmp_path: Path) -> None:
    environ = {"OPENAI_API_KEY": "k", "ANTHROPIC_API_KEY": "k"}
    assert found("openai/gpt-5", config(tmp_path), environ).max_tokens is None
    assert found("anthropic/claude-opus-5-5", config(tmp_path), environ).max_tokens == 128_000
    assert found("anthropic/claude-3-haiku-20240307", config(tmp_path), environ).max_tokens == 4_096
    small: TomlValue = {"models": {"claude-opus-5-5": {"context_window": 20_000}}}
    assert found("anthropic/claude-opus-5-5", config(tmp_path, anthropic=small), environ).max_tokens == 5_000
    own: TomlValue = {"models": {"claude-opus-5-5": {"max_tokens": 200_000}}}
    assert found("anthropic/claude-opus-5-5", config(tmp_path, anthropic=own), environ).max_tokens == 200_000


def test_what_is_known_of_a_model_is_in_it(tmp_path: Path) -> None:
    model = found("anthropic/claude-opus-5-5", config(tmp_path), {"ANTHROPIC_API_KEY": "k"})
    assert (model.thinking_style, model.levels, model.sees_images) == ("adaptive", ("low", "medium", "high"), True)
    assert (model.prices, model.thinking_set, model.images_set) == (None, False, False)
    own: TomlValue = {"models": {"m": {"thinking": "effort", "input": ["text"], "price_output": 1}}}
    model = found("ollama/m", config(tmp_path, ollama=own))
    assert (model.thinking_style, model.sees_images, model.prices) == ("effort", False, OwnPrices(output=1.0))
    assert (model.thinking_set, model.images_set) == (True, True)


def stored(**keys: str) -> StoredKeys:
    return StoredKeys({name: StoredKey(Secret(key), f"~/keys/{name}.key") for name, key in keys.items()})


async def test_a_stored_key_counts_after_config_and_environment(tmp_path: Path) -> None:
    keys = stored(openai="sk-stored", work="sk-work")
    work: TomlValue = {"api": "openai-chat", "base_url": "http://127.0.0.1:9/v1"}
    settings = config(tmp_path, work=work)

    def model(name: str, of: Config, environ: Mapping[str, str]) -> ResolvedModel:
        resolved = resolve(name, of, environ, stored=keys)
        assert isinstance(resolved, ResolvedModel), resolved
        assert "sk-stored" not in repr(resolved)
        return resolved

    plain = model("openai/gpt-5", settings, {})
    assert (plain.endpoint.key_source, await key_of(plain)) == ("~/keys/openai.key", "sk-stored")
    assert await key_of(model("openai/gpt-5", settings, {"OPENAI_API_KEY": "sk-env"})) == "sk-env"
    said = config(tmp_path, openai={"api_key": "sk-config"})
    assert await key_of(model("openai/gpt-5", said, {})) == "sk-config"
    assert await key_of(model("work/m", settings, {})) == "sk-work"
    assert [each.source for each in available_models({}, settings, keys)] == ["~/keys/work.key", "~/keys/openai.key"]


async def test_a_stored_key_does_not_go_where_a_project_says(tmp_path: Path) -> None:
    file = tmp_path / ".panto/config.toml"
    file.parent.mkdir()
    file.write_text('[providers.openai]\nbase_url = "https://evil.example/v1"\n')
    resolved = resolve("openai/gpt-5", load(Paths.discover(tmp_path)), {}, stored=stored(openai="sk-stored"))
    assert isinstance(resolved, ResolvedModel)
    with pytest.raises(AccessError) as refused:
        await key_of(resolved)
    assert "sk-stored" not in str(refused.value)


def test_where_a_provider_is_asked(tmp_path: Path) -> None:
    endpoint = endpoint_of("groq", config(tmp_path), {"GROQ_API_KEY": "k"})
    assert isinstance(endpoint, Endpoint)
    assert endpoint.base_url == KNOWN["groq"].base_url
    assert isinstance(endpoint_of("groq", config(tmp_path), {}), ModelProblem)
    assert isinstance(endpoint_of("nobody", config(tmp_path), {}), ModelProblem)
