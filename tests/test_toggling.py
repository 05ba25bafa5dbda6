"""Switching extensions by way of the program: at once, in a config file, and for the session that is open."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

import pytest

from panto.bus import Rank
from panto.config import load
from panto.events import Event, Notification, SessionStart
from panto.loader import Facts
from panto.permissions.approval import Approval, ApprovalRequest
from panto.program import Options, Program, open_program


@dataclass
class Desk:
    """A program with an open session, and what its bus told of."""

    program: Program
    starts: list[SessionStart] = field(default_factory=list[SessionStart])
    notices: list[str] = field(default_factory=list[str])

    @property
    def user(self) -> Path:
        """The user's config."""
        return self.program.paths.user.config_file

    @property
    def project(self) -> Path:
        """The project's config."""
        return self.program.paths.project.config_file

    async def facts(self, name: str) -> Facts:
        """What is known of one extension."""
        return next(one for one in await self.program.switches.facts() if one.id == name)

    async def states_of_next_start(self) -> dict[str, str]:
        """What each extension would be if the program were started now."""
        async with open_program(Options(self.program.paths.root, demo=True), nobody) as program:
            await program.load()
            return {one.id: one.state for one in program.loader.extensions}


OpenDesk: TypeAlias = Callable[[], Awaitable[Desk]]


async def nobody(_request: ApprovalRequest) -> Approval:
    """Nobody is there to ask."""
    return Approval("no")


def put(file: Path, text: str) -> Path:
    """Write a file."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")
    return file


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with rules."""
    put(tmp_path / "AGENTS.md", "ROOT-RULE\n")
    return tmp_path


@pytest.fixture
def user_config(home: Path) -> Path:
    """Where the user's config is."""
    return home / ".config/panto/config.toml"


@pytest.fixture
async def open_desk(project: Path) -> AsyncIterator[OpenDesk]:
    """Opens a program on what the test has put into the files by then. It is closed behind the test."""
    async with AsyncExitStack() as stack:

        async def opened() -> Desk:
            program = await stack.enter_async_context(open_program(Options(project, demo=True), nobody))
            desk = Desk(program)

            def note(event: Event) -> None:
                if isinstance(event, SessionStart):
                    desk.starts.append(event)
                elif isinstance(event, Notification):
                    desk.notices.append(event.text)

            program.bus.watch((SessionStart, Notification), note, rank=Rank(0, "test"))
            await program.load()
            await program.open_session()
            await program.bus.settle()
            return desk

        yield opened


async def test_off_and_on_again_is_felt_by_the_session_and_written_with_comments_kept(
    user_config: Path, open_desk: OpenDesk
) -> None:
    put(user_config, '# mine\nmode = "plan"  # careful\n')
    desk = await open_desk()
    assert "ROOT-RULE" in "".join(desk.starts[-1].system)
    assert (await desk.facts("agent.rules")).policy == 'allowed by "*"'

    told = await desk.program.toggle_extension("agent.rules", False, "user")
    await desk.program.bus.settle()
    assert (told.text, told.severity) == (
        "agent.rules is off now, and from the next start on: ~/.config/panto/config.toml",
        "info",
    )
    assert user_config.read_text() == '# mine\nmode = "plan"  # careful\n\n[extensions]\ndeny = ["agent.rules"]\n'
    assert desk.starts[-1].reason == "resume"
    assert "ROOT-RULE" not in "".join(desk.starts[-1].system)
    found = await desk.facts("agent.rules")
    assert (found.state, found.registered) == ("off", ())
    assert (found.policy, found.policy_origin) == (
        'denied by "agent.rules"',
        "user: ~/.config/panto/config.toml:5",
    )
    assert (await desk.states_of_next_start())["agent.rules"] == "denied"

    told = await desk.program.toggle_extension("agent.rules", True, "user")
    await desk.program.bus.settle()
    assert told.severity == "info"
    assert "ROOT-RULE" in "".join(desk.starts[-1].system)
    found = await desk.facts("agent.rules")
    assert (found.state, found.policy) == ("on", 'allowed by "*"')
    assert found.timings["load"].calls == 2
    assert (await desk.states_of_next_start())["agent.rules"] == "on"


async def test_in_the_projects_file_nothing_else_is_switched_on_by_accident(
    user_config: Path, open_desk: OpenDesk
) -> None:
    put(user_config, '[extensions]\ndeny = ["std.shell"]\n')
    desk = await open_desk()
    await desk.program.toggle_extension("agent.rules", False, "project")
    assert desk.project.read_text() == '[extensions]\ndeny = ["std.shell", "agent.rules"]\n'
    assert user_config.read_text() == '[extensions]\ndeny = ["std.shell"]\n'
    found = await desk.facts("agent.rules")
    assert found.policy_origin == f"project: {desk.project}:2"
    states = await desk.states_of_next_start()
    assert [name for name, state in states.items() if state != "on"] == ["agent.rules", "std.shell"]

    told = await desk.program.toggle_extension("agent.rules", True, "project")
    assert told.severity == "info"
    assert (await desk.states_of_next_start())["agent.rules"] == "on"


