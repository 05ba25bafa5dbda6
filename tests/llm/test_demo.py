"""The demo model: plain requests become real calls of tools, and their results an answer in Markdown."""

import asyncio
from pathlib import Path

import httpx
import pytest
from hypothesis import given, strategies as st

from panto.config import load
from panto.llm.client import Clients
from panto.llm.demo import demo_endpoint
from panto.llm.demo.commands import COMMANDS, Incomplete, Understood, understand
from panto.llm.demo.replies import INTRODUCTION, DemoReply, reply_to
from panto.llm.demo.transport import DemoTransport
from panto.llm.providers import ResolvedModel, resolve
from panto.llm.stream import stream
from panto.llm.types import Request
from panto.messages import Assistant, Message, System, Text, Tool, ToolCall, ToolOutput, ToolSchema, User
from panto.paths import Paths
from tests.llm.talking import collected, done, texts, user

TOOLS = tuple(
    ToolSchema(name, "", {"type": "object"})
    for name in ("std.read", "std.list", "std.grep", "std.shell", "std.edit", "std.write")
)


async def asked(clients: Clients, *history: Message | str, tools: tuple[ToolSchema, ...] = TOOLS) -> Assistant:
    """The demo model's answer to a history."""
    messages = tuple(user(message) if isinstance(message, str) else message for message in history)
    return await done(Request("panto-demo", ("sys",), messages, tools), demo_endpoint(), clients)


@pytest.mark.parametrize(
    ("text", "tool", "arguments"),
    [
        ("read src/app.py", "std.read", {"path": "src/app.py"}),
        ("Read `my notes.md`", "std.read", {"path": "my notes.md"}),
        ("list", "std.list", {}),
        ("list src/", "std.list", {"path": "src/"}),
        ("find def main(", "std.grep", {"pattern": "def main(", "literal": True}),
        ('find "two words"', "std.grep", {"pattern": "two words", "literal": True}),
        ("run git log -1 | cat", "std.shell", {"command": "git log -1 | cat"}),
        ("run for f in *; do\n  echo $f\ndone", "std.shell", {"command": "for f in *; do\n  echo $f\ndone"}),
        ("edit a.py: x = 1 -> x = 2", "std.edit", {"path": "a.py", "old": "x = 1", "new": "x = 2"}),
        ("edit a.py: `x` -> `y`", "std.edit", {"path": "a.py", "old": "x", "new": "y"}),
        ("edit a.py: gone ->", "std.edit", {"path": "a.py", "old": "gone", "new": ""}),
        ("write a/b.txt: one\ntwo", "std.write", {"path": "a/b.txt", "content": "one\ntwo\n"}),
        ("write C:\\a.txt: one", "std.write", {"path": "C:\\a.txt", "content": "one\n"}),
    ],
)
async def test_plain_requests_become_calls(
    text: str, tool: str, arguments: dict[str, object], clients: Clients
) -> None:
    answer = await asked(clients, text)
    *before, call = answer.calls
    assert [(first.name, first.arguments) for first in before] == (
        [("std.read", {"path": arguments["path"]})] if tool == "std.edit" else []
    )
    assert (call.name, call.arguments, call.problem) == (tool, arguments, "")
    assert answer.stop == "tool_calls"
    assert answer.text.startswith(INTRODUCTION)
    assert answer.usage.input is not None
    assert answer.usage.output is not None


@pytest.mark.parametrize("text", ["help", "hello", "What is the meaning of life?", "reading glasses", "/compact", "🐢"])
async def test_anything_else_gets_an_explanation(text: str, clients: Clients) -> None:
    answer = await asked(clients, text)
    assert answer.calls == ()
    assert "not a language model" in answer.text
    assert all(f"`{command.form}`" in answer.text for command in COMMANDS)


@pytest.mark.parametrize("text", ["read", "edit a.py", "edit a.py: x", "write a.txt", "find", "run  "])
async def test_half_a_request_gets_the_form(text: str, clients: Clients) -> None:
    answer = await asked(clients, text)
    assert answer.calls == ()
    assert "Please write it as `" in answer.text


async def test_a_tool_that_is_not_offered_is_not_called(clients: Clients) -> None:
    answer = await asked(clients, "run ls", tools=TOOLS[:2])
    assert answer.calls == ()
    assert "`std.shell`" in answer.text
    assert "switched off" in answer.text


async def test_it_introduces_itself_once(clients: Clients) -> None:
    first = await asked(clients, "list")
    output = Tool((ToolOutput(first.calls[0].id, "std.list", "a\nb"),))
    second = await asked(clients, "list", first, output)
    third = await asked(clients, "list", first, output, second, "read a")
    assert "not a language model" not in second.text + third.text
    assert third.calls[0].arguments == {"path": "a"}


CALLS = {
    "read a.py": ToolCall("c", "std.read", {"path": "a.py"}),
    "list": ToolCall("c", "std.list", {}),
    "find x": ToolCall("c", "std.grep", {"pattern": "x", "literal": True}),
    "run ls": ToolCall("c", "std.shell", {"command": "ls"}),
    "edit a.py: x -> y": ToolCall("c", "std.edit", {"path": "a.py", "old": "x", "new": "y"}),
    "write a.py: x": ToolCall("c", "std.write", {"path": "a.py", "content": "x\n"}),
}


