"""What a server refuses is left out, and the session goes on: the history keeps it."""

from collections.abc import AsyncGenerator, Callable

import pytest

from panto import messages
from panto.agent.model_call import Stream
from panto.agent.set_aside import IMAGE, OUTPUT, SetAside, described
from panto.events import Notification
from panto.json_values import JSONObject
from panto.llm.types import Done, Failed, Failure, FailureKind, Refused, Request, StreamEvent, TextDelta
from panto.messages import Assistant, Image, Message, Text, Thinking, Tool, ToolCall, ToolOutput, ToolSchema, User
from panto.tools import Reply, ToolContext
from tests.agent.stage import MODEL, Stage, call, said, say, tool

PNG = b"\x89PNG\r\n\x1a\n" + b"\0\0\0\rIHDR" + b"\0\0\0\1" * 2
FIRST, SECOND = Image("image/png", PNG + b"1"), Image("image/png", PNG + b"2")
SCHEMAS = (ToolSchema("t.a", "", {}), ToolSchema("t.b", "", {}))


def refusing(
    judge: Callable[[Request], Refused | None], kind: FailureKind = "bad_request", begun: bool = False
) -> Stream:
    """Refuse a request as long as there is something in it to refuse, then answer."""

    async def stream(request: Request) -> AsyncGenerator[StreamEvent, None]:
        refused = judge(request)
        if refused is None:
            yield Done(Assistant((Text("Good."),), MODEL))
            return
        if begun:
            yield TextDelta("Go")
        parts = (Text("Go"),) if begun else ()
        yield Failed(Assistant(parts, MODEL, "error"), Failure(kind, "the server said no", refused=refused))

    return stream


def images_of(request: Request) -> list[Image]:
    return [image for message in request.messages for image in messages.images_of(message)]


def named(request: Request) -> Refused | None:
    """A server that says which image it is."""
    found = images_of(request)
    return Refused(parts=(found[0],)) if found else None


def unnamed(request: Request) -> Refused | None:
    """A server that says only that it won't."""
    return Refused() if images_of(request) else None


async def look(_arguments: JSONObject, _context: ToolContext) -> Reply:
    return Reply("two pictures", images=(FIRST, SECOND))


def looks(stage: Stage) -> Stream:
    stage.tools.add(tool("t.look", look))
    return say("Let me see.", calls=[call("t.look")])


def notices(stage: Stage) -> list[str]:
    return [event.text for event in stage.events(Notification)]


async def test_named_images_one_after_another(stage: Stage) -> None:
    refuse = refusing(named)
    end = await stage.turn("look", looks(stage), refuse, refuse, refuse)
    assert (end.reason, end.error) == ("done", "")
    assert [len(images_of(request)) for request in stage.requests] == [0, 2, 1, 0]
    assert stage.results["c1"].images == (FIRST, SECOND)
    assert len(notices(stage)) == 2
    assert all("an image" in notice for notice in notices(stage))
    assert stage.events(Notification)[0].hint == "the server said no"
    assert [message.text for message in stage.messages if isinstance(message, Assistant)] == ["Let me see.", "Good."]


async def test_it_stays_out(stage: Stage) -> None:
    refuse = refusing(named)
    await stage.turn("look", looks(stage), refuse, refuse, refuse)
    await stage.turn("again", refuse)
    last, before = stage.requests[-1], stage.requests[-2]
    assert images_of(last) == []
    assert all(map(lambda one, other: one is other, before.messages, last.messages)), "what was sent stays the same"
    (output,) = next(message for message in last.messages if isinstance(message, Tool)).parts
    assert output.text == f"two pictures\n{IMAGE.text}\n{IMAGE.text}"
    await stage.works()


async def test_images_that_a_server_refuses_without_a_word(stage: Stage) -> None:
    refuse = refusing(unnamed)
    end = await stage.turn("look", looks(stage), refuse, refuse)
    assert end.reason == "done"
    assert notices(stage) == ["not sent from now on, since the server does not take it: 2 images"]
    await stage.works()


