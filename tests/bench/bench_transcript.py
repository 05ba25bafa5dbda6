"""What the transcript costs, as ratios taken in one run: ``python tests/bench/bench_transcript.py``.

Every figure is CPU time of the real widget in a headless app of 100 by 40 cells, the least of some rounds.
"""

import asyncio
import random
import sys
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from textual.app import App, ComposeResult

from panto.tui.transcript import AnswerEntry, ToolEntry, Transcript, UserEntry

SIZE = (100, 40)
PIECE = 4
"""Characters in a token."""
ROUNDS = 3
PACED_RATE, PACED_TOKENS = 100, 500

_WORDS = ("the", "loop", "reads", "a", "file", "and", "then", "writes", "what", "it", "found", "into", "another", "one")


@dataclass(frozen=True)
class Figure:
    """One line of the table: two times in seconds, and what their ratio should not exceed."""

    what: str
    seconds: float
    to: float
    aim: float


class Bench(App[None]):
    """Nothing but a transcript."""

    CSS = "Transcript { height: 1fr; }"

    def compose(self) -> ComposeResult:
        """One widget."""
        yield Transcript()


def mixed_markdown(characters: int) -> str:
    """Markdown as models write it: paragraphs, lists, code, tables, headings, quotes."""
    chance = random.Random(7)

    def words(count: int) -> str:
        chosen = [chance.choice(_WORDS) for _ in range(count)]
        for place in range(0, count, 11):
            chosen[place] = chance.choice((f"**{chosen[place]}**", f"`{chosen[place]}()`", f"*{chosen[place]}*"))
        return " ".join(chosen)

    def block() -> str:
        rows = range(chance.randint(3, 9))
        return chance.choice(
            (
                words(chance.randint(20, 90)),
                words(chance.randint(20, 90)),
                f"## {words(4)}",
                "\n".join(f"- {words(12)}" for _ in rows),
                "\n".join(f"{n + 1}. {words(9)}" for n in rows),
                "\n".join(
                    ("```python", *(f"def name_{n}(value: int) -> str:\n    return str({n})" for n in rows), "```")
                ),
                "| a | b | c |\n|---|--:|---|\n" + "\n".join(f"| {words(2)} | {n} | {words(4)} |" for n in rows),
                f"> {words(30)}",
            )
        )

    parts: list[str] = []
    size = 0
    while size < characters:
        parts.append(block())
        size += len(parts[-1]) + 2
    return "\n\n".join(parts)[:characters]


async def cpu_of(prepare: Callable[[Transcript], None], measured: Callable[[Transcript], Awaitable[None]]) -> float:
    """The CPU seconds that something takes, on a transcript that has been prepared."""
    best = float("inf")
    for _ in range(ROUNDS):
        app = Bench()
        async with app.run_test(size=SIZE) as pilot:
            transcript = app.query_one(Transcript)
            prepare(transcript)
            await pilot.pause(0.1)
            began = time.process_time()
            await measured(transcript)
            await pilot.pause(0.1)
            best = min(best, time.process_time() - began)
    return best


def nothing(_transcript: Transcript) -> None:
    """An empty transcript."""


def stream(text: str, *, pause: float = 0.0) -> Callable[[Transcript], Awaitable[None]]:
    """Streams a text in tokens, as fast as the screen takes them or with a pause after each."""

    async def run(transcript: Transcript) -> None:
        entry = transcript.add(AnswerEntry())
        for start in range(0, len(text), PIECE):
            entry.append(text[start : start + PIECE])
            await asyncio.sleep(pause)
        entry.finish()

    return run


def show(text: str) -> Callable[[Transcript], Awaitable[None]]:
    """Shows a finished text, every row of it."""

    async def run(transcript: Transcript) -> None:
        entry = AnswerEntry(text)
        entry.finish()
        transcript.add(entry)
        await asyncio.sleep(0.1)
        for block in entry.blocks(SIZE[0]):
            block.rows(SIZE[0] - 5, transcript.palette)

    return run


def filled(count: int) -> Callable[[Transcript], None]:
    """A transcript with so many entries, of three kinds."""

    def fill(transcript: Transcript) -> None:
        for number in range(0, count, 3):
            transcript.add(UserEntry(f"question {number}"))
            transcript.add(AnswerEntry(f"An **answer**, number {number}.")).finish()
            transcript.add(ToolEntry("std.read", "a.py"))

    return fill


async def add_fifty(transcript: Transcript) -> None:
    """Adds entries, each painted."""
    for _ in range(50):
        transcript.add(UserEntry("one more"))
        await asyncio.sleep(0.06)


async def scroll_fifty(transcript: Transcript) -> None:
    """Scrolls by pages, each painted."""
    for number in range(50):
        (transcript.action_page_up if number % 10 else transcript.action_page_down)()
        await asyncio.sleep(0.02)


async def figures() -> list[Figure]:
    """All of the table."""
    short, long = mixed_markdown(2_000 * PIECE), mixed_markdown(20_000 * PIECE)
    fence = "```\n" + "\n".join(f"    value_{n} = compute(value_{n - 1}, {n})" for n in range(2_200))
    once, streamed = await cpu_of(nothing, show(long)), await cpu_of(nothing, stream(long))
    tenth = await cpu_of(nothing, stream(short))
    fenced = await cpu_of(nothing, stream(fence[: len(long)]))
    paced = await cpu_of(filled(1_000), stream(mixed_markdown(PACED_TOKENS * PIECE), pause=1 / PACED_RATE))
    few, many = await cpu_of(filled(10), add_fifty), await cpu_of(filled(10_000), add_fifty)
    few_pages, many_pages = await cpu_of(filled(1_000), scroll_fifty), await cpu_of(filled(10_000), scroll_fifty)
    return [
        Figure("20,000 tokens streamed / shown at once", streamed, once, 4.0),
        Figure("20,000 tokens streamed / 2,000 tokens", streamed, tenth, 12.0),
        Figure("20,000 tokens of an open fence / of mixed Markdown", fenced, streamed, 2.0),
        Figure("100 tokens a second / one core", paced, PACED_TOKENS / PACED_RATE, 0.15),
        Figure("50 entries added to 10,000 / to 10", many, few, 1.5),
        Figure("50 pages scrolled in 10,000 entries / in 1,000", many_pages, few_pages, 1.5),
    ]


def main() -> int:
    """Print the table. The exit status is 1 if something is over its aim."""
    rows = asyncio.run(figures())
    lines = [f"{'':<54} {'ratio':>6} {'aim':>6} {'seconds':>16}"]
    lines += [
        f"{row.what:<54} {row.seconds / row.to:>6.2f} {row.aim:>6.2f} {row.seconds:>8.3f} / {row.to:.3f}"
        for row in rows
    ]
    sys.stdout.write("\n".join((*lines, "")))
    return int(any(row.seconds / row.to > row.aim for row in rows))


if __name__ == "__main__":
    sys.exit(main())
