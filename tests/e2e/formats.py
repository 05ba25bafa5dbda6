"""What the tests of all six wire formats share: one provider that speaks any, and what is the same whatever it speaks.

What the formats can't have in common is left out of comparisons: ids, what is opaque, times, and the statuses that
providers give their errors.
"""

import asyncio
import re

import msgspec

from panto.messages import (
    Assistant,
    Message,
    Text,
    Thinking,
    Tool,
    ToolCall,
    Usage,
)
from panto.sessions.store import open_store
from tests.e2e.conftest import KEY, World
from tests.support.llm_server import (
    LLMServer,
    Usage as Counted,
)
from tests.support.terminal import Terminal

USAGE = Counted(input=1200, output=34)
MODEL = "local/test-model"
TURN_LINE = "  N s  1.2k in  34 out ──"
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


def leave(terminal: Terminal) -> None:
    terminal.press("ctrl+d")
    assert terminal.wait_exit() == 0
