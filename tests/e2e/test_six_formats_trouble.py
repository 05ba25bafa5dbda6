"""Each class of trouble through all six wire formats: the same is kept on disk, and the same is seen."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

import pytest

from panto.llm.formats import FORMATS
from panto.messages import (
    Assistant,
    StopReason,
)
from tests.e2e.conftest import World, say
from tests.e2e.formats import TURN_LINE, USAGE, configure, leave, shown, stored
from tests.support.llm_server import (
    Cut,
    Failure,
    Hold,
    LLMServer,
    Raw,
    Reply,
    StreamError,
    Turn,
)

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