async def test_a_project_cannot_switch_on_what_the_user_switched_off(user_config: Path, open_desk: OpenDesk) -> None:
    put(user_config, '[extensions]\ndeny = ["agent.*"]\n')
    desk = await open_desk()
    told = await desk.program.toggle_extension("agent.rules", True, "project")
    assert told.severity == "warning"
    assert 'denied by "agent.*", user: ~/.config/panto/config.toml:2' in told.text
    assert "user's" in told.hint
    assert (await desk.facts("agent.rules")).state == "denied"
    assert not desk.project.exists()

    told = await desk.program.toggle_extension("agent.rules", True, "user")
    assert told.severity == "info"
    others = [one.id for one in desk.program.loader.extensions if one.id.startswith("agent.")]
    others.remove("agent.rules")
    assert load(desk.program.paths).extensions.deny == tuple(others)


async def test_a_projects_own_list_that_decides_anyway_is_named(
    project: Path, user_config: Path, open_desk: OpenDesk
) -> None:
    put(project / ".panto/config.toml", '[extensions]\n\ndeny = ["agent.rules"]\n')
    desk = await open_desk()
    told = await desk.program.toggle_extension("agent.rules", True, "user")
    assert told.severity == "warning"
    assert (
        f'on now, and off again from the next start on: denied by "agent.rules", project: {desk.project}:3' in told.text
    )
    assert "project's" in told.hint
    assert not user_config.exists()
    told = await desk.program.toggle_extension("agent.rules", False, "user")
    assert told.severity == "info"
    assert (await desk.states_of_next_start())["agent.rules"] == "denied"


async def test_what_a_project_would_switch_on_against_the_user_stays_off_and_is_told(
    project: Path, user_config: Path, open_desk: OpenDesk
) -> None:
    put(user_config, '[extensions]\ndeny = ["agent.rules"]\n')
    put(project / ".panto/config.toml", "[extensions]\ndeny = []\n")
    desk = await open_desk()
    found = await desk.facts("agent.rules")
    assert (found.state, found.policy_origin) == ("denied", "user: ~/.config/panto/config.toml:2")
    assert [text for text in desk.notices if "agent.rules" in text] == [
        "this project's config does not switch on what yours switches off: agent.rules"
    ]


@pytest.mark.parametrize("deny", ["", '[extensions]\ndeny = ["evil.*"]\n'])
async def test_what_a_project_brings_is_never_switched_on(
    project: Path, user_config: Path, deny: str, open_desk: OpenDesk
) -> None:
    mark = project / "ran"
    put(project / ".panto/extensions/evil/one.py", f"from pathlib import Path\nPath({str(mark)!r}).touch()\n")
    put(user_config, deny)
    desk = await open_desk()
    told = await desk.program.toggle_extension("evil.one", True, "user")
    assert told.severity == "warning"
    assert "it is not run" in told.text
    assert (await desk.program.loader.switch_on("evil.one")).state == "untrusted"
    assert not mark.exists()
    assert user_config.read_text() == deny


async def test_a_broken_one_is_tried_again_or_given_up(user_config: Path, open_desk: OpenDesk) -> None:
    file = put(user_config.parent / "extensions/my/rhyme.py", "def activate(host):\n    raise ValueError('oh')\n")
    desk = await open_desk()
    started = len(desk.starts)
    told = await desk.program.toggle_extension("my.rhyme", True, "user")
    assert (told.text, told.severity) == ("my.rhyme was tried, and is broken", "error")
    assert told.hint == f"{file}:2: ValueError: oh"
    assert not user_config.exists()
    await desk.program.bus.settle()
    assert len(desk.starts) == started

    told = await desk.program.toggle_extension("my.rhyme", False, "user")
    assert told.severity == "info"
    assert (await desk.facts("my.rhyme")).state == "off"
    assert (await desk.states_of_next_start())["my.rhyme"] == "denied"

    put(file, "def activate(host):\n    pass\n")
    told = await desk.program.toggle_extension("my.rhyme", True, "user")
    assert (await desk.facts("my.rhyme")).state == "on"


def _broken_toml(config: Path) -> None:
    put(config, "mode = \n")


def _a_directory(config: Path) -> None:
    config.mkdir(parents=True)


def _no_directory_above(config: Path) -> None:
    put(config.parent, "")


@pytest.mark.parametrize("spoil", [_broken_toml, _a_directory, _no_directory_above])
async def test_what_cannot_be_written_holds_for_now_and_that_is_said(
    user_config: Path, spoil: Callable[[Path], None], open_desk: OpenDesk
) -> None:
    desk = await open_desk()
    spoil(user_config)
    told = await desk.program.toggle_extension("agent.rules", False, "user")
    assert (told.text, told.severity) == (
        "agent.rules is off now, but not from the next start on: it is not written",
        "warning",
    )
    assert "config.toml" in told.hint
    assert (await desk.facts("agent.rules")).state == "off"
    if user_config.is_file():
        assert user_config.read_text() == "mode = \n"


async def test_an_unknown_id_is_an_error(open_desk: OpenDesk) -> None:
    desk = await open_desk()
    with pytest.raises(KeyError):
        await desk.program.toggle_extension("no.such", True, "user")


async def test_one_that_is_switched_on_late_is_told_that_the_program_is_up(
    user_config: Path, open_desk: OpenDesk
) -> None:
    put(user_config.parent / "commands/late.md", "Come late.")
    desk = await open_desk()
    commands = desk.program.offers.commands
    assert commands.get("late") is not None
    await desk.program.toggle_extension("agent.commands", False, "user")
    assert commands.get("late") is None
    await desk.program.toggle_extension("agent.commands", True, "user")
    assert commands.get("late") is not None
