"""One request over real HTTP, in both wire formats: what servers refuse, and how it is told."""

import asyncio

import pytest

from panto.llm.client import Clients
from panto.llm.formats.bedrock.event_stream import MAX_PAYLOAD
from panto.llm.sse import MAX_EVENT
from panto.llm.types import Access, AccessError, Endpoint, FailureKind
from tests.llm.talking import APIS, done, endpoint, failed, request
from tests.support.llm.bedrock.frames import prelude
from tests.support.llm_server import Events, Failure, Gate, LLMServer, Raw, Reply, Status, StreamError

pytestmark = pytest.mark.parametrize("api", APIS)

KEY = "sk-secret-of-the-tests"


async def test_connections_are_kept(api: str, clients: Clients) -> None:
    with LLMServer(["one", "two", Failure("server"), "three"]) as server:
        where = endpoint(api, server)
        await done(request(), where, clients)
        await done(request(), where, clients)
        await failed(request(), where, clients)
        await done(request(), where, clients)
        assert server.connections == 1


KINDS: list[tuple[Failure, FailureKind]] = [
    (Failure("auth"), "auth"),
    (Failure("permission"), "auth"),
    (Failure("not_found"), "not_found"),
    (Failure("bad_request"), "bad_request"),
    (Failure("context"), "context_too_long"),
    (Failure("rate_limit", retry_after=7), "rate_limit"),
    (Failure("overloaded"), "overloaded"),
    (Failure("server"), "server"),
]


@pytest.mark.parametrize(("answer", "kind"), KINDS, ids=[kind for _, kind in KINDS])
async def test_each_class_of_error_is_told(api: str, answer: Failure, kind: FailureKind, clients: Clients) -> None:
    with LLMServer([answer]) as server:
        end = await failed(request(), endpoint(api, server), clients)
    assert end.failure.kind == kind
    assert end.failure.message.startswith("local: ")
    assert f"(HTTP {end.failure.status})" in end.failure.message
    assert end.failure.retry_after == answer.retry_after
    assert end.message.parts == ()


@pytest.mark.parametrize(
    ("answer", "kind", "words"),
    [
        (Status(502, "<html><body>Bad gateway</body></html>"), "server", "HTTP 502"),
        (Status(404, ""), "not_found", "HTTP 404 for http://127.0.0.1"),
        (Status(308, "", {"location": "https://elsewhere.example/v1"}), "config", "https://elsewhere.example/v1"),
        (Status(413, ""), "context_too_long", "HTTP 413"),
        (Status(418, ""), "bad_request", "HTTP 418"),
        (Status(503, '{"error": "busy"}'), "overloaded", "busy"),
        (Status(400, '{"detail": "no such field"}'), "bad_request", "no such field"),
        (Status(204, ""), "protocol", "HTTP 204"),
    ],
)
async def test_errors_in_nobodys_shape(
    api: str, answer: Status, kind: FailureKind, words: str, clients: Clients
) -> None:
    with LLMServer([answer]) as server:
        end = await failed(request(), endpoint(api, server), clients)
    assert end.failure.kind == kind
    assert words in end.failure.message
    assert "<html>" not in end.failure.message


async def test_an_error_in_the_midst_counts_at_once_though_the_socket_stays_open(api: str, clients: Clients) -> None:
    forever = Gate()
    error = {"type": "error", "error": {"type": "overloaded_error", "message": "Too much to do"}}
    with LLMServer([StreamError("overloaded", after="so far"), Events([error, forever])]) as server:
        where = endpoint(api, server)
        end = await failed(request(), where, clients)
        assert (end.failure.kind, end.message.text) == ("overloaded", "so far")
        end = await failed(request(), where, clients)
        assert (end.failure.kind, end.failure.message) == ("overloaded", "local: Too much to do")
        await asyncio.to_thread(server.wait_for_disconnect, 1)


@pytest.mark.parametrize("status", [200, 400])
async def test_an_error_as_json_in_place_of_a_stream(api: str, status: int, clients: Clients) -> None:
    body = b'{"error": {"message": "insufficient credits", "code": 402, "type": "billing_error"}}'
    headers = {"content-type": "application/json"}
    held = Raw([body[:20], body[20:], Gate()], status, headers)
    with LLMServer([Raw(body, status, headers), held]) as server:
        for _ in range(2):
            end = await failed(request(), endpoint(api, server), clients)
            assert end.failure.kind == "quota"
            assert "insufficient credits" in end.failure.message
        await asyncio.to_thread(server.wait_for_answers, 2)


