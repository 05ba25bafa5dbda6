import re
from typing import get_args

import msgspec
import pytest
from hypothesis import given

from panto.messages import (
    STOP_REASONS,
    Assistant,
    Image,
    Message,
    StopReason,
    System,
    Text,
    Thinking,
    Tool,
    ToolCall,
    ToolOutput,
    Usage,
    User,
    new_id,
)
from tests.support.messages import messages


@given(messages)
def test_messages_are_the_same_on_disk_and_in_memory(message: Message) -> None:
    assert msgspec.msgpack.decode(msgspec.msgpack.encode(message), type=Message) == message


@given(messages)
def test_messages_are_the_same_as_json(message: Message) -> None:
    assert msgspec.json.decode(msgspec.json.encode(message), type=Message) == message


def test_what_was_said_stays_as_it_was_said() -> None:
    said = User((Text("hello"),))
    for field, part in (("parts", said), ("text", said.parts[0])):
        with pytest.raises(AttributeError):
            setattr(part, field, ())


def test_the_text_of_a_user_leaves_images_out() -> None:
    assert User((Text("one"), Image("image/png", b"\x89"), Text("two"))).text == "one\ntwo"


def test_an_answer_gives_its_text_and_its_calls_in_order() -> None:
    first, second = ToolCall("1", "std.read"), ToolCall("2", "std.list")
    answer = Assistant((Thinking("hm"), Text("I "), first, Text("look."), second))
    assert answer.text == "I look."
    assert answer.calls == (first, second)


def test_roles_and_parts_are_told_apart_by_name() -> None:
    stored = msgspec.to_builtins([System("x"), User(()), Assistant(), Tool((ToolOutput("1", "t"),))])
    assert [message["role"] for message in stored] == ["system", "user", "assistant", "tool"]
    assert stored[3]["parts"][0]["part"] == "tool_output"


def test_an_unknown_role_is_no_message() -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert({"role": "oracle", "text": "x"}, Message)


def test_stop_reasons_are_those_of_the_type() -> None:
    assert set(get_args(StopReason)) == STOP_REASONS


def test_ids_are_distinct_and_sort_by_time(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[str] = []
    for milliseconds in (0, 1, 1_700_000_000_000, 1_700_000_000_001, 2**48 - 1):
        monkeypatch.setattr("time.time_ns", lambda now=milliseconds: now * 1_000_000)
        made.append(new_id())
    assert made == sorted(made)
    assert all(re.fullmatch(r"[0-9a-f]{20}", one) for one in made)
    assert len({new_id() for _ in range(1000)}) == 1000


def test_answers_of_old_sessions_have_no_cost_and_unknown_is_not_kept() -> None:
    old = msgspec.json.decode(b'{"role":"assistant","usage":{"input":3,"output":2}}', type=Message)
    assert isinstance(old, Assistant)
    assert old.usage == Usage(input=3, output=2, cost=None)
    assert b"cost" not in msgspec.json.encode(old)
    free = Assistant(usage=Usage(cost=0.0))
    assert msgspec.json.decode(msgspec.json.encode(free), type=Message) == free
