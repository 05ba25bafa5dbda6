"""The real program in a real pty, against the scripted server over real HTTP."""

import re
import sys
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, TypeAlias

import pytest

from tests.support.llm_server import LLMServer, Reply, Request
from tests.support.terminal import Terminal

Keyboard: TypeAlias = Literal["legacy", "kitty"]
WIRES = ("openai-chat", "anthropic")
KEY = "test-key-7f3a"


@dataclass
class World:
    """A home, a project, and programs started in it. Everything started is closed behind the test."""

    home: Path
    project: Path
    stack: ExitStack = field(default_factory=ExitStack)

    @property
    def config_file(self) -> Path:
        """The user's config."""
        return self.home / ".config/panto/config.toml"

    def write(self, path: str, text: str) -> Path:
        """Write a file below the project."""
        file = self.project / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
        return file

    def write_config(self, text: str) -> None:
        """Write the user's config."""
        self.config_file.parent.mkdir(parents=True, exist_ok=True)
        self.config_file.write_text(text, encoding="utf-8")

    def configure(self, server: LLMServer, wire: str = "openai-chat", extra: str = "") -> None:
        """Point the user's config at a scripted server. ``extra`` is TOML that goes in front."""
        base_url = server.base_url if wire == "openai-chat" else server.anthropic_url
        self.write_config(
            f'model = "local/test-model"\n{extra}\n'
            f'[providers.local]\napi = "{wire}"\nbase_url = "{base_url}"\napi_key = "{KEY}"\n'
        )

    def start(
        self,
        *arguments: str,
        columns: int = 100,
        rows: int = 30,
        keyboard: Keyboard = "legacy",
        env: Mapping[str, str | None] | None = None,
    ) -> Terminal:
        """Start the program in the project. ``env``: more variables; None takes one away."""
        program = str(Path(sys.executable).with_name("panto-py"))
        return self.stack.enter_context(
            Terminal.start(
                [program, *arguments],
                cwd=self.project,
                home=self.home,
                columns=columns,
                rows=rows,
                keyboard=keyboard,
                env=env,
            )
        )


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    """An empty home and an empty project below a temporary directory."""
    home, project = tmp_path / "home", tmp_path / "shop"
    home.mkdir()
    project.mkdir()
    made = World(home, project)
    with made.stack:
        yield made


def wait_ready(terminal: Terminal) -> None:
    """Wait until the prompt takes keys and the session is open."""
    terminal.wait_for("─ build ")


def say(terminal: Terminal, text: str) -> None:
    """Type a prompt and send it, once there is a prompt to type into."""
    terminal.wait_for("─╯")
    terminal.type_text(text)
    terminal.wait_for(text)
    terminal.press("enter")


def ask(terminal: Terminal, server: LLMServer, question: str, *steps: Reply) -> Request:
    """Say something and wait for the answer; gives the request that the answer came to, the last one."""
    answer = f"Answer to {question}."
    server.add(*steps, Reply(answer))
    before = len(server.requests)
    say(terminal, question)
    terminal.wait_for(answer)
    return server.wait_for_requests(before + len(steps) + 1)[-1]


def told(terminal: Terminal, *words: str) -> None:
    """Wait until the screen shows these words in this order, close together, wherever its lines break."""
    wanted = re.compile(".{0,500}".join(re.escape("".join(word.split())) for word in words))
    terminal.wait_for(lambda terminal: wanted.search("".join(terminal.screen_text().split())))
