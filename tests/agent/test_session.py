"""What is said to a session, and what extensions have to say about that."""

import asyncio
from datetime import datetime
from pathlib import Path

import pytest

from panto.agent.prompt import system_prompt
from panto.events import Input, Notification, SessionStart, TurnEnd
from panto.messages import User
from panto.offers import Prompt
from tests.agent.stage import ANYBODY, Endless, Stage, say


async def test_an_extension_can_block_what_is_said(stage: Stage) -> None:
    stage.bus.on(
        Input, lambda event: event.block("no passwords here") if "secret" in event.text else None, rank=ANYBODY
    )
    await stage.session.submit(Prompt("my secret"))
    await stage.bus.settle()
    (notice,) = stage.events(Notification)
    assert (notice.text, notice.severity, notice.hint) == ("not sent", "warning", "no passwords here")
    assert stage.messages == []
    await stage.works()


async def test_an_extension_can_see_to_it_itself(stage: Stage) -> None:
    handle = stage.bus.on(Input, lambda event: setattr(event, "handled", True), rank=ANYBODY)
    await stage.session.submit(Prompt("/custom"))
    handle.close()
    await stage.works()
    assert len(stage.events(TurnEnd)) == 1


async def test_an_extension_can_say_it_otherwise(stage: Stage) -> None:
    stage.bus.on(Input, lambda event: setattr(event, "text", event.text.upper()), rank=ANYBODY)
    await stage.turn("hello", say("Good day."))
    assert [message.text for message in stage.messages if isinstance(message, User)] == ["HELLO"]


@pytest.mark.parametrize("text", ["", "  ", "\n\t"])
async def test_nothing_is_not_said(stage: Stage, text: str) -> None:
    await stage.session.submit(Prompt(text))
    await stage.works()
    assert len(stage.events(TurnEnd)) == 1


async def test_texts_that_are_said_at_once_are_said_in_order(stage: Stage) -> None:
    stage.steps.extend([say("One."), say("Two.")])
    await stage.session.submit(Prompt("first"))
    await stage.session.submit(Prompt("second"))
    assert not stage.session.busy
    assert stage.session.queued == ()
    await stage.ends.get()
    assert [message.text for message in stage.messages if isinstance(message, User)] == ["first", "second"]


async def test_it_is_busy_as_long_as_a_turn_runs(stage: Stage) -> None:
    answer = Endless()
    assert not stage.session.busy
    turn = asyncio.create_task(stage.turn("think", answer))
    await answer.began.wait()
    assert stage.session.busy
    stage.session.stop()
    await turn
    await stage.works()


async def test_what_a_session_begins_with(stage: Stage) -> None:
    await stage.turn("hello", say("Good day."))
    await stage.session.start("resume")
    await stage.bus.settle()
    first, again = stage.events(SessionStart)
    assert (first.reason, first.history, first.session) == ("new", (), stage.conversation.id)
    assert (again.reason, again.history) == ("resume", tuple(stage.messages))


def test_the_system_prompt_says_where_and_when_without_the_time(tmp_path: Path) -> None:
    identity, surroundings, *additions = system_prompt(tmp_path, ["Answer in rhyme.", " ", ""])
    assert "panto-py" in identity
    assert f"Project directory: {tmp_path}" in surroundings
    assert "Git repository: no" in surroundings
    assert f"{datetime.now().astimezone():%Y-}" in surroundings
    assert ":" not in surroundings.splitlines()[-1].partition(": ")[2]
    assert additions == ["Answer in rhyme."]


@pytest.mark.parametrize("where", [".", "deep/er"])
def test_it_knows_a_repository_from_within(tmp_path: Path, where: str) -> None:
    (tmp_path / ".git").mkdir()
    assert "Git repository: yes" in system_prompt(tmp_path / where)[1]
