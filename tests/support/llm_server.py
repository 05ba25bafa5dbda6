"""A scripted LLM server on loopback, for tests: both wire formats off one script.

    with LLMServer([Reply(tool_calls=[Call("std_read", {"path": "a"})]), Reply("Done.")]) as server:
        ...  # point the program at server.base_url (openai-chat) or server.anthropic_url (anthropic)
        first, second = server.wait_for_requests(2)
        assert second.tool_results[0].text == "..."

Each request is checked as the real API would check it, and answered 400 in the provider's own shape if it fails. The
server runs in its own thread, so it serves async tests as well as tests that block on a terminal; in async tests, wait
for it with `await asyncio.to_thread(server.wait_for_requests, 1)`.
"""

from tests.support.llm.anthropic.format import Anthropic
from tests.support.llm.gate import Gate
from tests.support.llm.openai_chat.format import OpenAIChat
from tests.support.llm.request import Request, ToolResult
from tests.support.llm.script import (
    Call,
    Cut,
    Delay,
    Events,
    Failure,
    Framing,
    Hold,
    Pause,
    Raw,
    Reply,
    Status,
    Step,
    StreamError,
    Turn,
    Usage,
)
from tests.support.llm.server import LLMServer

__all__ = [
    "Anthropic",
    "Call",
    "Cut",
    "Delay",
    "Events",
    "Failure",
    "Framing",
    "Gate",
    "Hold",
    "LLMServer",
    "OpenAIChat",
    "Pause",
    "Raw",
    "Reply",
    "Request",
    "Status",
    "Step",
    "StreamError",
    "ToolResult",
    "Turn",
    "Usage",
]
