"""How signatures of thoughts find their way back, to the parts that they came on and to no others."""

from dataclasses import replace
from typing import cast

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from panto.json_values import JSONObject, array_at, text_at, value_at
from panto.llm.client import Clients
from panto.llm.types import Request
from panto.messages import Assistant, Message, Text, Thinking, Tool, ToolCall, ToolOutput
from tests.llm.google_sdk import judged
from tests.llm.talking import LIST, READ, done, endpoint, request, user
from tests.llm.test_gemini import CALL, NEW, OLD, RESULT, answered, contents
from tests.llm.test_sendable_properties import histories, received
from tests.support.llm.gemini.format import Gemini
from tests.support.llm.gemini.signatures import sign
from tests.support.llm_server import Call, LLMServer, Reply

UNCHECKED = "skip_thought_signature_validator"


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


def signed_groups() -> list[tuple[Text | Thinking | ToolCall, ...]]:
    """Parts as a decoder leaves them, with signatures on whatever the server signed."""
    called, empty = sign({"functionCall": {"name": "std_read"}}), sign({"text": ""})
    mark: JSONObject = {"thoughtSignature": called}
    hm = [0, 2, sign({"text": "hm", "thought": True})]
    piece, behind = [1, 3, sign({"text": "o "})], [5, 5, empty]
    return [
        (ToolCall("a", "std.read", {}, mark),),
        (ToolCall("b", "std.read", {}, {**mark, "behind": [empty]}),),
        (ToolCall("", "std.read"),),
        (Thinking("", {"part": "text", "signed": [piece, behind]}), Text("So it")),
        (Thinking("", {"part": "text", "signed": [behind]}), Text("So it")),
        (Thinking("", {"part": "text", "signed": [[0, 0, empty]]}),),
        (Thinking("hm", {"part": "thought", "signed": [hm]}),),
        (Thinking("hm", {"part": "thought"}),),
        (Text("\n"),),
        (Text("So"),),
    ]


def of_gemini(model: str) -> st.SearchStrategy[Assistant]:
    """Answers of this model."""
    groups = st.lists(st.sampled_from(signed_groups()), max_size=4)
    return groups.map(lambda found: answered(*(part for group in found for part in group), model=model))


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
