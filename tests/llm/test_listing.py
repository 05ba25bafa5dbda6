"""Servers are asked for their models: each API in its own way, and none of them is trusted."""

import threading
from collections.abc import Callable
from dataclasses import replace

import pytest

from panto.json_values import text_at
from panto.llm import asking, listing
from panto.llm.client import Clients
from panto.llm.demo import demo_endpoint
from panto.llm.listing import ListedModel, list_models
from panto.llm.types import Endpoint, Failure
from tests.support.json_server import Answer, Asked, JSONServer
from tests.support.llm_server import LLMServer

KEY = "sk-secret-of-the-tests"


def at(server: JSONServer, api: str, base: str = "/v1", provider: str = "mine") -> Endpoint:
    return Endpoint(provider, api, f"{server.url}{base}", api_key=KEY, connect_timeout=5)


async def listed(endpoint: Endpoint, clients: Clients) -> list[ListedModel]:
    found = await list_models(endpoint, clients)
    assert not isinstance(found, Failure), found
    return found


async def failed(endpoint: Endpoint, clients: Clients) -> Failure:
    found = await list_models(endpoint, clients)
    assert isinstance(found, Failure), found
    assert KEY not in found.message + found.hint
    return found


@pytest.mark.parametrize("api", ["openai-chat", "openai-responses", "anthropic"])
async def test_the_scripted_server_lists_its_models(api: str, clients: Clients) -> None:
    with LLMServer([], api_key=KEY, models=("b-model", "a-model")) as server:
        base = server.anthropic_url if api == "anthropic" else server.base_url
        found = await listed(Endpoint("mine", api, base, api_key=KEY), clients)
        assert [model.name for model in found] == ["a-model", "b-model"]
        wrong = await failed(Endpoint("mine", api, base, api_key="sk-wrong-key"), clients)
        assert wrong.kind == "auth"


async def test_names_alone_are_enough(clients: Clients) -> None:
    with JSONServer({"/v1/models": {"object": "list", "data": [{"id": "m"}]}}) as server:
        assert await listed(at(server, "openai-chat"), clients) == [ListedModel("m")]
        assert server.asked[0].headers["authorization"] == f"Bearer {KEY}"


@pytest.mark.parametrize(
    ("item", "expected"),
    [
        ({"owned_by": "vllm", "max_model_len": 32768}, ListedModel("m", 32768)),
        ({"context_window": 131072, "max_completion_tokens": 1}, ListedModel("m", 131072)),
        ({"max_context_length": 262144, "capabilities": {"vision": True}}, ListedModel("m", 262144, sees_images=True)),
        (
            {
                "context_length": 200000,
                "architecture": {"input_modalities": ["text"]},
                "supported_parameters": ["tools", "reasoning"],
            },
            ListedModel("m", 200000, sees_images=False, thinks=True),
        ),
        ({"meta": {"n_ctx_train": 40960}}, ListedModel("m", longest=40960)),
        ({"max_model_len": True, "context_length": -1}, ListedModel("m")),
        ({"max_model_len": "32768"}, ListedModel("m")),
        ({"max_model_len": 10**40}, ListedModel("m")),
        ({"capabilities": {"vision": "yes"}, "architecture": "x", "supported_parameters": {}}, ListedModel("m")),
    ],
)
async def test_what_servers_add_in_their_own_ways(
    item: dict[str, object], expected: ListedModel, clients: Clients
) -> None:
    with JSONServer({"/v1/models": {"data": [{"id": "m", **item}]}}) as server:
        assert await listed(at(server, "openai-chat"), clients) == [expected]


async def test_llama_cpp_is_asked_what_it_was_started_with(clients: Clients) -> None:
    models = {"data": [{"id": "m", "owned_by": "llamacpp", "meta": {"n_ctx_train": 40960}}]}
    props = {"default_generation_settings": {"n_ctx": 8192}, "modalities": {"vision": True}}
    with JSONServer({"/v1/models": models, "/props": props}) as server:
        assert await listed(at(server, "openai-chat"), clients) == [ListedModel("m", 8192, 40960, sees_images=True)]
    with JSONServer({"/v1/models": models}) as server:
        assert await listed(at(server, "openai-chat"), clients) == [ListedModel("m", longest=40960)]


