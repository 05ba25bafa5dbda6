"""The same conversations through all six wire formats: the same is kept on disk, and the same is seen.

What the formats can't have in common is left out of the comparison: ids, what is opaque, times, and the statuses that
providers give their errors.
"""

import asyncio
import base64
import re
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass

import msgspec
import pytest

from panto.llm.formats import FORMATS
from panto.messages import (
    Assistant,
    Image,
    Message,
    StopReason,
    Text,
    Thinking,
    Tool,
    ToolCall,
    ToolOutput,
    Usage,
    User,
)
from panto.sessions.store import open_store
from tests.e2e.conftest import KEY, World, ask, say
from tests.e2e.test_set_aside import png
from tests.support.llm.gate import Gate
from tests.support.llm_server import (
    Call,
    Cut,
    Failure,
    Hold,
    LLMServer,
    Raw,
    Reply,
    StreamError,
    Turn,
    Usage as Counted,
)
from tests.support.terminal import Terminal

USAGE = Counted(input=1200, output=34)
PNG = png(77)
MODEL = "local/test-model"
SCROLLBAR = " ▁▂▃▄▅▆▇█"
PLAIN = (
    (re.compile(r" \(HTTP \d+\)"), ""),
    (re.compile(r"127\.0\.0\.1:\d+"), "SERVER"),
    (re.compile(r"\b\d+(\.\d+)? s\b"), "N s"),
    (
        re.compile(
            r"local: (This model's maximum|prompt is too long|The input token count|request \(\d+ tokens"
            r"|Input is too long|Your credit|You exceeded|you have nothing|Your request exceeds)[^\n]*"
        ),
        "local: WORDS OF ITS OWN",
    ),
    (
        re.compile(r"    (check the model's name|set base_url of|the conversation no longer fits|raise num_ctx)[^\n]*"),
        "    HINT OF ITS OWN",
    ),
    (re.compile(r" ──+"), " ──"),
)
"""What differs between providers, or between two runs."""


def provider(name: str, server: LLMServer, api: str) -> str:
    """The table of a provider that speaks this format, asked with little patience."""
    return (
        f'[providers.{name}]\napi = "{api}"\nbase_url = "{server.url(api)}"\napi_key = "{KEY}"\n'
        'region = "us-east-1"\nstall_timeout = 3\nmax_retry_wait = 60\n'
        f'[providers.{name}.models."test-model"]\nthinking = "effort"\n'
    )


def configure(world: World, server: LLMServer, api: str) -> None:
    """The scripted server as the one provider."""
    world.write_config(f'model = "{MODEL}"\nthinking = "high"\n\n{provider("local", server, api)}')


def stored(world: World) -> list[Message]:
    """The conversation on disk, with what is the same whatever the format."""

    async def read() -> list[Message]:
        (file,) = world.home.rglob("sessions.db")
        async with await open_store(file) as store:
            session = await store.latest(world.project)
            assert session is not None
            entries, unreadable = await store.entries(session)
            assert unreadable == 0
            return [entry.message for entry in entries]

    messages = asyncio.run(read())
    ids: dict[str, str] = {}
    plain: list[Message] = []
    for message in (_plain(message, ids) for message in messages):
        last = plain[-1] if plain else None
        if isinstance(message, Tool) and isinstance(last, Tool):  # results are stored as they come
            outputs = sorted((*last.parts, *message.parts), key=lambda output: output.call_id)
            plain[-1] = Tool(tuple(outputs))
        else:
            plain.append(message)
    return plain


def _plain(message: Message, ids: dict[str, str]) -> Message:
    """A message without what a format alone decides. Ids are numbered as they come."""
    match message:
        case Assistant(parts):
            kept = tuple(_plain_part(part, ids) for part in parts)
            error = _plain_text(message.error)
            return msgspec.structs.replace(message, parts=kept, usage=Usage(), error=error)
        case Tool(outputs):
            replace = msgspec.structs.replace
            return Tool(tuple(replace(output, call_id=ids[output.call_id], seconds=0.0) for output in outputs))
        case _:
            return message


