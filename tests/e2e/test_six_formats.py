"""The same conversations through all six wire formats: the same is kept on disk, and the same is seen."""

import base64
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass

import pytest

from panto.llm.formats import FORMATS
from panto.messages import (
    Assistant,
    Image,
    Message,
    Text,
    Thinking,
    Tool,
    ToolCall,
    ToolOutput,
    User,
)
from tests.e2e.conftest import World, ask, say
from tests.e2e.formats import MODEL, TURN_LINE, USAGE, configure, leave, provider, shown, stored
from tests.e2e.test_set_aside import png
from tests.support.llm.gate import Gate
from tests.support.llm_server import (
    Call,
    LLMServer,
    Reply,
    Turn,
)
from tests.support.terminal import Terminal

PNG = png(77)


@dataclass(frozen=True)
class Step:
    """What the user says, what the server does then, and what the screen shows in the end."""

    prompt: str
    turns: Sequence[Turn]
    seen: str


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


CALM_SCREEN = [
    "  ┃ hello",
    "  Good day, 漢字 🦊.",
    TURN_LINE,
    "  ┃ look around",
    "  ▸ thought for N s, 1 line",
    "  I'll look.",
    "  ● read    a.txt  1-1",
    "  ✗ read    missing.txt",
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
