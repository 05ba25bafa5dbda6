"""What answers hold, and what becomes of it, is the same in both wire formats."""

import pytest

from panto.llm.client import Clients
from panto.llm.stream import stream
from panto.llm.types import Done
from panto.messages import Assistant, Text, ToolCall
from tests.llm.talking import APIS, call_deltas, collected, done, endpoint, request, texts, thoughts
from tests.support.llm_server import Call, Events, Framing, LLMServer, Raw, Reply, Usage

pytestmark = pytest.mark.parametrize("api", APIS)


async def test_an_answer_streams_piece_by_piece_and_is_whole_at_the_end(api: str, clients: Clients) -> None:
    reply = Reply(
        ["One ", "two ", "threé 🐢."],
        thinking=["hm, ", "so"],
        tool_calls=[Call("std_read", {"path": "a.py"}), Call("std_list")],
        usage=Usage(input=100, output=20, cached=60, cache_write=0),
    )
    with LLMServer([reply]) as server:
        events = await collected(stream(request(), endpoint(api, server), clients))
    assert texts(events) == ["One ", "two ", "threé 🐢."]
    assert thoughts(events) == "hm, so"
    assert [(delta.index, delta.name) for delta in call_deltas(events) if not delta.arguments] == [
        (0, "std.read"),
        (1, "std.list"),
    ]
    end = events[-1]
    assert isinstance(end, Done)
    message = end.message
    assert message.text == "One two threé 🐢."
    assert [(call.name, call.arguments, call.problem) for call in message.calls] == [
        ("std.read", {"path": "a.py"}, ""),
        ("std.list", {}, ""),
    ]
    assert message.stop == "tool_calls"
    assert message.model == "local/test-model"
    cached = None if api == "ollama" else 60  # it does not say
    assert (message.usage.input, message.usage.output, message.usage.cached) == (100, 20, cached)


@pytest.mark.parametrize("framing", [Framing(split=1), Framing(split=7, crlf=True), Framing(together=True)])
async def test_how_the_bytes_are_cut_does_not_matter(api: str, framing: Framing, clients: Clients) -> None:
    text = "Żółw 🐢\u2028 says:\n```py\nprint('ü')\n```\n"
    reply = Reply(text, tool_calls=[Call("std_read", {"path": "ü/🐢"})], framing=framing)
    with LLMServer([reply]) as server:
        message = await done(request(), endpoint(api, server), clients)
    assert message.text == text
    assert message.calls[0].arguments == {"path": "ü/🐢"}


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ('{"path": "a"', "not valid JSON"),
        ('["a"]', "not a JSON object"),
        ('{"path": "a"}}', "not valid JSON"),
        ('{"path": "a\nb"}', "not valid JSON"),
        ("[" * 5000, "not valid JSON"),
    ],
)
async def test_broken_arguments_are_not_run(api: str, arguments: str, problem: str, clients: Clients) -> None:
    reply = Reply(tool_calls=[Call("std_list", {"path": "."}), Call("std_read", [arguments])])
    with LLMServer([reply, "I see."]) as server:
        where = endpoint(api, server)
        message = await done(request(), where, clients)
        good, bad = message.calls
        assert (good.problem, good.arguments) == ("", {"path": "."})
        assert problem in bad.problem
        assert (bad.arguments, bad.raw) == ({}, arguments)
        assert message.stop == "tool_calls"
        await done(request("Hello", message), where, clients)  # and the server takes what goes back


@pytest.mark.parametrize("arguments", ["", " ", "null", "{}"])
async def test_no_arguments_are_an_empty_object(api: str, arguments: str, clients: Clients) -> None:
    with LLMServer([Reply(tool_calls=[Call("std_list", [arguments])])]) as server:
        (call,) = (await done(request(), endpoint(api, server), clients)).calls
    assert (call.arguments, call.problem) == ({}, "")


@pytest.mark.parametrize("arguments", ['{"path": "a', "", '{"path": "a"'])
async def test_arguments_cut_off_by_the_length_limit_are_not_run(api: str, arguments: str, clients: Clients) -> None:
    calls = [Call("std_list", {"path": "."}), Call("std_read", [arguments])]
    with LLMServer([Reply("Here:", tool_calls=calls, stop="length")]) as server:
        message = await done(request(), endpoint(api, server), clients)
    assert message.stop == "length"
    assert [call.problem for call in message.calls] == ["", "its arguments were cut off by the length limit"]


@pytest.mark.parametrize(
    ("stop", "calls", "means"),
    [
        ("end", (), "end"),
        ("length", (), "length"),
        ("tools", (), "unknown"),
        ("end", (Call("std_list"),), "tool_calls"),
        ("a_new_reason", (), "unknown"),
        ("a_new_reason", (Call("std_list"),), "tool_calls"),
    ],
)
async def test_why_it_stopped(api: str, stop: str, calls: tuple[Call, ...], means: str, clients: Clients) -> None:
    with LLMServer([Reply("So.", tool_calls=calls, stop=stop)]) as server:
        assert (await done(request(), endpoint(api, server), clients)).stop == means