def _plain_part(part: Text | Thinking | ToolCall, ids: dict[str, str]) -> Text | Thinking | ToolCall:
    match part:
        case Thinking(text):
            return Thinking(text)
        case ToolCall(identity):
            ids[identity] = f"c{len(ids) + 1}"
            return ToolCall(ids[identity], part.name, part.arguments)
        case Text():
            return part


def _plain_text(text: str) -> str:
    """What is said on screen or on disk, without what a provider, a moment or a run alone decides."""
    for pattern, instead in PLAIN:
        text = pattern.sub(instead, text)
    return text


def shown(terminal: Terminal) -> list[str]:
    """What the transcript says: no times, no places of this one run."""
    rows = terminal.screen_text().splitlines()[1:]
    end = next((number for number, row in enumerate(rows) if row.lstrip().startswith("╭")), len(rows))
    text = "\n".join(row.rstrip(SCROLLBAR) for row in rows[:end] if row.strip(SCROLLBAR))
    return _plain_text(text).splitlines()


@dataclass(frozen=True)
class Step:
    """What the user says, what the server does then, and what the screen shows in the end."""

    prompt: str
    turns: Sequence[Turn]
    seen: str


def leave(terminal: Terminal) -> None:
    terminal.press("ctrl+d")
    assert terminal.wait_exit() == 0


CALLS = [
    Call("std_read", {"path": "a.txt"}),
    Call("std_read", {"path": "missing.txt"}),
    Call("std_list", {"path": "sub"}),
]
CALM = [
    Step("hello", [Reply("Good **day**, 漢字 🦊.", usage=USAGE)], "Good day, 漢字 🦊."),
    Step(
        "look around",
        [
            Reply("I'll look.", thinking="Three things at once.", tool_calls=CALLS, usage=USAGE),
            Reply("All seen.", usage=USAGE),
        ],
        "All seen.",
    ),
    Step(
        "and the picture?",
        [Reply(tool_calls=[Call("std_read", {"path": "grey.png"})], usage=USAGE), Reply("It is grey.", usage=USAGE)],
        "It is grey.",
    ),
]


@pytest.mark.parametrize("api", FORMATS)
def test_a_calm_conversation(world: World, api: str) -> None:
    world.write("a.txt", "alpha\n")
    world.write("sub/b.txt", "beta\n")
    (world.project / "grey.png").write_bytes(PNG)
    gate = Gate()
    half_a_call = Call("std_write", ['{"path": "never.txt", ', gate, '"content": "x"}'])
    with LLMServer([turn for step in CALM for turn in step.turns]) as server:
        configure(world, server, api)
        terminal = world.start(columns=100, rows=60)
        for step in CALM:
            say(terminal, step.prompt)
            terminal.wait_for(step.seen)
        assert base64.b64encode(PNG) in server.requests[-1].raw
        server.add(Reply("Let me write.", tool_calls=[half_a_call]))
        say(terminal, "now write")
        gate.wait_reached()
        terminal.wait_for("Let me write.")
        terminal.press("escape")
        terminal.wait_for("stopped")
        server.wait_for_disconnect()
        server.add(Reply("Here I am.", usage=USAGE))
        say(terminal, "still there?")
        terminal.wait_for("Here I am.")
        terminal.wait_for(lambda terminal: terminal.screen_text().count(" out ──") == 4)
        screen = shown(terminal)
        leave(terminal)
    assert not (world.project / "never.txt").exists()
    assert stored(world) == calm_reference()
    assert screen == CALM_SCREEN


def user(text: str) -> User:
    return User((Text(text),))


MISSING = "missing.txt is not there: the project has no missing.txt"


