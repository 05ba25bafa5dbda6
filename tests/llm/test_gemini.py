"""How a request is put as contents, and how signatures find their way back."""

import base64
import copy
from dataclasses import replace
from typing import cast

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from panto.json_values import JSONObject, array_at, object_at, text_at, value_at
from panto.llm.client import Clients
from panto.llm.formats.gemini.request import encode
from panto.llm.formats.gemini.schemas import reduced
from panto.llm.names import ToolNames
from panto.llm.types import Endpoint, Request, ThinkingLevel, ThinkingStyle
from panto.llm.wire import RequestError
from panto.messages import Assistant, Image, Message, System, Text, Thinking, Tool, ToolCall, ToolOutput, ToolSchema
from tests.llm.google_sdk import judged
from tests.llm.talking import LIST, READ, done, endpoint, request, user
from tests.llm.test_sendable_properties import histories, ids, received
from tests.support.llm.gemini.format import Gemini
from tests.support.llm.gemini.parameters import KEYWORDS
from tests.support.llm.gemini.signatures import sign
from tests.support.llm_server import Call, LLMServer, Reply

PNG = b"\x89PNG\r\n\x1a\n" + b"\0\0\0\rIHDR" + (30).to_bytes(4) + (20).to_bytes(4)
PICTURE = {"inlineData": {"mimeType": "image/png", "data": base64.b64encode(PNG).decode()}}
CALL = ToolCall("c1", "std.read", {"path": "a"})
RESULT = Tool((ToolOutput("c1", "std.read", "text"),))
OLD, NEW = "gemini-2.5-flash", "gemini-3.8-flash"
UNCHECKED = "skip_thought_signature_validator"


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


SCHEMA: JSONObject = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "properties": {
        "path": {"type": "string", "minLength": 1, "pattern": "^/", "default": "/", "description": "Where."},
        "mode": {"const": "fast"},
        "lines": {"type": "integer", "exclusiveMinimum": 0, "exclusiveMaximum": 9},
        "share": {"type": "number", "exclusiveMinimum": 0, "multipleOf": 0.5},
        "kind": {"type": ["string", "null"], "enum": ["a", None]},
        "flag": {"enum": [True, "x"]},
        "any": True,
        "item": {"$ref": "#/definitions/Item", "description": "One."},
        "list": {"type": "array", "items": {"type": "string", "format": "uri", "const": "u"}, "uniqueItems": True},
        "both": {"allOf": [{"properties": {"a": {}}, "required": ["a"]}, {"properties": {"b": {}}, "required": ["b"]}]},
        "one": {"oneOf": [{"type": "string"}, False]},
    },
    "definitions": {"Item": {"type": "object", "patternProperties": {"x": {}}, "additionalProperties": {"not": {}}}},
    "required": ["path", "gone"],
    "additionalProperties": False,
}


def test_schemas_are_reduced_to_what_the_api_knows() -> None:
    before = copy.deepcopy(SCHEMA)
    assert reduced(SCHEMA) == {
        "type": "object",
        "properties": {
            "path": {"type": "string", "description": "Where."},
            "mode": {"enum": ["fast"]},
            "lines": {"type": "integer", "minimum": 1, "maximum": 8},
            "share": {"type": "number", "minimum": 0},
            "kind": {"type": ["string", "null"], "enum": ["a"]},
            "flag": {},
            "any": {},
            "item": {"$ref": "#/$defs/Item"},
            "list": {"type": "array", "items": {"type": "string", "format": "uri", "enum": ["u"]}},
            "both": {"properties": {"a": {}, "b": {}}, "required": ["a", "b"]},
            "one": {"oneOf": [{"type": "string"}, {}]},
        },
        "$defs": {"Item": {"type": "object", "additionalProperties": {}}},
        "required": ["path"],
        "additionalProperties": False,
    }
    assert before == SCHEMA


