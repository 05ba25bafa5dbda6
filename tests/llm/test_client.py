"""Connections as networks make them: certificates, proxies, pools, and nothing heavy before the first request."""

import asyncio
import ssl
import subprocess
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx
import pytest

from panto.llm.client import ClientError, Clients
from panto.llm.http_client import certificates, proxy_for
from panto.llm.types import Endpoint
from tests.llm.talking import APIS, done, endpoint, failed, request
from tests.support.llm_server import LLMServer

TLS = Path(__file__).parent.parent / "data" / "tls"
PROXIES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "all_proxy", "no_proxy")


@pytest.fixture(autouse=True)
def clean_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in (*PROXIES, "SSL_CERT_FILE", "SSL_CERT_DIR"):
        monkeypatch.delenv(variable, raising=False)


async def piped(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while data := await reader.read(65536):
            writer.write(data)
            await writer.drain()
    except OSError:
        pass
    finally:
        writer.close()


@asynccontextmanager
async def relay(port: int, tls: ssl.SSLContext | None = None) -> AsyncGenerator[tuple[int, list[str]]]:
    """A server that passes all on to a port: behind TLS, or as an HTTP proxy. Its port, and what was asked of it."""
    asked: list[str] = []
    writers: list[asyncio.StreamWriter] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        onward = await asyncio.open_connection("127.0.0.1", port)
        writers.extend((writer, onward[1]))
        if tls is None:
            line = (await reader.readline()).decode()
            asked.append(line.strip())
            method, url, version = line.split(" ")
            path = httpx.URL(url).raw_path.decode()
            onward[1].write(f"{method} {path} {version}".encode())
        async with asyncio.TaskGroup() as group:
            group.create_task(piped(reader, onward[1]))
            group.create_task(piped(onward[0], writer))

    server = await asyncio.start_server(serve, "127.0.0.1", 0, ssl=tls)
    try:
        yield server.sockets[0].getsockname()[1], asked
    finally:
        server.close()  # from 3.12 on, leaving it as a context waits for connections that are kept alive
        for writer in writers:
            writer.transport.abort()
        await server.wait_closed()


@asynccontextmanager
async def https(server: LLMServer) -> AsyncGenerator[Endpoint]:
    """The scripted server behind TLS."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(TLS / "certificate.pem", TLS / "key.pem")
    async with relay(server.port, context) as (port, _):
        yield Endpoint("local", "openai-chat", f"https://127.0.0.1:{port}/v1")


async def test_a_certificate_that_nobody_vouches_for(clients: Clients) -> None:
    with LLMServer([]) as server:
        async with https(server) as where:
            end = await failed(request(), where, clients)
    assert end.failure.kind == "config"  # no use in trying again
    assert "certificate" in end.failure.message
    assert "SSL_CERT_FILE" in end.failure.hint


async def test_a_certificate_that_the_user_vouches_for(clients: Clients, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(TLS / "certificate.pem"))
    with LLMServer(["Safe."]) as server:
        async with https(server) as where:
            assert (await done(request(), where, clients)).text == "Safe."


@pytest.mark.parametrize("name", ["no-such-file.pem", "README.md"])
async def test_certificates_that_cannot_be_read(name: str, clients: Clients, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(TLS / name))
    end = await failed(request(), Endpoint("local", "openai-chat", "https://127.0.0.1:9/v1"), clients)
    assert end.failure.kind == "config"
    assert name in end.failure.message


def test_the_system_is_trusted_by_default() -> None:
    context = certificates({"SSL_CERT_FILE": ""})
    assert context.verify_mode == ssl.CERT_REQUIRED
    assert context.check_hostname


async def test_requests_go_through_the_proxy(clients: Clients, monkeypatch: pytest.MonkeyPatch) -> None:
    with LLMServer(["Through."]) as server:
        async with relay(server.port) as (port, asked):
            monkeypatch.setenv("HTTP_PROXY", f"http://127.0.0.1:{port}")
            where = Endpoint("far", "openai-chat", "http://models.example/v1")
            assert (await done(request(), where, clients)).text == "Through."
    assert asked == ["POST http://models.example/v1/chat/completions HTTP/1.1"]


async def test_this_machine_is_never_asked_through_a_proxy(clients: Clients, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:9")
    with LLMServer(["Direct."]) as server:
        assert (await done(request(), endpoint("openai-chat", server), clients)).text == "Direct."


async def test_a_proxy_that_cannot_be_used(clients: Clients, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "gopher://user:hidden-password@proxy.example:1")
    end = await failed(request(), Endpoint("far", "openai-chat", "http://models.example/v1"), clients)
    assert end.failure.kind == "config"
    assert "gopher" in end.failure.message
    assert "HTTP_PROXY" in end.failure.hint
    assert "hidden-password" not in repr(end)


@pytest.mark.parametrize(
    ("url", "proxies", "proxy"),
    [
        ("https://a.example/v1", {}, None),
        ("https://a.example/v1", {"https": "http://p:1"}, "http://p:1"),
        ("https://a.example/v1", {"http": "http://p:1"}, None),
        ("https://a.example/v1", {"all": "socks5://p:1"}, "socks5://p:1"),
        ("https://a.example/v1", {"https": "p:1"}, "http://p:1"),
        ("https://a.example/v1", {"all": "socks://p:1"}, "socks5h://p:1"),
        ("http://localhost:8080/v1", {"http": "http://p:1"}, None),
        ("http://[::1]:8080/v1", {"http": "http://p:1"}, None),
        ("http://127.9.9.9/v1", {"http": "http://p:1"}, None),
        ("http://192.168.0.2/v1", {"http": "http://p:1"}, "http://p:1"),
    ],
)
def test_which_proxy(url: str, proxies: dict[str, str], proxy: str | None) -> None:
    assert proxy_for(url, proxies) == proxy


def test_hosts_that_need_no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_PROXY", "intern.example,10.0.0.7")
    assert proxy_for("http://models.intern.example/v1", {"http": "http://p:1"}) is None
    assert proxy_for("http://10.0.0.7/v1", {"http": "http://p:1"}) is None
    assert proxy_for("http://other.example/v1", {"http": "http://p:1"}) == "http://p:1"


@pytest.mark.parametrize("api", APIS)
async def test_each_server_has_one_pool(api: str) -> None:
    with LLMServer(["1", "2"]) as server:
        async with Clients() as clients:
            where = endpoint(api, server)
            first, second = await asyncio.gather(
                clients.get(where), clients.get(endpoint(api, server, api_key="other"))
            )
            assert first is second
            assert await clients.get(Endpoint("far", api, "https://models.example")) is not first
            await asyncio.gather(done(request(), where, clients), done(request(), where, clients))
        assert first.is_closed
        assert server.connections == 2  # at the same time, so on two connections


@pytest.mark.parametrize("address", ["", "models.example/v1", "http:///v1", "http://[::1/v1", "file:///etc/passwd"])
async def test_what_is_no_address(address: str) -> None:
    async with Clients() as clients:
        with pytest.raises(ClientError) as caught:
            await clients.get(Endpoint("local", "openai-chat", address))
    assert "base_url of [providers.local]" in caught.value.hint


async def test_a_transport_may_live_in_this_process(clients: Clients) -> None:
    body = b'data: {"choices": [{"delta": {"content": "near"}, "finish_reason": "stop"}]}\n\ndata: [DONE]\n\n'
    transport = httpx.MockTransport(lambda _request: httpx.Response(200, content=body))
    where = Endpoint("near", "openai-chat", "http://near.invalid/v1", transport=transport)
    assert (await done(request(), where, clients)).text == "near"


def test_nothing_heavy_is_loaded_before_the_first_request() -> None:
    modules = "panto.llm.types, panto.llm.client, panto.llm.stream, panto.llm.retry, panto.llm.providers"
    code = f"import sys, {modules}; print({{'httpx', 'httpcore', 'urllib.request', 'yaml'}} & sys.modules.keys())"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "set()"


ANSWER = b'data: {"choices": [{"index": 0, "delta": {"content": "Hi."}, "finish_reason": "stop"}]}\n\ndata: [DONE]\n\n'


async def test_a_connection_that_the_server_closed_meanwhile_is_replaced(clients: Clients) -> None:
    closed: asyncio.Queue[None] = asyncio.Queue()

    async def answer_and_close(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        length = next(line for line in head.lower().split(b"\r\n") if line.startswith(b"content-length"))
        await reader.readexactly(int(length.partition(b":")[2]))
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n")
        writer.write(b"content-length: %d\r\n\r\n%s" % (len(ANSWER), ANSWER))
        await writer.drain()
        writer.close()
        await writer.wait_closed()
        closed.put_nowait(None)

    async with await asyncio.start_server(answer_and_close, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        where = Endpoint("local", "openai-chat", f"http://127.0.0.1:{port}/v1", attempts=1)
        for _ in range(3):
            assert (await done(request(), where, clients)).text == "Hi."
            await closed.get()