async def test_images_that_were_suspected_wrongly_are_sent_again(stage: Stage) -> None:
    refuse = refusing(lambda _request: Refused())
    end = await stage.turn("look", looks(stage), refuse, refuse)
    assert (end.reason, end.error) == ("failed", "the server said no")
    assert [len(images_of(request)) for request in stage.requests] == [0, 2, 0]
    assert notices(stage) == []
    await stage.turn("and now?", say("Two cats."))
    assert images_of(stage.requests[-1]) == [FIRST, SECOND]


async def test_images_that_were_taken_before_are_not_suspected(stage: Stage) -> None:
    await stage.turn("look", looks(stage), say("Two cats."))
    end = await stage.turn("and now?", refusing(unnamed))
    assert (end.reason, end.error) == ("failed", "the server said no")
    assert notices(stage) == []
    await stage.works()


@pytest.mark.parametrize("kind", ["auth", "rate_limit", "server", "context_too_long", "not_found"])
async def test_other_failures_set_nothing_aside(stage: Stage, kind: FailureKind) -> None:
    end = await stage.turn("look", looks(stage), refusing(named, kind))
    assert end.reason == "failed"
    assert notices(stage) == []


async def test_an_answer_that_has_begun_is_not_asked_for_again(stage: Stage) -> None:
    end = await stage.turn("look", looks(stage), refusing(named, begun=True))
    assert end.reason == "failed"
    assert notices(stage) == []
    await stage.works()


async def test_it_does_not_go_on_for_ever(stage: Stage) -> None:
    def obstinate(request: Request) -> Refused:
        (output,) = next(message for message in request.messages if isinstance(message, Tool)).parts
        return Refused(parts=(output,))

    end = await stage.turn("look", looks(stage), *[refusing(obstinate)] * 50)
    assert end.reason == "failed"
    assert len(stage.requests) == 21
    await stage.works()


async def test_a_tool(stage: Stage) -> None:
    def judge(request: Request) -> Refused | None:
        return Refused(tools=("t.odd",)) if "t.odd" in [schema.name for schema in request.tools] else None

    stage.tools.add(tool("t.odd"))
    stage.tools.add(tool("t.plain"))
    end = await stage.turn("hello", refusing(judge), refusing(judge))
    assert end.reason == "done"
    assert notices(stage) == ["not sent from now on, since the server does not take it: the tool t.odd"]
    await stage.turn("again", refusing(judge))
    assert [schema.name for schema in stage.requests[-1].tools] == ["t.plain"]


def test_models_are_told_apart() -> None:
    aside = SetAside()
    request = Request("m", (), (User((FIRST, Text("look"))),))
    aside.leave_out("p/m", Refused(parts=(FIRST,)))
    assert images_of(aside.apply("p/m", request)) == []
    assert aside.apply("p/other", request) is request


def test_what_is_sent_instead() -> None:
    thought = Thinking("hm", {"signature": "s" * 20})
    output = ToolOutput("c1", "t.a", "poison", (SECOND,), summary="1 line")
    history: tuple[Message, ...] = (
        User((FIRST, Text("look"), SECOND)),
        Assistant((thought, Thinking("more"), Text("I see."), ToolCall("c1", "t.a")), "p/m"),
        Tool((output,)),
        said("go on"),
    )
    request = Request("m", (), history, SCHEMAS)
    aside = SetAside()
    refused = Refused((FIRST, thought, output), ("t.b",))
    aside.leave_out("p/m", refused)
    sent = aside.apply("p/m", request)
    assert sent.messages == (
        User((IMAGE, Text("look"), SECOND)),
        Assistant((Text("I see."), ToolCall("c1", "t.a")), "p/m"),
        Tool((ToolOutput("c1", "t.a", OUTPUT, (SECOND,), summary="1 line"),)),
        said("go on"),
    )
    assert sent.messages[3] is history[3]
    assert sent.tools == SCHEMAS[:1]
    assert described(refused) == "an image and a thought and a tool's output and the tool t.b"
