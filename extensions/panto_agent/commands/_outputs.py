"""The commands that a body has run, and what stands in their place."""

from dataclasses import dataclass

from panto import Host, PermissionDeniedError, ProcessError, ProcessResult
from panto_agent.commands._arguments import Arguments
from panto_agent.commands._shell_line import UnquotableError, shell_line
from panto_agent.commands._template import CommandLine

TIMEOUT_SECONDS = 60.0


@dataclass(frozen=True)
class Outputs:
    """Runs commands for one slash command, whose ``title`` the user is shown when they are asked."""

    host: Host
    title: str

    async def of(self, command: CommandLine, arguments: Arguments) -> str:
        """The output of a command, bounded and without escapes; how it ended if not well, or why it was not run."""
        try:
            line = shell_line(command.parts, arguments)
            if not line.strip():
                return "[not run: there is no command]"
            result = await self.host.run_command(line, title=self.title, timeout_seconds=TIMEOUT_SECONDS)
        except (UnquotableError, PermissionDeniedError, ProcessError) as error:
            return f"[not run: {str(error).removesuffix('.')}]"
        output = result.output.text.rstrip("\n")
        ending = _ending(result)
        return "\n".join(part for part in (output, ending and f"[{ending}]") if part)


def _ending(result: ProcessResult) -> str:
    """How a command ended, if not well."""
    if result.timed_out:
        return f"timed out after {TIMEOUT_SECONDS:g} seconds"
    if result.signal:
        return f"ended by {result.signal}"
    return f"exit code {result.exit_code}" if result.exit_code else ""
