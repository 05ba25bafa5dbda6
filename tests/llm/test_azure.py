"""Azure: its two kinds of address, its key, its errors, and how its filters show."""

import json
from pathlib import Path

import pytest

from panto.config.source import TomlValue
from panto.llm.azure import versioned
from panto.llm.client import Clients
from panto.llm.providers import available_models
from panto.llm.types import Endpoint, FailureKind, Quirks
from panto.messages import Text
from tests.llm.talking import done, failed, request
from tests.llm.test_openai_chat_stream import delta, fed
from tests.llm.test_providers import config, found, problem
from tests.support.llm.openai_chat.format import OpenAIChat
from tests.support.llm_server import Events, LLMServer, Status

KEY = {"AZURE_OPENAI_API_KEY": "azure-key"}
NEW = "https://mine.openai.azure.com/openai/v1"
OLD = "https://mine.openai.azure.com"


def test_the_new_address_needs_no_version(tmp_path: Path) -> None:
    model = found("azure/gpt-5", config(tmp_path, azure={"base_url": NEW}), KEY)
    assert (model.endpoint.base_url, dict(model.endpoint.query)) == (NEW, {})
    assert model.endpoint.quirks.key_header == "api-key"
    assert model.endpoint.quirks.cache_key


def test_the_older_address_names_the_deployment_and_a_version(tmp_path: Path) -> None:
    older: dict[str, TomlValue] = {"base_url": OLD, "api_version": "2024-10-21"}
    endpoint = found("azure/my gpt/5", config(tmp_path, azure=older), KEY).endpoint
    assert endpoint.base_url == f"{OLD}/openai/deployments/my%20gpt%2F5"
    assert endpoint.query == {"api-version": "2024-10-21"}
    assert not endpoint.quirks.cache_key
    responses = found("azure/gpt-5", config(tmp_path, azure={**older, "api": "openai-responses"}), KEY).endpoint
    assert responses.base_url == f"{OLD}/openai"


@pytest.mark.parametrize(
    ("base", "address"),
    [
        (f"{OLD}/", f"{OLD}/openai/deployments/m"),
        (f"{OLD}/openai", f"{OLD}/openai/deployments/m"),
        (f"{OLD}/openai/deployments/other", f"{OLD}/openai/deployments/other"),
        (NEW, NEW),
        ("https://gateway.example/azure", "https://gateway.example/azure/openai/deployments/m"),
    ],
)
def test_an_address_that_is_azures_already_stays(base: str, address: str) -> None:
    made = versioned(Endpoint("azure", "openai-chat", base, quirks=Quirks()), "m", "preview")
    assert (made.base_url, made.query) == (address, {"api-version": "preview"})


def test_what_is_missing_is_told(tmp_path: Path) -> None:
    assert f'set it in [providers.azure], as base_url = "{NEW.replace("mine", "NAME")}"' in problem(
        "azure/gpt-5", config(tmp_path), KEY
    )
    settings = config(tmp_path, azure={"base_url": NEW})
    assert "set AZURE_OPENAI_API_KEY, or api_key in [providers.azure]" in problem("azure/gpt-5", settings)
    assert available_models(KEY, config(tmp_path)) == ()
    assert [one.provider for one in available_models(KEY, settings)] == ["azure"]


@pytest.mark.parametrize("version", ["2024-10-21&x=y", "", "a b"])
def test_a_version_that_is_none_is_left_out(version: str, tmp_path: Path) -> None:
    settings = config(tmp_path, azure={"base_url": NEW, "api_version": version})
    assert settings.diagnostics
    assert not found("azure/gpt-5", settings, KEY).endpoint.query


async def test_the_whole_way(tmp_path: Path, clients: Clients) -> None:
    path = "/openai/deployments/my-gpt/chat/completions"
    with LLMServer(["Hello."], formats=[OpenAIChat(path=path)]) as server:
        older: TomlValue = {"base_url": f"http://127.0.0.1:{server.port}", "api_version": "2024-10-21"}
        model = found("azure/my-gpt", config(tmp_path, azure=older), KEY)
        answer = await done(request(model="my-gpt"), model.endpoint, clients)
        (sent,) = server.requests
    assert answer.text == "Hello."
    assert sent.path == f"{path}?api-version=2024-10-21"
    assert (sent.headers["api-key"], "authorization" in sent.headers) == ("azure-key", False)


FILTER = {"hate": {"filtered": False, "severity": "safe"}}
REFUSED = {
    "error": {
        "message": "The response was filtered due to the prompt triggering Azure OpenAI's content management policy.",
        "type": None,
        "param": "prompt",
        "code": "content_filter",
        "status": 400,
        "innererror": {"code": "ResponsibleAIPolicyViolation", "content_filter_result": FILTER},
    }
}


def test_what_filters_say_beside_the_answer_does_no_harm() -> None:
    prompt: dict[str, object] = {
        "choices": [],
        "created": 0,
        "id": "",
        "model": "",
        "object": "",
        "prompt_filter_results": [{"prompt_index": 0, "content_filter_results": FILTER}],
    }
    verdict: dict[str, object] = {
        "choices": [
            {"index": 0, "finish_reason": None, "content_filter_results": FILTER, "content_filter_offsets": {"a": 1}}
        ]
    }
    decoder, _ = fed(prompt, delta(content="Hello"), verdict, delta("stop"), "[DONE]")
    assert decoder.message().parts == (Text("Hello"),)
    cut, _ = fed(prompt, delta(content="Hel"), delta("content_filter"), "[DONE]")
    assert (cut.message().text, cut.message().stop) == ("Hel", "refused")


@pytest.mark.parametrize(
    ("answer", "kind", "words"),
    [
        (Status(400, json.dumps(REFUSED)), "bad_request", "content management policy"),
        (Events([REFUSED]), "bad_request", "content management policy"),
        (Status(401, '{"error": {"code": "401", "message": "Access denied"}}'), "auth", "Access denied"),
        (Status(401, '{"statusCode": 401, "message": "Unauthorized."}'), "auth", "Unauthorized."),
        (Status(404, '{"error": {"code": "DeploymentNotFound", "message": "No such"}}'), "not_found", "No such"),
        (Status(404, '{"error": {"code": "404", "message": "Resource not found"}}'), "not_found", "Resource not found"),
        (Status(429, '{"error": {"code": "429", "message": "Too many"}}', {"retry-after": "7"}), "rate_limit", "Too"),
        (Events([{"error": {"code": "RateLimitReached", "message": "Too many"}}]), "rate_limit", "Too many"),
    ],
)
async def test_its_errors(
    answer: Status | Events, kind: FailureKind, words: str, tmp_path: Path, clients: Clients
) -> None:
    with LLMServer([answer]) as server:
        model = found("azure/test-model", config(tmp_path, azure={"base_url": server.base_url}), KEY)
        end = await failed(request(), model.endpoint, clients)
    assert (end.failure.kind, words in end.failure.message) == (kind, True)
