"""A server for anything but model calls: paths with what they answer, on a real socket."""

import json
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Self, TypeAlias
from urllib.parse import parse_qsl, urlsplit


@dataclass(frozen=True)
class Asked:
    """A request as it came: header names in lower case."""

    method: str
    path: str
    query: Mapping[str, str]
    headers: Mapping[str, str]
    body: object


@dataclass(frozen=True)
class Answer:
    """A status with a body: bytes as they are, anything else as JSON."""

    body: object
    status: int = 200

    @property
    def data(self) -> bytes:
        """The body as it goes out."""
        return self.body if isinstance(self.body, bytes) else json.dumps(self.body).encode()


Reply: TypeAlias = Callable[[Asked], object]


@dataclass
class JSONServer:
    """Answers each path with what it is given for it, which may be a function of the request; 404 for all others."""

    paths: Mapping[str, object]
    asked: list[Asked] = field(default_factory=list[Asked])

    def __post_init__(self) -> None:
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._thread = threading.Thread(target=self._server.serve_forever, name="json-server", daemon=True)

    @property
    def url(self) -> str:
        """Its address, without a path."""
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def _answer(self, asked: Asked) -> Answer:
        self.asked.append(asked)
        found = self.paths.get(asked.path, Answer({"error": {"message": "no such path"}}, 404))
        found = found(asked) if callable(found) else found
        return found if isinstance(found, Answer) else Answer(found)

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        answer_to = self._answer

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self._do()

            def do_POST(self) -> None:
                self._do()

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - its name there
                pass

            def _do(self) -> None:
                address = urlsplit(self.path)
                body = self.rfile.read(int(self.headers.get("content-length", "0")))
                headers = {name.lower(): value for name, value in self.headers.items()}
                query = dict(parse_qsl(address.query))
                asked = Asked(self.command, address.path, query, headers, json.loads(body) if body else None)
                answer = answer_to(asked)
                self.send_response(answer.status)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(answer.data)))
                self.end_headers()
                self.wfile.write(answer.data)

        return Handler