async def test_a_page_in_place_of_a_stream(api: str, clients: Clients) -> None:
    with LLMServer([Raw(b"<html>Welcome</html>", headers={"content-type": "text/html"})]) as server:
        end = await failed(request(), endpoint(api, server), clients)
    assert end.failure.kind == "protocol"
    assert "text/html" in end.failure.message
    assert "base_url" in end.failure.hint


async def test_the_key_is_in_the_request_and_nowhere_else(api: str, clients: Clients) -> None:
    says_it = Status(401, f'{{"error": {{"message": "no such key: {KEY}", "type": "authentication_error"}}}}')
    with LLMServer(["hello", says_it], api_key=KEY) as server:
        where = endpoint(api, server, key_source="LOCAL_KEY", headers={"x-extra-token": "another-secret-thing"})
        assert KEY not in repr(where)
        assert "another-secret-thing" not in repr(where)
        await done(request(), where, clients)
        end = await failed(request(), where, clients)
        assert KEY not in repr(end)
        assert end.failure.kind == "auth"
        assert "LOCAL_KEY" in end.failure.hint
        assert server.requests[0].headers["x-extra-token"] == "another-secret-thing"


@pytest.mark.parametrize("key", ["sk-with\nline-feed", "sk-ключ"])
async def test_a_key_that_no_header_can_hold(api: str, key: str, clients: Clients) -> None:
    where = Endpoint("local", api, "http://127.0.0.1:9/v1", api_key=key, key_source="LOCAL_KEY")
    end = await failed(request(), where, clients)
    assert end.failure.kind == "config"
    assert "LOCAL_KEY" in end.failure.message
    assert key not in repr(end)


class Safe:
    """Credentials that tests can look into."""

    def __init__(self, key: str) -> None:
        self.key = key
        self.asked = 0
        self.forgotten = 0

    async def get(self) -> Access:
        self.asked += 1
        if not self.key:
            raise AccessError("the safe is locked", "unlock it")
        return Access(self.key, {"x-tenant": "me"})

    def forget(self) -> None:
        self.forgotten += 1


async def test_keys_are_looked_up_when_they_are_needed(api: str, clients: Clients) -> None:
    safe = Safe(KEY)
    with LLMServer(["hello"], api_key=KEY) as server:
        where = endpoint(api, server, api_key="", credentials=safe)
        await done(request(), where, clients)
        assert server.requests[0].headers["x-tenant"] == "me"
        safe.key = "sk-no-longer-good"
        end = await failed(request(), where, clients)
        assert (end.failure.kind, safe.forgotten) == ("auth", 1)
        safe.key = ""
        end = await failed(request(), where, clients)
        assert (end.failure.kind, end.failure.hint) == ("auth", "unlock it")
        assert "the safe is locked" in end.failure.message


async def test_a_request_that_cannot_be_put(api: str, clients: Clients) -> None:
    where = Endpoint("local", api, "http://127.0.0.1:9/v1")
    end = await failed(request(parameters={"stream": False}), where, clients)
    assert (end.failure.kind, "stream" in end.failure.message) == ("config", True)
    end = await failed(request(parameters={"metadata": object()}), where, clients)
    assert end.failure.kind == "config"
    end = await failed(request(), Endpoint("local", "telepathy", "http://127.0.0.1:9/v1"), clients)
    assert (end.failure.kind, "telepathy" in end.failure.message) == ("config", True)


async def test_data_that_is_no_json_is_told(api: str, clients: Clients) -> None:
    with LLMServer([Events(["so it goes"]), Events(["[1, 2]"])]) as server:
        for _ in range(2):
            assert (await failed(request(), endpoint(api, server), clients)).failure.kind == "protocol"


async def test_an_event_without_end(api: str, clients: Clients) -> None:
    endless, bound = b"data: " + b"x" * (MAX_EVENT + 1), MAX_EVENT
    if api == "bedrock":
        endless, bound = prelude(MAX_PAYLOAD + 17), MAX_PAYLOAD
    with LLMServer([Raw([endless, Gate()])]) as server:
        end = await failed(request(), endpoint(api, server), clients)
        await asyncio.to_thread(server.wait_for_disconnect)
    assert end.failure.kind == "protocol"
    assert f"{bound} bytes" in end.failure.message


async def test_an_answer_without_end(api: str, clients: Clients, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("panto.llm.exchange.MAX_ANSWER", 5000)
    with LLMServer([Reply([*["for ever "] * 1000, Gate()])]) as server:
        end = await failed(request(), endpoint(api, server), clients)
        await asyncio.to_thread(server.wait_for_disconnect)
    assert end.failure.kind == "protocol"
    assert "5000 bytes" in end.failure.message
    assert end.message.text.startswith("for ever ")