def calm_reference() -> list[Message]:
    """What is on disk after the calm conversation."""
    calls = (
        ToolCall("c1", "std.read", {"path": "a.txt"}),
        ToolCall("c2", "std.read", {"path": "missing.txt"}),
        ToolCall("c3", "std.list", {"path": "sub"}),
    )
    return [
        user("hello"),
        Assistant((Text("Good **day**, 漢字 🦊."),), MODEL),
        user("look around"),
        Assistant((Thinking("Three things at once."), Text("I'll look."), *calls), MODEL, "tool_calls"),
        Tool(
            (
                ToolOutput("c1", "std.read", "1\talpha", summary="1-1"),
                ToolOutput("c2", "std.read", MISSING, is_error=True),
                ToolOutput("c3", "std.list", "b.txt  5 B", summary="1 entry"),
            )
        ),
        Assistant((Text("All seen."),), MODEL),
        user("and the picture?"),
        Assistant((ToolCall("c4", "std.read", {"path": "grey.png"}),), MODEL, "tool_calls"),
        Tool((ToolOutput("c4", "std.read", "(PNG image, 67 bytes)", (Image("image/png", PNG),), summary="PNG, 67 B"),)),
        Assistant((Text("It is grey."),), MODEL),
        user("now write"),
        Assistant((Text("Let me write."),), MODEL, "cancelled"),
        user("still there?"),
        Assistant((Text("Here I am."),), MODEL),
    ]


TURN_LINE = "  N s  1.2k in  34 out ──"
CALM_SCREEN = [
    "  ┃ hello",
    "  Good day, 漢字 🦊.",
    TURN_LINE,
    "  ┃ look around",
    "  ▸ thought for N s, 1 line",
    "  I'll look.",
    "  ● read    a.txt  1-1",
    "  ● read    missing.txt",
    f"    {MISSING}",
    "  ● list    sub  1 entry",
    "  All seen.",
    "  N s  2.4k in  68 out ──",
    "  ┃ and the picture?",
    "  ● read    grey.png  PNG, 67 B",
    "  It is grey.",
    "  N s  2.4k in  68 out ──",
    "  ┃ now write",
    "  Let me write.",
    "  · stopped",
    "  ┃ still there?",
    "  Here I am.",
    TURN_LINE,
]


def test_a_conversation_moves_from_format_to_format_and_back(world: World) -> None:
    (world.project / "grey.png").write_bytes(PNG)
    look = [Call("std_read", {"path": "grey.png"}), Call("std_read", {"path": "missing.txt"})]
    prompts: list[str] = []

    def visit(terminal: Terminal, way: str, api: str) -> None:
        prompts.append(f"{way} by {api}")
        say(terminal, f"/model {api}-server/test-model")
        request = ask(terminal, servers[api], prompts[-1], Reply("I'll look.", thinking=thought(api), tool_calls=look))
        assert [text for text in request.user_texts if text in prompts] == prompts
        assert base64.b64encode(PNG) in request.raw

    with ExitStack() as stack:
        servers = {api: stack.enter_context(LLMServer()) for api in FORMATS}
        tables = (provider(f"{api}-server", server, api) for api, server in servers.items())
        world.write_config("\n".join(('thinking = "high"\n', *tables)))
        terminal = world.start()
        for api in FORMATS:
            visit(terminal, "out", api)
        leave(terminal)
        terminal = world.start("--continue")
        for api in reversed(FORMATS):
            visit(terminal, "back", api)
        leave(terminal)
    for api, server in servers.items():
        assert [request.status for request in server.requests] == [200] * 4
        others = [thought(other).encode() for other in FORMATS if other != api]
        assert not any(other in request.raw for request in server.requests for other in others)
        assert [thought(api).encode() in request.raw for request in server.requests] == [False, True, True, True]


def thought(api: str) -> str:
    """What a model thinks that is asked in this format."""
    return f"A thought by {api}."


SAID = "the cat is on the keyboard"
HALF = "Half an answer"
NO_STREAM = Raw(b"<html>login</html>", 200, {"content-type": "text/html"})
BROKE = "the connection to SERVER broke: Connection reset by peer"
NO_TEXT_STREAM = "the server answered with text/html, not with a stream of events"
STALLED = "nothing came for N s in the midst of the answer"


def well(text: str) -> Reply:
    return Reply(text, usage=USAGE)


