"""The demo model's server: it takes chat completions and streams its answers, without leaving the process."""

import asyncio
import re
from collections.abc import AsyncGenerator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from panto.json_values import JSONObject, object_at
from panto.llm.json_text import from_json, to_json
from panto.messages import new_id

if TYPE_CHECKING:
    import httpx

    from panto.llm.demo.replies import DemoReply

_WORDS = re.compile(r"\s*\S{1,40}|\s+")
_LONGEST = 1.5
"""Seconds that an answer may take for the sake of being seen to stream."""


@dataclass(frozen=True)
class DemoTransport:
    """Answers as a server would. ``pace`` is the time between two words, in seconds."""

    pace: float = 0.006

    async def handle_async_request(self, request: "httpx.Request") -> "httpx.Response":
        """Answer one request."""
        import httpx  # noqa: PLC0415 - heavy, and loaded by whoever made the request

        from panto.llm.demo.replies import reply_to  # noqa: PLC0415 - needed by nobody before

        try:
            body = object_at(from_json(await request.aread()))
        except ValueError as error:
            return httpx.Response(400, json={"error": {"message": str(error), "type": "invalid_request_error"}})
        if not request.url.path.endswith("/chat/completions"):
            return httpx.Response(404, json={"error": {"message": "there is nothing here", "type": "not_found_error"}})
        headers = {"content-type": "text/event-stream"}
        return httpx.Response(200, headers=headers, content=self._streamed(reply_to(body), len(request.content)))

    async def aclose(self) -> None:
        """There is nothing to let go of."""

    async def _streamed(self, reply: "DemoReply", size: int) -> AsyncGenerator[bytes, None]:
        words = _WORDS.findall(reply.text)
        pace = min(self.pace, _LONGEST / max(len(words), 1))
        yield _chunk({"role": "assistant", "content": ""})
        for word in words:
            yield _chunk({"content": word})
            await asyncio.sleep(pace)
        for index, (tool, arguments) in enumerate(reply.calls):
            function: JSONObject = {"name": tool, "arguments": ""}
            yield _call_chunk({"index": index, "id": f"call_{new_id()}", "type": "function", "function": function})
            for piece in _WORDS.findall(to_json(arguments).decode()):
                yield _call_chunk({"index": index, "function": {"arguments": piece}})
                await asyncio.sleep(0)
        yield _chunk({}, "tool_calls" if reply.calls else "stop")
        written = len(reply.text) + len(str(reply.calls or ""))
        yield _event({"object": "chat.completion.chunk", "choices": [], "usage": _usage(size, written)})
        yield b"data: [DONE]\n\n"


def _chunk(delta: JSONObject, finish: str | None = None) -> bytes:
    return _event(
        {"object": "chat.completion.chunk", "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}
    )


def _call_chunk(call: JSONObject) -> bytes:
    return _chunk({"tool_calls": [call]})


def _event(data: JSONObject) -> bytes:
    return b"data: " + to_json(data) + b"\n\n"


def _usage(sent: int, written: int) -> JSONObject:
    """Tokens, guessed at four characters each."""
    prompt, completion = max(sent // 4, 1), max(written // 4, 1)
    return {"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt + completion}
