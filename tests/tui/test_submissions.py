"""What is sent, in the order in which it was sent."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import cast

import pytest

from panto.agent.session import AgentSession
from panto.offers import Attached, Command, CommandOutcome, CommandResult, Key, Offers, Prompt, Registry
from panto.tui.own_commands import OwnCommand
from panto.tui.submissions import Desk, Submissions


@dataclass
class Session:
    """Takes what is said."""

    said: list[Prompt] = field(default_factory=list[Prompt])

    async def submit(self, prompt: Prompt) -> None:
        """Remember it."""
        self.said.append(prompt)


@dataclass
class Counter:
    """Everything that came of submissions, in order."""

    submissions: Submissions
    commands: Registry[Command]
    session: Session
    log: list[str]

    def command(self, name: str, run: Callable[[str], Awaitable[CommandOutcome]]) -> None:
        """Add a command."""
        self.commands.add(Command(name, "", run))

    async def send(self, *texts: str) -> None:
        """Send texts, and wait until all of them are dealt with."""
        done = asyncio.Event()

        async def last(_arguments: str) -> None:
            done.set()

        remove = self.commands.add(Command("last", "", last))
        for text in (*texts, "/last"):
            self.submissions.put(text)
        await done.wait()
        remove()


@asynccontextmanager
async def opened(submissions: Submissions) -> AsyncGenerator[Counter]:
    """A session that is open."""
    session, log = Session(), list[str]()

    async def attach(prompt: Prompt) -> Prompt:
        return replace(prompt, attached=(Attached("TEXT", "+ note"),)) if "@file" in prompt.text else prompt

    async def own(command: OwnCommand, stop: asyncio.Event) -> None:
        log.append(f"own {command}")
        if command.line == "wait":
            await stop.wait()
            log.append("own stopped")

    commands = Offers().commands
    desk = Desk(
        session=cast("AgentSession", session),
        commands=commands,
        show=lambda text: log.append(f"show {text}"),
        warn=lambda text, hint: log.append(f"warn {text} ({hint})"),
        running=lambda name: log.append(f"running {name}") if name not in ("", "/last") else None,
        queued=lambda: None,
        step=lambda step: log.append(f"step {step}"),
        attach=attach,
        run_own=own,
    )
    running = asyncio.create_task(submissions.run(desk))
    try:
        yield Counter(submissions, commands, session, log)
    finally:
        running.cancel()
        await asyncio.wait({running})
        assert running.cancelled()


@pytest.fixture
async def counter() -> AsyncIterator[Counter]:
    """Submissions that are dealt with."""
    async with opened(Submissions()) as made:
        yield made


async def test_text_goes_to_the_model_and_an_unknown_command_is_named(counter: Counter) -> None:
    await counter.send("hello", "/nope", "/etc/hosts is odd")
    assert counter.session.said == [Prompt("hello"), Prompt("/etc/hosts is odd")]
    assert counter.log == ["warn there is no command /nope (/help lists them all)"]


async def test_a_command_ends_before_what_was_sent_behind_it(counter: Counter) -> None:
    go, began = asyncio.Event(), asyncio.Event()

    async def slow(arguments: str) -> str:
        began.set()
        await go.wait()
        return f"slow {arguments}"

    counter.command("slow", slow)
    sending = asyncio.create_task(counter.send("/slow  one ", "hello"))
    await began.wait()
    assert counter.session.said == []
    go.set()
    await sending
    assert counter.log == ["running /slow", "show slow one"]
    assert counter.session.said == [Prompt("hello")]


async def test_a_result_may_show_say_and_ask_for_a_step(counter: Counter) -> None:
    async def all_of_it(_arguments: str) -> CommandResult:
        return CommandResult("seen", Prompt("to the model", shown="/all"), "reload")

    counter.command("all", all_of_it)
    await counter.send("/all")
    assert counter.log == ["running /all", "show seen", "step reload"]
    assert counter.session.said == [Prompt("to the model", shown="/all")]


@pytest.mark.parametrize("error", [ValueError("oh"), SystemExit(3), asyncio.CancelledError()])
async def test_a_command_that_fails_is_a_line_on_the_screen(counter: Counter, error: BaseException) -> None:
    async def fails(_arguments: str) -> None:
        raise error

    counter.command("fails", fails)
    await counter.send("/fails", "hello")
    assert counter.log[1].startswith("show /fails failed: ")
    assert counter.session.said == [Prompt("hello")]


async def test_one_that_hangs_is_stopped_and_the_next_is_dealt_with(counter: Counter) -> None:
    began, ended = asyncio.Event(), asyncio.Event()

    async def hangs(_arguments: str) -> None:
        try:
            began.set()
            await asyncio.Event().wait()
        finally:
            ended.set()

    counter.command("hangs", hangs)
    sending = asyncio.create_task(counter.send("/hangs", "hello"))
    await began.wait()
    counter.submissions.stop()
    await sending
    assert ended.is_set()
    assert counter.log == ["running /hangs", "warn /hangs was stopped ()"]
    assert counter.session.said == [Prompt("hello")]
    counter.submissions.stop()


async def test_a_key_runs_in_its_turn(counter: Counter) -> None:
    async def press() -> CommandResult:
        return CommandResult(prompt=Prompt("pressed"))

    counter.submissions.put("first")
    counter.submissions.put(Key("ctrl+y", "", press))
    await counter.send("last")
    assert [prompt.text for prompt in counter.session.said] == ["first", "pressed", "last"]


async def test_what_is_sent_before_a_session_is_open_waits_for_it_and_what_is_left_for_the_next() -> None:
    submissions = Submissions()
    submissions.put("early")
    async with opened(submissions) as first:
        await first.send("in time")
    submissions.put("late")
    async with opened(submissions) as second:
        await second.send()
    assert [prompt.text for prompt in first.session.said] == ["early", "in time"]
    assert [prompt.text for prompt in second.session.said] == ["late"]


async def test_a_running_command_ends_with_its_session() -> None:
    began, ended = asyncio.Event(), asyncio.Event()

    async def hangs(_arguments: str) -> None:
        try:
            began.set()
            await asyncio.Event().wait()
        finally:
            ended.set()

    async with opened(Submissions()) as counter:
        counter.command("hangs", hangs)
        counter.submissions.put("/hangs")
        await began.wait()
    assert ended.is_set()
