"""How a request is put as contents."""

import base64
from dataclasses import replace
from typing import cast

import pytest

from panto.json_values import JSONObject, array_at, object_at, text_at, value_at
from panto.llm.client import Clients
from panto.llm.formats.gemini.request import encode
from panto.llm.names import ToolNames
from panto.llm.types import Endpoint, Request, ThinkingLevel, ThinkingStyle
from panto.llm.wire import RequestError
from panto.messages import Assistant, Image, Message, System, Text, Thinking, Tool, ToolCall, ToolOutput, ToolSchema
from tests.llm.google_sdk import judged
from tests.llm.talking import LIST, READ, done, endpoint, request, user
from tests.support.llm_server import Call, LLMServer, Reply

PNG = b"\x89PNG\r\n\x1a\n" + b"\0\0\0\rIHDR" + (30).to_bytes(4) + (20).to_bytes(4)
PICTURE = {"inlineData": {"mimeType": "image/png", "data": base64.b64encode(PNG).decode()}}
CALL = ToolCall("c1", "std.read", {"path": "a"})
RESULT = Tool((ToolOutput("c1", "std.read", "text"),))
OLD, NEW = "gemini-2.5-flash", "gemini-3.8-flash"


def body(asked: Request, where: Endpoint | None = None) -> JSONObject:
    """What goes out, which the SDK's types must take."""
    where = where or Endpoint("local", "gemini", "http://127.0.0.1", api_key="k")
    sent = encode(asked, where, ToolNames(tool.name for tool in asked.tools)).body
    judged(sent)
    return sent


def contents(*history: Message, model: str = OLD) -> list[JSONObject]:
    return cast("list[JSONObject]", body(Request(model, (), history, (READ, LIST)))["contents"])


def answered(*parts: Text | Thinking | ToolCall, model: str = OLD) -> Assistant:
    return Assistant(parts, f"local/{model}")


def test_a_plain_request() -> None:
    asked = Request("m", ("One.", " ", "Two."), (user("Hi"),), (READ, LIST), 100, {"temperature": 0.5})
    assert body(asked) == {
        "generationConfig": {"maxOutputTokens": 100, "temperature": 0.5},
        "systemInstruction": {"parts": [{"text": "One."}, {"text": "Two."}]},
        "tools": [
            {
                "functionDeclarations": [
                    {"name": "std_list", "description": "List a directory.", "parametersJsonSchema": LIST.parameters},
                    {"name": "std_read", "description": "Read a file.", "parametersJsonSchema": READ.parameters},
                ]
            }
        ],
        "contents": [{"role": "user", "parts": [{"text": "Hi"}]}],
    }


def test_what_is_not_asked_for_is_not_sent() -> None:
    assert list(body(Request("m", (), (user("Hi"),)))) == ["contents"]


@pytest.mark.parametrize(
    ("base", "model", "path"),
    [
        ("http://x", "m", "/v1beta/models/m"),
        ("http://x/", "m", "/v1beta/models/m"),
        ("http://x/v1beta", "m", "/models/m"),
        ("http://x/v1", "models/m", "/models/m"),
        ("http://x/v1", "tunedModels/mine", "/tunedModels/mine"),
        ("http://x/v1", "m?key=1:generate", "/models/m%3Fkey%3D1%3Agenerate"),
    ],
)
def test_the_address_names_the_model_and_never_the_key(base: str, model: str, path: str) -> None:
    call = encode(replace(request(), model=model), Endpoint("l", "gemini", base, api_key="secret"), ToolNames([]))
    assert call.path == f"{path}:streamGenerateContent?alt=sse"
    assert call.headers == {"x-goog-api-key": "secret"}
    assert encode(request(), Endpoint("l", "gemini", base), ToolNames([])).headers == {}


@pytest.mark.parametrize("model", ["../../other", "models/../x", "a//b", "/m"])
def test_a_model_that_leads_elsewhere(model: str) -> None:
    with pytest.raises(RequestError, match="no model's name"):
        body(replace(request(), model=model))


def test_parameters_stand_where_the_api_has_them() -> None:
    asked = request(
        max_tokens=9,
        parameters={"topK": 1, "safetySettings": [], "generationConfig": {"seed": 2, "maxOutputTokens": 5}},
    )
    sent = body(asked)
    assert sent["safetySettings"] == []
    assert sent["generationConfig"] == {"maxOutputTokens": 5, "seed": 2, "topK": 1}
    assert list(sent)[-1] == "contents"
    wrongs: list[JSONObject] = [{"contents": []}, {"generationConfig": []}]
    for wrong in wrongs:
        with pytest.raises(RequestError):
            body(request(parameters=wrong))


