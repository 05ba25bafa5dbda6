"""What a server's error names is found again in the conversation, by its place in the body that was sent."""

import base64
import json
from collections.abc import Iterator
from dataclasses import replace

import pytest

from panto.json_values import JSONObject, is_array, is_object
from panto.llm.formats import wire_format
from panto.llm.json_text import to_json
from panto.llm.names import ToolNames
from panto.llm.refused import refused_in
from panto.llm.remembered import Memory
from panto.llm.types import Endpoint, Refused, Request
from panto.messages import Assistant, Image, Text, Thinking, Tool, ToolCall, ToolOutput, User
from tests.llm.talking import APIS, LIST, READ, user

PNG = b"\x89PNG\r\n\x1a\n" + b"\0\0\0\rIHDR" + b"\0\0\0\1" * 2
IMAGES = tuple(Image("image/png", PNG + bytes([number])) for number in range(4))
OUTPUTS = (
    ToolOutput("c1", "std.read", "what the file holds", (IMAGES[2],)),
    ToolOutput("c2", "std.list", "what is in the directory"),
)
SIGNED: dict[str, JSONObject] = {
    "anthropic": {"signature": "c2lnbmVkIGJ5IHRoZSBtb2RlbA=="},
    "bedrock": {"signature": "c2lnbmVkIGJ5IHRoZSBtb2RlbA=="},
    "openai-responses": {
        "item": {"id": "rs_12345678901234567890", "summary": [], "encrypted_content": "c2VhbGVkIGJ5IHRoZSBtb2RlbA=="},
        "next": [{"type": "function_call"}, {"type": "function_call"}],
    },
}


def conversation(api: str, turns: int) -> Request:
    thought = (Thinking("let me see", SIGNED[api]),) if api in SIGNED else ()
    calls = (ToolCall("c1", "std.read", {"path": "a"}), ToolCall("c2", "std.list", {}))
    before = [message for turn in range(turns) for message in (user(f"{turn}?"), said(f"{turn}!"))]
    history = (
        *before,
        User((Text("Look"), IMAGES[0], IMAGES[1])),
        said("I see."),
        user("Go on"),
        Assistant((*thought, *calls), "p/m", "tool_calls"),
        Tool(OUTPUTS),
        said("Done."),
        User((Text("And this?"), IMAGES[3])),
    )
    return Request("m", ("sys",), history, (READ, LIST), 4096)


def said(text: str) -> Assistant:
    return Assistant((Text(text),), "p/m")


def body_of(request: Request, api: str) -> bytes:
    endpoint = Endpoint("p", api, "http://127.0.0.1:1", api_key="k")
    return to_json(wire_format(api)(request, endpoint, ToolNames(tool.name for tool in request.tools)).body)


def places(value: object, wanted: str, at: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """The paths to all strings that end so."""
    if isinstance(value, str) and value.endswith(wanted):
        yield at
    elif is_object(value):
        for key, inner in value.items():
            yield from places(inner, wanted, (*at, key))
    elif is_array(value):
        for number, inner in enumerate(value):
            yield from places(inner, wanted, (*at, str(number)))


def place(body: bytes, wanted: str) -> tuple[str, ...]:
    (found,) = places(json.loads(body), wanted)
    return found


@pytest.mark.parametrize("api", APIS)
@pytest.mark.parametrize("turns", [0, 9])
@pytest.mark.parametrize("image", IMAGES, ids=["first", "second", "of a result", "last"])
def test_an_image(api: str, turns: int, image: Image) -> None:
    request = conversation(api, turns)
    body = body_of(request, api)
    steps = place(body, base64.b64encode(image.data).decode())
    last_number = max(number for number, step in enumerate(steps) if step.isdecimal())
    for end in range(last_number + 1, len(steps) + 1):
        assert refused_in(".".join(steps[:end]), body, request) == Refused(parts=(image,))
    assert refused_in(".".join([*steps, "base64", "data", "0"]), body, request) == Refused(parts=(image,))


@pytest.mark.parametrize("api", APIS)
def test_a_place_in_what_is_remembered(api: str) -> None:
    request = replace(conversation(api, 9), memory=Memory(), session="s")
    body_of(request, api)
    later = replace(request, messages=(*request.messages, said("A cat."), user("Sure?"), said("Yes."), user("Really?")))
    body = body_of(later, api)
    steps = place(body, base64.b64encode(IMAGES[0].data).decode())
    assert refused_in(".".join(steps), body, later) == Refused(parts=(IMAGES[0],))


@pytest.mark.parametrize("api", APIS)
def test_a_message_with_images(api: str) -> None:
    request = conversation(api, 0)
    body = body_of(request, api)
    steps = place(body, base64.b64encode(IMAGES[1].data).decode())[:2]
    assert refused_in(f"{steps[0]}[{steps[1]}]", body, request) == Refused(parts=(IMAGES[0], IMAGES[1]))


@pytest.mark.parametrize("api", APIS)
def test_an_output(api: str) -> None:
    request = conversation(api, 3)
    body = body_of(request, api)
    steps = place(body, OUTPUTS[1].text)
    assert refused_in(".".join(steps), body, request) == Refused(parts=(OUTPUTS[1],))


@pytest.mark.parametrize("api", SIGNED)
def test_thinking(api: str) -> None:
    request = conversation(api, 3)
    body = body_of(request, api)
    answers = (message for message in request.messages if isinstance(message, Assistant))
    (thought,) = (part for answer in answers for part in answer.parts if isinstance(part, Thinking))
    steps = place(body, "IHRoZSBtb2RlbA==")
    assert refused_in(".".join(steps), body, request) == Refused(parts=(thought,))
    assert refused_in(".".join(steps[:-1]), body, request) == Refused(parts=(thought,))


@pytest.mark.parametrize("api", APIS)
def test_a_tool(api: str) -> None:
    request = conversation(api, 0)
    body = body_of(request, api)
    *before, last = place(body, LIST.description)
    before = [step for step in before if step != "toolConfig"]
    for item in (".".join([*before, last]), ".".join(before), ".".join([*before, "custom", "parameters", "type"])):
        assert refused_in(item, body, request) == Refused(tools=("std.list",))


def test_names_in_another_case() -> None:
    request = conversation("gemini", 0)
    body = body_of(request, "gemini")
    steps = place(body, base64.b64encode(IMAGES[1].data).decode())
    item = ".".join(steps).replace("inlineData", "inline_data")
    assert item != ".".join(steps)
    assert refused_in(item, body, request) == Refused(parts=(IMAGES[1],))


@pytest.mark.parametrize("api", APIS)
@pytest.mark.parametrize(
    "item",
    [
        "messages",
        "input",
        "contents",
        "tools",
        "tools.99",
        "messages.99.content",
        "url",
        "...",
        "system.0",
        "model",
        "0",
    ],
)
def test_places_that_tell_nothing(api: str, item: str) -> None:
    request = conversation(api, 0)
    assert refused_in(item, body_of(request, api), request) == Refused()
