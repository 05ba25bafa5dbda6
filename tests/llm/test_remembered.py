"""A history put from memory is the history put anew, however it grows."""

import copy
from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given, settings, strategies as st

from panto.json_values import JSONObject, array_at, is_array, is_object
from panto.llm.formats import FORMATS, wire_format
from panto.llm.json_text import from_json, to_json
from panto.llm.names import ToolNames
from panto.llm.remembered import Memory
from panto.llm.types import Endpoint, Quirks, Request
from panto.messages import Assistant, Image, Message, System, Text, Thinking, Tool, ToolCall, ToolOutput, User
from tests.llm.talking import LIST, READ, request, user

NAMES = ToolNames([READ.name, LIST.name])


def endpoint(api: str, quirks: Quirks | None = None) -> Endpoint:
    """Somewhere to send to."""
    return Endpoint("local", api, "http://x/v1", api_key="k", quirks=quirks or Quirks())


def body(asked: Request, where: Endpoint) -> object:
    """What is sent."""
    return from_json(to_json(wire_format(where.api)(asked, where, NAMES).body))


def without_marks(value: object) -> object:
    """The same without marks for a cache, which a user's turn without words may move."""
    if is_object(value):
        return {key: without_marks(item) for key, item in value.items() if key not in ("cache_control", "cachePoint")}
    return (
        [without_marks(item) for item in value if item != {"cachePoint": {"type": "default"}}]
        if is_array(value)
        else value
    )


PNG = b"\x89PNG\r\n\x1a\n" + bytes(16)
pictures = st.sampled_from([Image("image/png", PNG), Image("image/png", b"broken")])
ids = st.sampled_from(["c1", "c2", "c1", "not legal!", ""])
calls = st.builds(ToolCall, ids, st.sampled_from(["std.read", "gone.tool"]), st.just({"path": "a"}))
thoughts = st.builds(
    Thinking,
    st.sampled_from(["hm", ""]),
    st.sampled_from([{}, {"signature": "s"}, {"signature": "s", "prefix": "x"}, {"field": "reasoning"}]),
)
texts = st.builds(Text, st.sampled_from(["word", "", " "]))
said = st.lists(texts | pictures, max_size=2).map(tuple)


@st.composite
def histories(draw: st.DrawFn) -> list[Message]:
    """Histories as the loop leaves them: results right behind their calls, some of them missing."""
    history: list[Message] = []
    for _ in range(draw(st.integers(0, 7))):
        kind = draw(st.sampled_from(["user", "user", "system", "answer", "calls", "calls"]))
        if kind == "user":
            history.append(User(draw(said)))
        elif kind == "system":
            history.append(System(draw(st.sampled_from(["rules", ""]))))
        else:
            made = draw(st.lists(calls, max_size=3)) if kind == "calls" else []
            parts = (*draw(st.lists(thoughts | texts, max_size=2)), *made)
            history.append(Assistant(parts, draw(st.sampled_from(["local/test-model", "other/m"]))))
            results = draw(st.permutations(made))[: draw(st.sampled_from([len(made), len(made), 1]))]
            shown = draw(st.lists(pictures, max_size=1).map(tuple))
            history += [Tool((ToolOutput(call.id, call.name, "out", shown, draw(st.booleans())),)) for call in results]
    return history


@pytest.mark.parametrize("api", FORMATS)
@settings(deadline=None, max_examples=150)
@given(st.lists(st.tuples(histories(), st.booleans()), min_size=1, max_size=5), st.booleans())
def test_a_growing_history_is_put_as_if_it_were_new(
    api: str, pieces: Sequence[tuple[list[Message], bool]], asked: bool
) -> None:
    memory, where = Memory(), endpoint(api, Quirks(merge_users=asked, assistant_after_tools=not asked))
    history: list[Message] = []
    for piece, caught_up in pieces:
        history += piece
        fresh = replace(request(), messages=tuple(history))
        first, again = (body(replace(fresh, memory=memory), where) for _ in range(2))
        if caught_up:
            memory.catch_up()
        assert without_marks(first) == without_marks(again) == without_marks(body(fresh, where))


def chat(turns: int) -> list[Message]:
    """A plain conversation with a call in each turn."""
    history: list[Message] = []
    for turn in range(turns):
        call = ToolCall(f"call{turn}", "std.read", {"path": "a"})
        answer = Assistant((Text("It says so."),), "local/test-model")
        asking = Assistant((Text("Let me look."), call), "local/test-model")
        history += [user(f"question {turn}"), asking, Tool((ToolOutput(call.id, call.name, "text"),)), answer]
    return [*history, user("and now?")]


@pytest.mark.parametrize("api", ["openai-chat", "anthropic"])
def test_marks_and_all_else_are_the_same_and_only_the_end_is_put_anew(api: str) -> None:
    memory, where, history = Memory(), endpoint(api), chat(50)
    fresh = request(*history)
    for _ in range(2):
        call = wire_format(api)(replace(fresh, memory=memory), where, NAMES)
        assert from_json(to_json(call.body)) == body(fresh, where)
        assert len(array_at(call.body, "messages")) < 12


@pytest.mark.parametrize("api", ["openai-chat", "anthropic"])
@pytest.mark.parametrize(
    "change",
    [
        {"system": ("Be long.",)},
        {"tools": (READ,)},
        {"tools": ()},
        {"sees_images": False},
        {"model": "another"},
        {"session": "another"},
        {"parameters": {"thinking": {"type": "adaptive"}}},
    ],
)
def test_what_else_changes_is_no_matter(api: str, change: JSONObject) -> None:
    if api == "openai-chat" and "parameters" in change:
        return
    memory, where = Memory(), endpoint(api)
    history = (*chat(6), Assistant((Thinking("hm", {"signature": "s", "asked": True}), Text("x")), "local/test-model"))
    picture = Image("image/png", PNG)
    fresh = request(User((Text("see"), picture)), *history, user("go on"))
    other = replace(fresh, **change)  # pyright: ignore[reportArgumentType] - as given above
    for asked in (fresh, other, fresh, other):
        names = ToolNames(tool.name for tool in asked.tools)
        remembered = wire_format(api)(replace(asked, memory=memory), where, names)
        plain = wire_format(api)(asked, where, names)
        assert from_json(to_json(remembered.body)) == from_json(to_json(plain.body))


def test_a_changed_past_is_put_anew() -> None:
    memory, where, history = Memory(), endpoint("openai-chat"), chat(6)
    body(replace(request(*history), memory=memory), where)
    changed = [user("another beginning"), *copy.copy(history)[1:]]
    for now in (changed, history[:5], [*history, *chat(2)]):
        assert body(replace(request(*now), memory=memory), where) == body(request(*now), where)
