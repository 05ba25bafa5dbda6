"""Which model is talked to, what is said when there is none, and what is learned of it on the way."""

import sys
from collections.abc import AsyncGenerator, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from panto.agent.model_call import Model, ModelUnavailable
from panto.auth import read_stored, store_key
from panto.config import Config, load
from panto.config.source import TomlValue
from panto.llm.types import Done, Failure, Request, ThinkingLevel
from panto.messages import Text, Usage, User
from panto.models import DEMO, Models
from panto.paths import Paths
from tests.support.json_server import Asked, JSONServer
from tests.support.llm_server import LLMServer, Reply

ENVIRON = {"ANTHROPIC_API_KEY": "k", "OPENAI_API_KEY": "k"}


def config(directory: Path, **settings: TomlValue) -> Config:
    return load(Paths.discover(directory), settings)


@dataclass
class Made:
    """Models of a test, closed behind it."""

    directory: Path
    models: list[Models] = field(default_factory=list[Models])

    def __call__(self, **settings: TomlValue) -> Models:
        made = Models(config(self.directory, **settings), ENVIRON)
        self.models.append(made)
        return made


@pytest.fixture
async def made(tmp_path: Path) -> AsyncGenerator[Made]:
    found = Made(tmp_path)
    yield found
    for models in found.models:
        await models.close()


async def ready(models: Models, name: str | None = None) -> Model:
    model = await models.current(name)
    assert isinstance(model, Model), model
    return model


def test_without_a_choice_it_says_what_to_set_and_offers_the_demo(tmp_path: Path) -> None:
    problem = Models(load(Paths.discover(tmp_path)), {}).problem()
    assert isinstance(problem, ModelUnavailable)
    assert "config.toml" in problem.hint
    assert "/demo" in problem.hint


def test_a_key_in_the_environment_is_found_and_a_model_for_it_named(tmp_path: Path) -> None:
    problem = Models(load(Paths.discover(tmp_path)), {"ANTHROPIC_API_KEY": "secret-key"}).problem()
    assert isinstance(problem, ModelUnavailable)
    assert "there is a key for anthropic (ANTHROPIC_API_KEY): type /model anthropic/claude-" in problem.hint
    assert "secret-key" not in problem.hint


async def test_the_choice_is_kept_until_another_is_made(made: Made) -> None:
    models = made()
    models.choose(DEMO)
    first = await ready(models)
    assert await models.current() is first
    assert models.context_window == first.context_window
    models.choose("nobody/knows")
    assert isinstance(await models.current(), ModelUnavailable)


async def test_a_stored_key_is_found_and_sent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "keyring", None)
    store_key(tmp_path / "keys", "openai", "sk-stored-key")
    stored = read_stored(tmp_path / "keys")
    settings = config(tmp_path)
    hint = Models(settings, {}, stored).problem()
    assert hint is not None
    assert "there is a key for openai (" in hint.hint
    with LLMServer(["Hi."], api_key="sk-stored-key") as server:
        asked = config(tmp_path, providers={"openai": {"base_url": server.base_url}})
        models = Models(asked, {}, stored)
        model = await ready(models, "openai/test-model")
        end = [event async for event in model.stream(_asked(model))][-1]
        await models.close()
    assert isinstance(end, Done)


@pytest.mark.parametrize(
    ("name", "chosen", "style", "level", "said"),
    [
        ("anthropic/claude-sonnet-5-5", "high", "adaptive", "high", ""),
        ("anthropic/claude-sonnet-5-5", None, "adaptive", None, ""),
        ("anthropic/claude-opus-5-5", "off", "adaptive", "low", "can't be told to think off: it is told low"),
        ("anthropic/claude-haiku-4-5", "low", "budget", "low", ""),
        ("openai/gpt-4.1", "high", "none", None, "does not think"),
        ("openai/gpt-99", "high", "unknown", None, "not known how openai/gpt-99 is told"),
    ],
)
async def test_how_much_to_think_is_in_the_request(
    name: str, chosen: ThinkingLevel | None, style: str, level: str | None, said: str, made: Made
) -> None:
    models = made(model=name, **({"thinking": chosen} if chosen else {}))
    model = await ready(models)
    assert (model.request.thinking_style, model.request.thinking) == (style, level)
    assert models.thinking == chosen
    assert said in models.thinking_notice()
    assert bool(said) == bool(models.thinking_notice())


async def test_another_level_holds_from_the_next_request_on(made: Made) -> None:
    models = made(model="anthropic/claude-sonnet-5-5", thinking="low")
    assert (await ready(models)).request.thinking == "low"
    models.choose_thinking("high")
    assert (await ready(models)).request.thinking == "high"
    models.choose_thinking(None)
    assert (await ready(models)).request.thinking is None


async def test_config_says_what_a_model_can_do(made: Made) -> None:
    own: TomlValue = {"thinking": "switch", "input": ["text"], "price_input": 3.0, "price_output": 9.0}
    models = made(model="anthropic/claude-opus-5-5", providers={"anthropic": {"models": {"claude-opus-5-5": own}}})
    models.choose_thinking("off")
    model = await ready(models)
    assert (model.request.thinking_style, model.request.thinking, model.request.sees_images) == ("switch", "off", False)
    assert model.price(Usage(input=1_000_000, output=1_000_000)) == 12.0
    assert model.price(Usage()) is None