async def test_lm_studio_is_asked_in_its_own_api(clients: Clients) -> None:
    plain = {"data": [{"id": "a"}, {"id": "b"}, {"id": "e"}]}
    own = {
        "data": [
            {"id": "a", "type": "vlm", "max_context_length": 32768, "loaded_context_length": 4096},
            {"id": "b", "type": "llm", "max_context_length": 131072},
            {"id": "e", "type": "embeddings", "max_context_length": 2048},
        ]
    }
    with JSONServer({"/v1/models": plain, "/api/v0/models": own}) as server:
        assert await listed(at(server, "openai-chat", provider="lmstudio"), clients) == [
            ListedModel("a", 4096, 32768, sees_images=True),
            ListedModel("b", None, 131072, sees_images=False),
        ]
    with JSONServer({"/v1/models": plain}) as server:
        assert len(await listed(at(server, "openai-chat", provider="lmstudio"), clients)) == 3


def in_pages(key: str, items: list[dict[str, object]], mark: str, more: Callable[[int], dict[str, object]]) -> object:
    """A list that gives one item a page; the mark of the next is its number."""

    def page(asked: Asked) -> object:
        place = int(asked.query.get(mark, "0"))
        return {key: [items[place]], **(more(place + 1) if place + 1 < len(items) else {})}

    return page


@pytest.mark.parametrize("base", ["", "/v1"])
async def test_anthropic_lists_in_pages(base: str, clients: Clients) -> None:
    items: list[dict[str, object]] = [
        {"id": "claude-a", "max_input_tokens": 200000, "capabilities": {"image_input": {"supported": True}}},
        {"id": "claude-b", "capabilities": {"thinking": {"supported": False}}},
        {"id": "claude-c"},
    ]
    pages = in_pages("data", items, "after_id", lambda place: {"has_more": True, "last_id": str(place)})
    with JSONServer({"/v1/models": pages}) as server:
        assert await listed(at(server, "anthropic", base), clients) == [
            ListedModel("claude-a", 200000, sees_images=True),
            ListedModel("claude-b", thinks=False),
            ListedModel("claude-c"),
        ]
        assert [asked.headers["x-api-key"] for asked in server.asked] == [KEY] * 3
        assert server.asked[0].headers["anthropic-version"] == "2023-06-01"
        assert server.asked[0].query == {"limit": "1000"}


@pytest.mark.parametrize("base", ["", "/v1beta"])
async def test_gemini_lists_in_pages_what_can_be_talked_to(base: str, clients: Clients) -> None:
    talks = {"supportedGenerationMethods": ["generateContent"]}
    items: list[dict[str, object]] = [
        {"name": "models/gemini-a", "inputTokenLimit": 1048576, "thinking": True, **talks},
        {"name": "models/embedding", "supportedGenerationMethods": ["embedContent"]},
        {"name": "models/gemini-b", **talks},
    ]
    pages = in_pages("models", items, "pageToken", lambda place: {"nextPageToken": str(place)})
    with JSONServer({"/v1beta/models": pages}) as server:
        assert await listed(at(server, "gemini", base), clients) == [
            ListedModel("gemini-a", 1048576, thinks=True),
            ListedModel("gemini-b"),
        ]
        assert server.asked[0].headers["x-goog-api-key"] == KEY


@pytest.mark.parametrize("mark", ["same", None])
async def test_a_list_that_never_ends_is_left(mark: str | None, clients: Clients) -> None:
    count = iter(range(10_000))

    def page(_asked: Asked) -> object:
        return {"data": [{"id": "m"}], "has_more": True, "last_id": mark or str(next(count))}

    with JSONServer({"/v1/models": page}) as server:
        assert await listed(at(server, "anthropic"), clients) == [ListedModel("m")]
        assert len(server.asked) == (2 if mark else listing.MOST_PAGES)


def shown(asked: Asked) -> object:
    """What ollama says of a model that is asked for."""
    models: dict[str, object] = {
        "qwen3:8b": {
            "capabilities": ["completion", "tools", "thinking"],
            "model_info": {"general.architecture": "qwen3", "qwen3.context_length": 40960},
        },
        "own:latest": {
            "parameters": 'stop "x"\nnum_ctx                        16384\n',
            "capabilities": ["completion", "vision"],
            "model_info": {"general.architecture": "llama", "llama.context_length": 131072},
        },
        "old": {"model_info": {"general.architecture": ["?"]}, "parameters": "num_ctx many"},
    }
    return models.get(text_at(asked.body, "model"), Answer({"error": "model not found"}, 404))


