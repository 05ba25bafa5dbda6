"""Commands: started, read, timed and ended. For POSIX systems."""

from panto.process.child import MissingDirectoryError, MissingProgramError, ProcessError, Size
from panto.process.output import Captured, Keep, TerminalText
from panto.process.run import ProcessResult, run_in_terminal, run_process
from panto.process.shell import quiet, run_shell, shell_program

__all__ = [
    "Captured",
    "Keep",
    "MissingDirectoryError",
    "MissingProgramError",
    "ProcessError",
    "ProcessResult",
    "Size",
    "TerminalText",
    "quiet",
    "run_in_terminal",
    "run_process",
    "run_shell",
    "shell_program",
]
