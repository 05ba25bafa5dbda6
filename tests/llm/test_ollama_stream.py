"""What ollama alone does in its answers, over real HTTP."""

import pytest

from panto.llm.client import Clients
from panto.llm.stream import stream
from panto.llm.types import Done, FailureKind
from panto.messages import Thinking
from tests.llm.talking import collected, done, endpoint, failed, request, thoughts
from tests.support.llm_server import Call, Events, Framing, LLMServer, Raw, Reply, Status

LAST = {"message": {"role": "assistant", "content": ""}, "done": True, "done_reason": "stop"}


async def test_thinking_and_text_and_a_call_in_one_line(clients: Clients) -> None:
    line = {
        "message": {
            "role": "assistant",
            "content": "So.",
            "thinking": "hm",
            "tool_calls": [{"function": {"name": "std_read", "arguments": {"path": "a"}}}],
        },
        "done": True,
        "done_reason": "stop",
        "prompt_eval_count": 26,
        "eval_count": 3,
    }
    with LLMServer([Events([line])]) as server:
        events = await collected(stream(request(), endpoint("ollama", server), clients))
    end = events[-1]
    assert isinstance(end, Done)
    assert thoughts(events) == "hm"
    assert end.message.parts[0] == Thinking("hm", {"field": "thinking"})
    (call,) = end.message.calls
    assert (call.name, call.arguments, bool(call.id)) == ("std.read", {"path": "a"}, True)
    assert (end.message.text, end.message.stop) == ("So.", "tool_calls")
    assert (end.message.usage.input, end.message.usage.output, end.message.usage.cached) == (26, 3, None)


@pytest.mark.parametrize(
    "odd",
    [
        {"message": None},
        {"message": {"content": None, "thinking": None, "tool_calls": None}},
        {"message": {"tool_calls": []}},
        {"message": {"tool_calls": [None, {}, {"function": None}, {"function": {"name": "", "arguments": None}}]}},
        {"done": "yes"},
        {},
    ],
)
async def test_lines_that_say_nothing(odd: dict[str, object], clients: Clients) -> None:
    with LLMServer([Events([odd, {"message": {"content": "fine"}}, LAST])]) as server:
        message = await done(request(), endpoint("ollama", server), clients)
    assert (message.text, message.calls, message.stop) == ("fine", (), "end")


@pytest.mark.parametrize(
    ("reason", "stop"),
    [
        ("stop", "end"),
        ("length", "length"),
        ("load", "unknown"),
        ("unload", "unknown"),
        ("new", "unknown"),
        (None, "end"),
    ],
)
async def test_why_it_stopped(reason: str | None, stop: str, clients: Clients) -> None:
    with LLMServer([Events([{"message": {"content": "a"}, "done": True, "done_reason": reason}])]) as server:
        assert (await done(request(), endpoint("ollama", server), clients)).stop == stop


async def test_a_call_without_arguments(clients: Clients) -> None:
    calls = [{"function": {"name": "std_list"}}, {"id": "x", "function": {"name": "std_list", "arguments": None}}]
    with LLMServer([Events([{"message": {"tool_calls": calls}}, LAST])]) as server:
        message = await done(request(), endpoint("ollama", server), clients)
    assert [(call.name, call.arguments, call.problem) for call in message.calls] == [("std.list", {}, "")] * 2
    assert message.calls[1].id == "x"


async def test_a_first_line_that_comes_without_its_end_counts_once(clients: Clients) -> None:
    with LLMServer(
        [Reply("once", framing=Framing(split=1)), Raw([b'{"message":{"content":"a"},"done":true}'])]
    ) as server:
        where = endpoint("ollama", server)
        assert (await done(request(), where, clients)).text == "once"
        assert (await done(request(), where, clients)).text == "a"


REFUSALS: list[tuple[int, str, FailureKind, str]] = [
    (404, "model 'test-model' not found", "not_found", "ollama pull test-model"),
    (404, 'model "test-model" not found, try pulling it first', "not_found", "ollama pull test-model"),
    (400, "registry.ollama.ai/library/test-model:latest does not support tools", "bad_request", "can call tools"),
    (400, '"test-model" does not support thinking', "bad_request", "thinking to off"),
    (401, "unauthorized", "auth", "ollama signin"),
    (503, "server busy, please try again.  maximum pending requests exceeded", "overloaded", "again"),
    (400, "the input length exceeds the context length", "context_too_long", "raise num_ctx"),
    (400, "the prompt is longer than the context length currently available", "context_too_long", "raise num_ctx"),
    (400, "request (9 tokens) exceeds the available context size (8 tokens)", "context_too_long", "raise num_ctx"),
    (500, "model requires more system memory (9 GiB) than is available (8 GiB)", "server", "again"),
]


@pytest.mark.parametrize(("status", "words", "kind", "hint"), REFUSALS)
async def test_what_to_do_is_said(status: int, words: str, kind: FailureKind, hint: str, clients: Clients) -> None:
    body = '{"error": ' + '"' + words.replace('"', '\\"') + '"}'
    with LLMServer([Status(status, body)]) as server:
        end = await failed(request(), endpoint("ollama", server, api_key="", num_ctx=4096), clients)
    assert end.failure.kind == kind
    assert " ".join(words.split()) in end.failure.message
    assert hint in end.failure.hint
    if kind == "context_too_long":
        assert '[providers.local.models."test-model"], which is 4096 now' in end.failure.hint


async def test_an_address_with_too_much_path(clients: Clients) -> None:
    with LLMServer([]) as server:
        where = endpoint("ollama", server, base_url=f"{server.url('ollama')}/v1")
        end = await failed(request(), where, clients)
    assert end.failure.kind == "not_found"
    assert "without /v1" in end.failure.hint


async def test_a_models_name_in_a_hint_is_no_command(clients: Clients) -> None:
    with LLMServer([Status(404, '{"error": "model \'a\' not found"}')]) as server:
        end = await failed(request(model="a; rm -r ~"), endpoint("ollama", server), clients)
    assert end.failure.hint == "get the model with: ollama pull 'a; rm -r ~'"


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        ({"error": "an error was encountered while running the model: unexpected EOF"}, "server"),
        ({"StatusCode": 429, "Status": "429 Too Many Requests", "error": "slow down"}, "rate_limit"),
        ({"error": "the input length exceeds the context length"}, "context_too_long"),
    ],
)
async def test_an_error_in_the_midst(error: dict[str, object], kind: FailureKind, clients: Clients) -> None:
    with LLMServer([Events([{"message": {"content": "so far"}}, error])]) as server:
        end = await failed(request(), endpoint("ollama", server), clients)
    assert (end.failure.kind, end.message.text) == (kind, "so far")
    assert str(error["error"]) in end.failure.message


async def test_arguments_as_text_from_servers_that_err(clients: Clients) -> None:
    reply = Reply(tool_calls=[Call("std_read", ['{"path": "a']), Call("std_list", "null")])
    with LLMServer([reply]) as server:
        bad, good = (await done(request(), endpoint("ollama", server), clients)).calls
    assert ("not valid JSON" in bad.problem, bad.raw) == (True, '{"path": "a')
    assert (good.problem, good.arguments) == ("", {})
