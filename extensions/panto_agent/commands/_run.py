"""Running a command: its file is read anew, its body is expanded, and what comes of it is said to the model."""

import asyncio
import re
from dataclasses import dataclass
from pathlib import Path

from panto import CommandResult, Host, Need, PermissionDeniedError, Prompt
from panto_agent.commands._arguments import Arguments
from panto_agent.commands._catalogue import Found
from panto_agent.commands._document import CommandFile, CommandFileError, read_command_file
from panto_agent.commands._expansion import Expansion, TooLongError
from panto_agent.commands._mentions import Mentions
from panto_agent.commands._outputs import Outputs
from panto_agent.commands._template import parse_template
from panto_agent.commands._turn import Limits
from panto_agent.commands._walk import Fault

_MODEL = re.compile(r"[^/\s]+/\S+")


class NotRunError(Exception):
    """A command does not run. The message says why, and what to do."""


@dataclass(frozen=True)
class Runner:
    """Runs commands. ``inside`` is the real path that a project's files may not lead out of, None if they may."""

    host: Host
    inside: Path | None

    async def run(self, found: Found, typed: str) -> CommandResult:
        """The prompt that a command makes, or in words why it makes none."""
        try:
            file = await self._read(found)
            text = await self._text(found, file, typed)
        except (NotRunError, TooLongError) as error:
            self.host.notify(f"/{found.name} was not run: {error}", "warning")
            return CommandResult()
        return CommandResult(prompt=self._prompt(found, file, text, typed))

    def _may_run(self, found: Found) -> bool:
        return found.root.own or self.host.trusts_project

    async def _read(self, found: Found) -> CommandFile:
        try:
            if not found.root.own:  # a repository gets at nothing by a link that the user's rules keep shut
                await self.host.permit(Need("fs.read", str(found.path)), title=f"/{found.name}")
            return await asyncio.to_thread(read_command_file, found.path, None if found.root.own else self.inside)
        except CommandFileError as error:
            raise NotRunError(str(Fault(found.path, error.reason, error.line))) from None
        except PermissionDeniedError as error:
            raise NotRunError(str(Fault(found.path, str(error)))) from None

    async def _text(self, found: Found, file: CommandFile, typed: str) -> str:
        template = await asyncio.to_thread(parse_template, file.body)
        may_run = self._may_run(found)
        if template.runs_commands and not may_run:
            raise NotRunError(
                f"it has commands run, and a project's files may run nothing. If you want it, read {found.path}"
                f" and copy it to {self._own_directory()}"
            )
        title = f"/{found.name}"
        mentions = Mentions(self.host, title, anywhere=may_run)
        text = await Expansion(Arguments(typed), Outputs(self.host, title), mentions).of(template)
        if not text.strip():
            raise NotRunError(f"it says nothing; {found.path} holds its text")
        return text

    def _prompt(self, found: Found, file: CommandFile, text: str, typed: str) -> Prompt:
        if file.agent:
            self.host.notify(
                f"/{found.name} names the agent {file.agent}: there is none to switch to, this one answers"
            )
        limits = Limits(
            f"command /{found.name}", file.allowed_tools, file.disallowed_tools, grants=self._may_run(found)
        )
        return Prompt(
            text,
            shown=f"/{found.name} {typed}".rstrip(),
            model=self._model(found, file.model),
            own_turn=bool(limits.tag),
            tag=limits.tag,
        )

    def _model(self, found: Found, model: str) -> str | None:
        if not model or model == "inherit":
            return None
        if _MODEL.fullmatch(model):
            return model
        self.host.notify(
            f"/{found.name} names the model {model!r}: the chosen one answers", "warning", "one is provider/model"
        )
        return None

    def _own_directory(self) -> Path:
        return next(layer.directory for layer in self.host.layers if layer.name == "user") / "commands"