words = st.sampled_from([*sorted(KEYWORDS), "const", "not", "allOf", "definitions", "exclusiveMinimum", "default", "x"])
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.sampled_from(["a", "#/definitions/a", "integer"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(words, inner, max_size=3),
    max_leaves=12,
)


@settings(deadline=None)
@given(st.dictionaries(words, values, max_size=5))
def test_no_schema_can_break_it_or_is_changed_by_it(schema: JSONObject) -> None:
    before = copy.deepcopy(schema)
    once = reduced(schema)
    assert before == schema
    assert once.keys() <= KEYWORDS
    assert reduced(once) == once


async def test_the_server_takes_a_tool_with_any_schema(clients: Clients) -> None:
    with LLMServer(["Fine."]) as server:
        await done(replace(request("Hi"), tools=(ToolSchema("t", "d", SCHEMA),)), endpoint("gemini", server), clients)


def test_calls_that_nobody_signed_are_marked_for_models_that_want_signatures() -> None:
    history = (user("Hi"), Assistant((CALL, ToolCall("c2", "std.list", {})), "other/m"), RESULT)
    signatures = [value_at(part, "thoughtSignature") for part in array_at(contents(*history, model=NEW)[1], "parts")]
    assert signatures == [UNCHECKED, None]
    for model in ("gemini-4-argon", "gemini-flash-latest", "models/gemini-3-pro-preview"):
        assert value_at(contents(*history, model=model)[1], "parts", 0, "thoughtSignature") == UNCHECKED
    for model in (OLD, "gemma-3", "m"):
        assert "thoughtSignature" not in str(contents(*history, model=model))


def test_signatures_of_another_model_stay_away() -> None:
    signed = ToolCall("c1", "std.read", {}, {"thoughtSignature": "c2ln"})
    thought = Thinking("hm", {"part": "thought", "signed": [[0, 2, "c2ln"]]})
    history = (user("Hi"), Assistant((thought, signed), "local/gemini-3-pro"), RESULT)
    sent = contents(*history, model=NEW)[1]
    assert value_at(sent, "parts", 0, "thoughtSignature") == UNCHECKED
    assert len(array_at(sent, "parts")) == 1
    own = contents(*history, model="gemini-3-pro")[1]
    assert own["parts"] == [
        {"text": "hm", "thought": True, "thoughtSignature": "c2ln"},
        {"functionCall": {"id": "c1", "name": "std_read", "args": {}}, "thoughtSignature": "c2ln"},
    ]


def test_signed_pieces_of_a_text_are_parts_of_their_own() -> None:
    note = Thinking("", {"part": "text", "signed": [[3, 6, "b25l"], [6, 6, "dHdv"]]})
    bare = Thinking("", {"part": "text", "signed": [[0, 0, "ZW1wdHk="]]})
    call = ToolCall("c1", "std.read", {}, {"behind": ["bGFzdA=="]})
    sent = contents(user("Hi"), answered(note, Text("So it is."), bare, call), RESULT)
    assert sent[1]["parts"] == [
        {"text": "So "},
        {"text": "it ", "thoughtSignature": "b25l"},
        {"text": "", "thoughtSignature": "dHdv"},
        {"text": "is."},
        {"text": "", "thoughtSignature": "ZW1wdHk="},
        {"functionCall": {"id": "c1", "name": "std_read", "args": {}}},
        {"text": "", "thoughtSignature": "bGFzdA=="},
    ]


@pytest.mark.parametrize(
    "signed", [None, 3, [3], [[0]], [["a", 1, "c2ln"]], [[2, 1, "c2ln"]], [[-1, 1, "c2ln"]], [[0, 1, ""]]]
)
def test_notes_that_are_no_notes_do_no_harm(signed: object) -> None:
    note = Thinking("", {"part": "text", "signed": signed})
    assert contents(user("Hi"), answered(note, Text("So.")), user("Go"))[1]["parts"] == [{"text": "So."}]


@pytest.mark.parametrize("model", [NEW, OLD])
async def test_what_is_signed_goes_back_just_as_it_came(model: str, clients: Clients) -> None:
    """The server refuses signatures on other parts than they came on, and the newer model calls without any."""
    calls = [Call("std_read", {"path": "a"}), Call("std_list")]
    with LLMServer(
        [Reply("Look:", thinking="let me see", tool_calls=calls), Reply("So.", thinking="hm"), "Bye."]
    ) as server:
        where = endpoint("gemini", server)
        asked = replace(request("Hi"), model=model)
        answer = await done(asked, where, clients)
        outputs = tuple(ToolOutput(call.id, call.name, "text") for call in answer.calls)
        asked = replace(asked, messages=(*asked.messages, answer, Tool(outputs)))
        last = await done(asked, where, clients)
        await done(replace(asked, messages=(*asked.messages, last, user("Bye"))), where, clients)
        _, second, third = (cast("list[JSONObject]", sent.body["contents"]) for sent in server.requests)
        assert third[:3] == second
        assert [[*cast("JSONObject", part)] for part in array_at(second[1], "parts")] == [
            ["text", "thought"],
            ["text"],
            ["functionCall", "thoughtSignature"],
            ["functionCall"],
        ]
        assert [[*cast("JSONObject", part)] for part in array_at(third[3], "parts")] == [
            ["text", "thought"],
            ["text"],
            ["text", "thoughtSignature"],
        ]
        for sent in server.requests:
            judged(sent.body)
            assert "sk-secret" not in sent.path


async def test_a_history_of_another_provider_is_taken_up(clients: Clients) -> None:
    with LLMServer([Reply(thinking="hm", tool_calls=[Call("std_read", {"path": "a"})]), "So.", "Bye."]) as server:
        answer = await done(request("Hi"), endpoint("anthropic", server), clients)
        output = Tool((ToolOutput(answer.calls[0].id, "std.read", "text"),))
        asked = replace(request("Hi", answer, output), model=NEW)
        last = await done(asked, endpoint("gemini", server), clients)
        await done(request("Hi", answer, output, last, "Bye"), endpoint("anthropic", server), clients)


def of_gemini(model: str) -> st.SearchStrategy[Assistant]:
    """Answers of this model, with signatures on whatever the server signed: calls, pieces of texts and of thoughts."""
    said: JSONObject = {"functionCall": {"name": "std_read"}}
    mark: JSONObject = {"thoughtSignature": sign(said)}
    piece = [1, 3, sign({"text": "o "})]
    empty = [5, 5, sign({"text": ""})]
    hm = [0, 2, sign({"text": "hm", "thought": True})]
    opaque = st.sampled_from([mark, {**mark, "behind": [sign({"text": ""})]}, cast("JSONObject", {})])
    found: st.SearchStrategy[list[Text | Thinking | ToolCall]] = st.one_of(
        st.builds(lambda id_, opaque: [ToolCall(id_, "std.read", {}, opaque)], ids, opaque),
        st.builds(
            lambda signed: [Thinking("", {"part": "text", "signed": signed}), Text("So it")],
            st.sampled_from([[piece], [piece, empty], [empty]]),
        ),
        st.builds(
            lambda signed: [Thinking("hm", {"part": "thought", **signed})], st.sampled_from([{}, {"signed": [hm]}])
        ),
        st.sampled_from([[Text("\n")], [Text("So")]]),
    )
    return st.lists(found, max_size=4).map(
        lambda parts: answered(*(part for some in parts for part in some), model=model)
    )


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.sampled_from(["m", OLD, NEW]), st.data())
def test_any_history_is_taken_by_the_server_and_by_the_sdk(model: str, data: st.DataObject) -> None:
    history: list[Message] = []
    for some in data.draw(st.lists(histories | st.lists(of_gemini(model), max_size=2), max_size=4)):
        history += some
    asked = Request(model, ("sys",), (*history, user("and now?")), (READ, LIST))
    got = received("gemini", asked)
    Gemini().check(got)
    judged(got.body)
    roles = [text_at(content, "role") for content in array_at(got.body, "contents")]
    assert roles == ["user", "model"] * (len(roles) // 2) + ["user"]
    answer = answered(Text("so"), ToolCall("z9", "std.read", {"path": "a"}), model=model)
    output = Tool((ToolOutput("z9", "std.read", "text"),))
    grown = received("gemini", replace(asked, messages=(*asked.messages, answer, output, user("next"))))
    assert array_at(grown.body, "contents")[: len(roles)] == array_at(got.body, "contents")