@pytest.mark.parametrize("base", ["", "/api"])
async def test_ollama_is_asked_for_each_model(base: str, clients: Clients) -> None:
    tags = {"models": [{"name": name} for name in ("qwen3:8b", "own:latest", "old", "gone")]}
    running = {"models": [{"name": "qwen3:8b", "context_length": 8192}]}
    with JSONServer({"/api/tags": tags, "/api/show": shown, "/api/ps": running}) as server:
        assert await listed(at(server, "ollama", base, "ollama"), clients) == [
            ListedModel("gone"),
            ListedModel("old"),
            ListedModel("own:latest", 16384, 131072, sees_images=True, thinks=False),
            ListedModel("qwen3:8b", 8192, 40960, sees_images=False, thinks=True),
        ]
    with JSONServer({"/api/tags": tags, "/api/show": shown}) as server:  # too old to say what runs
        assert (await listed(at(server, "ollama", base), clients))[-1].context_window is None


async def test_what_can_be_no_name_is_left_out(clients: Clients) -> None:
    names: list[object] = ["ok", "ok", "", " padded", "x" * 301, "a\x1b[31mb", "a\nb", "a\u202eb", 5, None, ["m"]]
    items: list[object] = [*({"id": name} for name in names), "text", 7, None, names, {"name": "m"}]
    with JSONServer({"/v1/models": {"data": items}}) as server:
        assert await listed(at(server, "openai-chat"), clients) == [ListedModel("ok")]


@pytest.mark.parametrize("body", [[], "text", 7, None, {}, {"data": None}, {"data": {"id": "m"}}])
async def test_a_list_that_is_none_is_empty(body: object, clients: Clients) -> None:
    with JSONServer(dict.fromkeys(("/v1/models", "/api/tags"), body)) as server:
        for api in ("openai-chat", "anthropic"):
            assert await listed(at(server, api), clients) == []
        assert await listed(at(server, "ollama", ""), clients) == []


@pytest.mark.parametrize("api", ["openai-chat", "anthropic", "gemini", "ollama"])
async def test_what_goes_wrong_is_a_failure(api: str, clients: Clients) -> None:
    paths = ("/v1/models", "/v1/api/tags")
    with JSONServer(dict.fromkeys(paths, Answer(b"<html>"))) as server:
        assert (await failed(at(server, api), clients)).kind == "protocol"
    quoting = Answer({"error": {"message": f"no such key: {KEY}"}}, 401)
    with JSONServer(dict.fromkeys(paths, quoting)) as server:
        assert (await failed(at(server, api), clients)).kind == "auth"
    with JSONServer({}) as server:
        assert (await failed(at(server, api), clients)).kind == "not_found"
        gone = at(server, api)
    assert (await failed(gone, clients)).kind == "network"
    assert (await failed(replace(gone, base_url="nowhere"), clients)).kind == "config"
    assert (await failed(replace(gone, headers={"x-token": "a\nb"}), clients)).kind == "config"


async def test_a_body_without_end_is_left(clients: Clients, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(asking, "MAX_BODY", 1000)
    with JSONServer({"/v1/models": {"data": [{"id": "m" * 2000}]}}) as server:
        assert "longer than 1000 bytes" in (await failed(at(server, "openai-chat"), clients)).message


async def test_a_server_that_does_not_answer_is_left(clients: Clients, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listing, "SECONDS", 0.05)
    waiting = threading.Event()

    def wait(_asked: Asked) -> object:
        return waiting.wait()

    with JSONServer({"/v1/models": wait}) as server:
        assert (await failed(at(server, "openai-chat"), clients)).kind == "stalled"
        waiting.set()


async def test_some_can_not_be_asked(clients: Clients) -> None:
    refused = await failed(Endpoint("bedrock", "bedrock", "https://x.invalid"), clients)
    assert refused.kind == "config"
    assert await listed(demo_endpoint(), clients) == [ListedModel("panto-demo")]