THINKING: list[tuple[str, ThinkingStyle, ThinkingLevel | None, JSONObject]] = [
    (OLD, "budget", "off", {"thinkingBudget": 0}),
    (OLD, "budget", "low", {"thinkingBudget": 1024, "includeThoughts": True}),
    (OLD, "budget", "high", {"thinkingBudget": 24576, "includeThoughts": True}),
    (OLD, "switch", "medium", {"thinkingBudget": -1, "includeThoughts": True}),
    ("gemini-2.5-pro", "budget", "off", {"thinkingBudget": 128}),
    ("models/gemini-2.5-pro", "switch", "off", {"thinkingBudget": 128}),
    (NEW, "effort", "off", {"thinkingLevel": "low"}),
    (NEW, "effort", "medium", {"thinkingLevel": "medium", "includeThoughts": True}),
    (NEW, "adaptive", "high", {"thinkingLevel": "high", "includeThoughts": True}),
    ("gemini-3-flash-preview", "effort", "off", {"thinkingLevel": "minimal"}),
    ("gemini-3-pro-preview", "effort", "medium", {"thinkingLevel": "high", "includeThoughts": True}),
    (NEW, "effort", None, {}),
    (NEW, "unknown", "high", {}),
    (NEW, "none", "high", {}),
    (NEW, "always", "off", {}),
]


@pytest.mark.parametrize(("model", "style", "level", "asks"), THINKING)
async def test_how_thinking_is_asked_for(
    model: str, style: ThinkingStyle, level: ThinkingLevel | None, asks: JSONObject, clients: Clients
) -> None:
    asked = request(model=model, thinking_style=style, thinking=level)
    assert object_at(body(asked), "generationConfig", "thinkingConfig") == asks
    if "/" not in model:
        with LLMServer(["Fine."]) as server:  # which knows what each of them takes
            await done(asked, endpoint("gemini", server), clients)


def test_thoughts_leave_room_for_the_answer() -> None:
    def budget(limit: int) -> object:
        asked = request(model=OLD, thinking_style="budget", thinking="high", max_tokens=limit)
        return value_at(body(asked), "generationConfig", "thinkingConfig", "thinkingBudget")

    assert [budget(limit) for limit in (65_536, 8_192, 100)] == [24_576, 4_096, 1_024]


def test_results_and_what_follows_them_are_one_content() -> None:
    outputs = (
        ToolOutput("c2", "std.list", "no such directory", is_error=True),
        ToolOutput("c1", "std.read", "text"),
    )
    answer = answered(Text("Look:"), CALL, ToolCall("c2", "std.list", {}))
    assert contents(user("Hi"), answer, Tool(outputs[:1]), user("Wait"), Tool(outputs[1:]))[1:] == [
        {
            "role": "model",
            "parts": [
                {"text": "Look:"},
                {"functionCall": {"id": "c1", "name": "std_read", "args": {"path": "a"}}},
                {"functionCall": {"id": "c2", "name": "std_list", "args": {}}},
            ],
        },
        {
            "role": "user",
            "parts": [
                {"functionResponse": {"id": "c1", "name": "std_read", "response": {"output": "text"}}},
                {"functionResponse": {"id": "c2", "name": "std_list", "response": {"error": "no such directory"}}},
                {"text": "Wait"},
            ],
        },
    ]


def test_images_of_results_stand_in_them_or_follow() -> None:
    result = Tool((ToolOutput("c1", "std.read", images=(Image("image/png", PNG),)),))
    (inside,) = array_at(contents(user("Hi"), answered(CALL), result, model=NEW)[-1], "parts")
    assert value_at(inside, "functionResponse", "parts") == [PICTURE]
    response, note, picture = array_at(contents(user("Hi"), answered(CALL), result)[-1], "parts")
    assert text_at(response, "functionResponse", "response", "output") == "(see the image below)"
    assert (text_at(note, "text"), picture) == ("The images of the tool results above:", PICTURE)


def test_a_model_that_sees_no_images_is_told_of_them() -> None:
    result = Tool((ToolOutput("c1", "std.read", "it:", images=(Image("image/png", PNG),)),))
    history = (user("Hi"), answered(CALL), result)
    sent = body(Request(NEW, (), history, (READ,), sees_images=False))
    output = text_at(sent, "contents", -1, "parts", 0, "functionResponse", "response", "output")
    assert output == "it:\n[An image was left out: the model can't see images.]"
    assert "inlineData" not in str(sent)


def test_late_system_messages_become_the_users() -> None:
    late = contents(user("Hi"), answered(Text("Yes?")), System("New rule."), user("Go"))
    assert late[-1]["parts"] == [{"text": "<system>\nNew rule.\n</system>"}, {"text": "Go"}]


def test_names_begin_as_the_api_wants_them() -> None:
    odd = ToolSchema("9.lives", "Nine.", {})
    sent = body(Request("m", (), (user("Hi"), answered(ToolCall("a", "-x", {}))), (odd,)))
    assert value_at(sent, "tools", 0, "functionDeclarations") == [{"name": "_9_lives", "description": "Nine."}]
    assert text_at(sent, "contents", 1, "parts", 0, "functionCall", "name") == "_-x"


async def test_and_are_known_again(clients: Clients) -> None:
    odd = ToolSchema("9.lives", "Nine.", {})
    with LLMServer([Reply(tool_calls=[Call("_9_lives")])]) as server:
        answer = await done(replace(request("Hi"), tools=(odd,)), endpoint("gemini", server), clients)
    assert answer.calls[0].name == "9.lives"