async def test_blank_texts_beside_calls_are_dropped(api: str, clients: Clients) -> None:
    with LLMServer([Reply(["\n", "\n"], tool_calls=[Call("std_list")]), "Done."]) as server:
        where = endpoint(api, server)
        message = await done(request(), where, clients)
        assert [type(part) for part in message.parts] == [ToolCall]
        await done(request("Hello", message), where, clients)


async def test_an_empty_answer_does_not_poison_the_next_request(api: str, clients: Clients) -> None:
    with LLMServer([Reply("\n"), "Better."]) as server:
        where = endpoint(api, server)
        message = await done(request(), where, clients)
        assert message.parts == ()
        await done(request("Hello", message, "And now?"), where, clients)


async def test_an_answer_in_one_piece_is_taken_too(api: str, clients: Clients) -> None:
    whole = {
        "openai-chat": b'{"choices": [{"message": {"content": "All at once", "tool_calls": [{"id": "c", "function": '
        b'{"name": "std_list", "arguments": "{}"}}]}, "finish_reason": "tool_calls"}], "usage": {"prompt_tokens": 3}}',
        "anthropic": b'{"type": "message", "content": [{"type": "text", "text": "All at once"}, {"type": "tool_use", '
        b'"id": "c", "name": "std_list", "input": {"path": "."}}], "stop_reason": "tool_use", "usage": '
        b'{"input_tokens": 3}}',
        "openai-responses": b'{"object": "response", "status": "completed", "output": [{"type": "message", "id": "m", '
        b'"content": [{"type": "output_text", "text": "All at once"}]}, {"type": "function_call", "id": "f", '
        b'"call_id": "c", "name": "std_list", "arguments": "{}"}], "usage": {"input_tokens": 3}}',
        "bedrock": b'{"output": {"message": {"content": [{"text": "All at once"}, {"toolUse": {"toolUseId": "c", '
        b'"name": "std_list", "input": {"path": "."}}}]}}, "stopReason": "tool_use", "usage": {"inputTokens": 3}}',
        "ollama": b'{"message": {"content": "All at once", "tool_calls": [{"function": {"name": "std_list", '
        b'"arguments": {}}}]}, "done": true, "done_reason": "stop", "prompt_eval_count": 3}',
        "gemini": b'{"candidates": [{"content": {"parts": [{"text": "All at once"}, {"functionCall": {"name": '
        b'"std_list", "args": {}}}]}, "finishReason": "STOP"}], "usageMetadata": {"promptTokenCount": 3}}',
    }
    with LLMServer([Raw(whole[api], headers={"content-type": "application/json"})]) as server:
        message = await done(request(), endpoint(api, server), clients)
    assert message.text == "All at once"
    assert message.calls[0].name == "std.list"
    assert (message.usage.input, message.usage.output) == (3, None)


async def test_empty_events_mean_nothing(api: str, clients: Clients) -> None:
    reply = Reply("fine", framing=Framing(ping_every=1))
    with LLMServer([reply]) as server:
        assert (await done(request(), endpoint(api, server), clients)).text == "fine"


async def test_an_unknown_tool_comes_as_the_model_wrote_it(api: str, clients: Clients) -> None:
    calls = [Call("search_replace", {"a": 1}), Call("std.read", {"path": "x"})]
    with LLMServer([Reply(tool_calls=calls), "Sorry."]) as server:
        where = endpoint(api, server)
        message = await done(request(), where, clients)
        assert [call.name for call in message.calls] == ["search_replace", "std.read"]
        await done(request("Hello", message), where, clients)


async def test_halves_of_a_character_in_two_events_are_joined(api: str, clients: Clients) -> None:
    """Some servers cut a surrogate pair in two, each half escaped in a JSON of its own."""
    pieces = ['"tur\\ud83d"', '"\\ude00tle \\ud83d"', '" end"']
    if api == "openai-chat":
        events = ["{" + f'"choices": [{{"delta": {{"content": {piece}}}}}]' + "}" for piece in pieces] + ["[DONE]"]
    elif api == "openai-responses":
        start = '{"type": "response.output_text.delta", "output_index": 0, "delta": '
        events = [*(f"{start}{piece}}}" for piece in pieces), '{"type": "response.completed"}']
    elif api == "bedrock":
        start, end = 'contentBlockDelta {"contentBlockIndex": 0, "delta": {"text": ', "}}"
        events = [*(f"{start}{piece}{end}" for piece in pieces), 'messageStop {"stopReason": "end_turn"}']
    elif api == "ollama":
        events = [f'{{"message": {{"content": {piece}}}}}' for piece in pieces] + ['{"done": true}']
    elif api == "gemini":
        start, end = '{"candidates": [{"content": {"parts": [{"text": ', '}]}, "finishReason": "STOP"}]}'
        events = [f"{start}{piece}{end}" for piece in pieces]
    else:
        start = '{"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}'
        delta = '{"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": '
        events = [start, *(f"{delta}{piece}}}}}" for piece in pieces), '{"type": "message_stop"}']
    with LLMServer([Events(events)]) as server:
        ending = await collected(stream(request(), endpoint(api, server), clients))
    end = ending[-1]
    assert isinstance(end, Done)
    assert end.message.text == "tur😀tle \ufffd end"
    assert "".join(texts(ending)) == end.message.text
    assert end.message == Assistant((Text("tur😀tle \ufffd end"),), "local/test-model")
