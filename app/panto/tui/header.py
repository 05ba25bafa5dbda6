"""The line on top: where one is, and which model answers."""

import asyncio
from dataclasses import dataclass
from pathlib import Path

from rich.text import Text
from textual.reactive import reactive
from textual.widget import Widget

from panto.tui.safe_text import cell_width, safe_line, truncate

_GIT_STATUS = (
    *("git", "--no-optional-locks", "-c", "core.fsmonitor=false"),  # a repository's own fsmonitor would run a program
    *("status", "--porcelain=v1", "--branch", "--untracked-files=normal"),
)
GIT_SECONDS = 5.0
"""How long git may take to tell the state of the work tree."""


@dataclass(frozen=True)
class GitState:
    """The branch, and how many files differ from it."""

    branch: str
    changed: int

    def __str__(self) -> str:
        return f"{self.branch} +{self.changed}" if self.changed else self.branch


async def git_state(project: Path) -> GitState | None:
    """The state of a project's work tree; None if it is none, or git is not there or too slow."""
    try:
        process = await asyncio.create_subprocess_exec(
            *_GIT_STATUS,
            cwd=project,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
        )
    except OSError:
        return None
    try:
        async with asyncio.timeout(GIT_SECONDS):
            output, _ = await process.communicate()
    except TimeoutError:
        return None
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    first, *rest = output.decode(errors="replace").splitlines() or [""]
    if process.returncode != 0 or not first.startswith("## "):
        return None
    branch = first[3:].removeprefix("No commits yet on ").partition("...")[0]
    return GitState(branch, len(rest))


class Header(Widget):
    """One line: the directory and the branch at the left, the model at the right."""

    directory: reactive[str] = reactive("")
    git: reactive[GitState | None] = reactive[GitState | None](None)
    model: reactive[str] = reactive("")
    thinking: reactive[str] = reactive("")
    """How much the model is told to think; empty if it is told nothing."""

    def render(self) -> Text:
        """The line, cut to the width: how much it thinks goes first, then branch, model and directory."""
        width = self.content_size.width
        left = safe_line(self.directory)
        branch = safe_line(str(self.git)) if self.git else ""
        right = safe_line(self.model)
        thinking = f" · {safe_line(self.thinking)}" if right and self.thinking else ""
        taken = sum(map(cell_width, (left, branch, right, thinking)))
        if thinking and taken + 4 <= width:
            right += thinking
        if branch and cell_width(left) + cell_width(branch) + cell_width(right) + 4 > width:
            branch = ""
        if cell_width(left) + cell_width(right) + 2 > width:
            right = ""
        left = truncate(left, width)
        line = Text.assemble((left, "bold"), ("  " if branch else ""), branch, no_wrap=True)
        line.append(" " * max(0, width - line.cell_len - cell_width(right)))
        line.append(right)
        return line


def short_directory(path: Path) -> str:
    """A directory with the home directory as ``~``."""
    home = Path.home()
    return f"~/{path.relative_to(home)}".removesuffix("/.") if path.is_relative_to(home) else str(path)