async def answered(clients: Clients, text: str, result: str, *, is_error: bool = False) -> str:
    call = CALLS[text]
    output = Tool((ToolOutput("c", call.name, result, is_error=is_error),))
    answer = await asked(clients, text, Assistant((call,), "demo/panto-demo", "tool_calls"), output)
    assert (answer.calls, answer.stop) == ((), "end")
    return answer.text


@pytest.mark.parametrize("text", CALLS)
async def test_a_result_becomes_an_answer(text: str, clients: Clients) -> None:
    answer = await answered(clients, text, "\n".join(f"line {number}" for number in range(1, 31)))
    assert "line 1\n" in answer
    assert "line 12\n" in answer
    assert "line 13" not in answer
    assert "... and 18 more" in answer
    assert answer.count("```") == 2


async def test_the_answer_says_how_much_there_was(clients: Clients) -> None:
    assert "`a.py` gave 30 lines" in await answered(clients, "read a.py", "x\n" * 30)
    assert "`x` gave 1 line:" in await answered(clients, "find x", "a.py:1: x")


@pytest.mark.parametrize("text", CALLS)
@pytest.mark.parametrize("result", ["no such file", "Denied: commands ask.", "", "interrupted: x"])
async def test_a_result_that_is_an_error(text: str, result: str, clients: Clients) -> None:
    answer = await answered(clients, text, result, is_error=True)
    assert answer.startswith("That did not work:")
    assert result in answer


async def test_fences_in_a_result_do_not_end_the_block(clients: Clients) -> None:
    answer = await answered(clients, "read a.py", "```py\nx\n```")
    assert "````text\n```py\nx\n```\n````" in answer


async def test_rules_that_came_with_a_result_are_not_told(clients: Clients) -> None:
    result = "x = 1\n\n---\ncontext from /p/src/AGENTS.md:\n\nNever say banana.\n"
    answer = await answered(clients, "read a.py", result)
    assert "banana" not in answer
    assert "1 rules file came along" in answer


async def test_notices_beside_the_users_words_do_not_get_in_the_way(clients: Clients) -> None:
    answer = await asked(clients, "read a.py", "The files have changed.", System("A late rule: list everything."))
    assert answer.calls[0].name == "std.read"


async def test_what_is_said_while_a_tool_runs_comes_next(clients: Clients) -> None:
    call = CALLS["list"]
    history = ("list", Assistant((call,), "demo/panto-demo"), Tool((ToolOutput("c", "std.list", "a"),)), "read a")
    assert (await asked(clients, *history)).calls[0].arguments == {"path": "a"}


async def test_it_streams_in_small_pieces(clients: Clients) -> None:
    events = await collected(stream(Request("panto-demo", (), (user("help"),)), demo_endpoint(), clients))
    assert len(texts(events)) > 30


async def test_it_needs_neither_config_nor_key(tmp_path: Path, clients: Clients) -> None:
    model = resolve("demo/panto-demo", load(Paths.discover(tmp_path)), {})
    assert isinstance(model, ResolvedModel)
    assert model.endpoint.transport == demo_endpoint().transport
    assert await clients.get(model.endpoint) is await clients.get(demo_endpoint())


async def test_stopping_it_in_the_midst(clients: Clients) -> None:
    reading = asyncio.create_task(asked(clients, "help"))
    await asyncio.sleep(0)
    reading.cancel()
    with pytest.raises(asyncio.CancelledError):
        await reading
    assert (await asked(clients, "help")).text


@pytest.mark.parametrize(("path", "body", "status"), [("/v1/models", b"{}", 404), ("/v1/chat/completions", b"{", 400)])
async def test_requests_that_are_none(path: str, body: bytes, status: int) -> None:
    async with httpx.AsyncClient() as client:
        request = client.build_request("POST", f"http://demo.invalid{path}", content=body)
    response = await DemoTransport().handle_async_request(request)
    assert response.status_code == status
    assert response.json()["error"]["message"]


json_values = st.recursive(
    st.none() | st.integers() | st.sampled_from(["user", "tool", "assistant", "read x", "list", ""]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["role", "content", "tool_calls", "function", "name", "id", "text"]), inner)
    ),
    max_leaves=20,
)


@given(st.fixed_dictionaries({"messages": st.lists(json_values, max_size=4), "tools": json_values}))
def test_whatever_it_is_sent_it_answers(body: dict[str, object]) -> None:
    assert isinstance(reply_to(body), DemoReply)


@given(st.text())
def test_whatever_is_typed_is_understood_or_not(text: str) -> None:
    assert isinstance(understand(text), Understood | Incomplete | None)
    assert isinstance(understand(f"edit {text}"), Understood | Incomplete)


def test_a_users_image_beside_the_words() -> None:
    content = [{"type": "text", "text": "list"}, {"type": "image_url", "image_url": {"url": "data:"}}]
    tools = [{"function": {"name": "std_list"}}]
    assert reply_to({"messages": [{"role": "user", "content": content}], "tools": tools}).calls == (("std_list", {}),)
    assert User((Text("list"),)).text == "list"
