"""Keeps what is written in a project's prompt: what was sent, and what is not sent yet."""

import asyncio
import hashlib
import logging
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from panto.paths import Paths
from panto.tui.writing.draft_file import DraftFile, open_draft
from panto.tui.writing.history_file import append_history, read_history
from panto.tui.writing.written import Written

log = logging.getLogger(__name__)


def prompts_directory(paths: Paths) -> Path:
    """Where the texts of a project are."""
    return paths.state / "prompts" / hashlib.sha256(str(paths.root).encode(errors="surrogateescape")).hexdigest()[:20]


class Keeper:
    """Writes in the order in which it is asked to, and never waits. A disk that fails is told of in the log."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._history = directory / "history.jsonl"
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="prompt")
        self._draft_file: DraftFile | None = None
        self._draft: Written | None = None
        self._closed = False

    def open(self) -> Awaitable[tuple[list[Written], Written]]:
        """What was sent in the project, the oldest first, and what was not sent when a program ended. Comes first."""
        return asyncio.get_running_loop().run_in_executor(self._thread, self._open)

    def remember(self, written: Written) -> None:
        """Keep a text that was sent."""
        self._do(lambda: append_history(self._history, written))

    def keep_draft(self, written: Written) -> None:
        """Keep a text that is not sent, in place of the one before."""
        if written != self._draft:
            self._draft = written
            self._do(lambda: self._write_draft(written))

    async def close(self) -> None:
        """Have everything on the disk."""
        if self._closed:
            return
        self._closed = True
        self._thread.submit(self._let_go)
        await asyncio.to_thread(self._thread.shutdown)

    def _do(self, work: Callable[[], None]) -> None:
        if not self._closed:
            self._thread.submit(self._tried, work)

    def _tried(self, work: Callable[[], None]) -> None:
        try:
            work()
        except OSError:
            log.warning("what is written in the prompt can't be kept", exc_info=True)

    def _open(self) -> tuple[list[Written], Written]:
        try:
            self._directory.mkdir(parents=True, exist_ok=True, mode=0o700)
            self._draft_file = open_draft(self._directory)
            history = read_history(self._history)
        except OSError:
            log.warning("what was written in the prompt can't be read", exc_info=True)
            history = []
        return history, Written() if self._draft_file is None else self._draft_file.found

    def _write_draft(self, written: Written) -> None:
        if self._draft_file is not None and written == self._draft:  # else there is a later one already
            self._draft_file.write(written)

    def _let_go(self) -> None:
        if self._draft_file is not None:
            self._draft_file.close()