async def test_images_are_for_models_that_see(made: Made) -> None:
    models = made()
    assert (await ready(models, "openai/gpt-5")).request.sees_images
    assert not (await ready(models, "openai/o3-mini")).request.sees_images
    assert (await ready(models, "openai/gpt-99")).request.sees_images


async def test_the_price_is_there_when_the_answer_is(made: Made) -> None:
    with LLMServer([Reply("Hi.")]) as server:
        models = made(providers={"anthropic": {"base_url": server.anthropic_url}})
        model = await ready(models, "anthropic/claude-haiku-4-5")
        [*_, end] = [event async for event in model.stream(_asked(model))]
        assert isinstance(end, Done)
        cost = model.price(end.message.usage)
    assert cost is not None
    assert cost > 0


def _asked(model: Model) -> Request:
    return replace(model.request, messages=(User((Text("Hi"),)),))


def local(server: JSONServer, api: str = "openai-chat", base: str = "/v1", **models: TomlValue) -> TomlValue:
    return {"api": api, "base_url": f"{server.url}{base}", "models": models}


async def test_a_servers_window_is_learned_behind_the_first_request(made: Made) -> None:
    with JSONServer({"/v1/models": {"data": [{"id": "m", "max_model_len": 32768}]}}) as server:
        models = made(model="mine/m", providers={"mine": local(server)})
        assert (await ready(models)).context_window is None
        await models.listed("mine")
        assert models.context_window == 32768
        assert (await ready(models)).context_window == 32768
        assert len(server.asked) == 1
        assert (await ready(models, "mine/other")).context_window is None


@pytest.mark.parametrize("own", [{"context_window": 5000}, {"num_ctx": 5000}])
async def test_what_config_knows_is_not_asked_for(own: TomlValue, made: Made) -> None:
    with JSONServer({"/v1/models": {"data": [{"id": "m", "max_model_len": 32768}]}}) as server:
        models = made(model="mine/m", providers={"mine": local(server, m=own)})
        assert (await ready(models)).context_window == 5000
        assert server.asked == []
        await models.listed("mine")
        assert models.context_window == 5000


async def test_a_server_that_does_not_know_yet_is_asked_again_but_not_for_ever(made: Made) -> None:
    with JSONServer({"/v1/models": {"data": [{"id": "m"}]}}) as server:
        models = made(model="mine/m", providers={"mine": local(server)})
        for _ in range(20):
            await ready(models)
            await models.settled()
        assert len(server.asked) == 5


def _ollama(thinks: bool, sees: bool) -> dict[str, object]:
    able = ["completion", *(["thinking"] if thinks else []), *(["vision"] if sees else [])]

    def shown(_asked: Asked) -> object:
        return {"capabilities": able, "parameters": "num_ctx 8192", "model_info": {}}

    return {"/api/tags": {"models": [{"name": name} for name in ("own", "gpt-oss:20b", "qwen3")]}, "/api/show": shown}


@pytest.mark.parametrize(
    ("model", "thinks", "style"),
    [
        ("own", True, "switch"),
        ("own", False, "none"),
        ("gpt-oss:20b", True, "effort"),
        ("qwen3", True, "switch"),
        ("qwen3", False, "none"),
    ],
)
@pytest.mark.parametrize("sees", [True, False])
async def test_what_ollama_says_of_a_model_holds(model: str, thinks: bool, style: str, sees: bool, made: Made) -> None:
    with JSONServer(_ollama(thinks, sees)) as server:
        models = made(providers={"ollama": {"base_url": server.url}})
        await models.listed("ollama")
        request = (await ready(models, f"ollama/{model}")).request
        assert (request.thinking_style, request.sees_images) == (style, sees)
        own: TomlValue = {"thinking": "always", "input": ["text", "image"]}
        models = made(providers={"ollama": {"base_url": server.url, "models": {model: own}}})
        await models.listed("ollama")
        request = (await ready(models, f"ollama/{model}")).request
        assert (request.thinking_style, request.sees_images) == ("always", True)


async def test_a_list_is_asked_for_once_and_a_failure_again(made: Made) -> None:
    answers: Iterator[object] = iter((None, {"data": [{"id": "m"}]}))

    def answer(_asked: Asked) -> object:
        found = next(answers)
        return found or b"no JSON"

    with JSONServer({"/v1/models": answer}) as server:
        models = made(providers={"mine": local(server)})
        assert isinstance(await models.listed("mine"), Failure)
        first = await models.listed("mine")
        assert not isinstance(first, Failure)
        assert [model.name for model in first] == ["m"]
        assert await models.listed("mine") is first
        assert len(server.asked) == 2


async def test_whom_there_is_no_talking_to_can_not_be_asked(made: Made, tmp_path: Path) -> None:
    assert isinstance(await made().listed("nobody"), Failure)
    assert isinstance(await made().listed("groq"), Failure)
    demo = await made().listed("demo")
    assert not isinstance(demo, Failure)
    with JSONServer({}) as server:
        file = tmp_path / ".panto/config.toml"
        file.parent.mkdir()
        file.write_text(f'[providers.mine]\napi = "openai-chat"\nbase_url = "{server.url}/v1"\n')
        refused = await made().listed("mine")
        assert isinstance(refused, Failure)
        assert "this project's own config" in refused.message
        assert server.asked == []


async def test_closing_ends_what_is_under_way(made: Made) -> None:
    with JSONServer({"/v1/models": {"data": []}}) as server:
        models = made(model="mine/m", providers={"mine": local(server)})
        await ready(models)
        await models.close()
        await models.settled()