@dataclass(frozen=True)
class Trouble:
    """What a server does, what the screen shows in the end, and what is then said of it there and on disk."""

    name: str
    turns: Sequence[Turn]
    seen: str | re.Pattern[str]
    lines: Sequence[str]
    kept: tuple[str, StopReason, str]


def fails(name: str, turn: Turn, seen: str | re.Pattern[str], error: str, hint: str = "", text: str = "") -> Trouble:
    """A request that fails, maybe after it has begun."""
    lines = [*([f"  {text}"] if text else []), f"  ✗ local: {error}", *([f"    {hint}"] if hint else [])]
    return Trouble(name, [turn], seen, lines, (text, "error", f"local: {error}"))


def passes(name: str, turn: Turn, error: str) -> Trouble:
    """A request that goes well at the second try."""
    text = f"Over: {name}."
    lines = [f"  · {name}: local: {error} · answered at try 2 of 4", f"  {text}", TURN_LINE]
    return Trouble(name, [turn, well(text)], text, lines, (text, "end", ""))


TROUBLES = [
    fails("auth", Failure("auth", SAID), "check the key", SAID, "check the key (api_key in [providers.local])"),
    fails("not found", Failure("not_found", SAID), "(HTTP 404)", SAID, "HINT OF ITS OWN"),
    fails(
        "quota",
        Failure("quota"),
        "see to your account",
        "WORDS OF ITS OWN",
        "see to your account at the provider, or use another model",
    ),
    fails(
        "context",
        Failure("context"),
        re.compile("no longer fits|raise num_ctx"),
        "WORDS OF ITS OWN",
        "HINT OF ITS OWN",
    ),
    fails("bad request", Failure("bad_request", SAID), "(HTTP 400)", SAID),
    passes("rate limit", Failure("rate_limit", SAID, retry_after=0), SAID),
    passes("overloaded", Failure("overloaded", SAID), SAID),
    passes("server", Failure("server", SAID), SAID),
    fails(
        "a long wait",
        Failure("rate_limit", SAID, retry_after=900),
        "15 min",
        f"{SAID}; the server asks to wait 15 min",
        "wait a little, or use another model",
    ),
    passes("network", Cut("", how="reset", at=0), BROKE),
    fails(
        "cut",
        Cut(HALF, how="reset"),
        "check the connection",
        BROKE,
        "check the connection, the proxy settings and the provider's base_url",
        HALF,
    ),
    fails(
        "error in the stream",
        StreamError("overloaded", HALF, SAID),
        "try again in a while",
        SAID,
        "try again in a while, or use another model",
        HALF,
    ),
    fails(
        "protocol", NO_STREAM, "check base_url and api", NO_TEXT_STREAM, "check base_url and api of [providers.local]"
    ),
    fails(
        "stalled",
        Hold(HALF),
        "raise the provider's stall_timeout",
        STALLED,
        "try again; if it stays, check the server, or raise the provider's stall_timeout",
        HALF,
    ),
]


@pytest.mark.parametrize("api", FORMATS)
def test_trouble_of_each_class(world: World, api: str) -> None:
    with LLMServer() as server:
        configure(world, server, api)
        terminal = world.start(columns=140, rows=30)
        for trouble in TROUBLES:
            server.add(*trouble.turns, well(f"Well after {trouble.name}."))
            say(terminal, trouble.name)
            terminal.wait_for(trouble.seen)
            say(terminal, f"and after {trouble.name}?")
            expected = [
                f"  ┃ {trouble.name}",
                *trouble.lines,
                f"  ┃ and after {trouble.name}?",
                f"  Well after {trouble.name}.",
                TURN_LINE,
            ]
            terminal.wait_for(lambda terminal: f"Well after {trouble.name}." in shown(terminal)[-2])  # noqa: B023 - now
            assert shown(terminal)[-len(expected) :] == expected
        leave(terminal)
    answers = [message for message in stored(world) if isinstance(message, Assistant)]
    assert [(answer.text, answer.stop, answer.error) for answer in answers] == [
        kept for trouble in TROUBLES for kept in (trouble.kept, (f"Well after {trouble.name}.", "end", ""))
    ]
