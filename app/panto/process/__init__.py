"""Commands: started, read, timed and ended. For POSIX systems."""

from panto.process.child import MissingDirectoryError, MissingProgramError, ProcessError
from panto.process.output import Captured, Keep
from panto.process.run import ProcessResult, run_process
from panto.process.shell import run_shell

__all__ = [
    "Captured",
    "Keep",
    "MissingDirectoryError",
    "MissingProgramError",
    "ProcessError",
    "ProcessResult",
    "run_process",
    "run_shell",
]
