"""What the prompt needs the app for: taking up what was left, finding what was sent, and writing in an editor."""

import asyncio
import os
import tempfile
from collections.abc import Awaitable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from panto.tui.writing.written import Written

if TYPE_CHECKING:
    from panto.tui.app import PantoApp
    from panto.tui.prompt import Prompt


async def bring_back(prompt: "Prompt", kept: Awaitable[tuple[list[Written], Written]]) -> None:
    """Put into a prompt what was sent and what was not, when the program ran before."""
    sent, unsent = await kept
    prompt.recall.add_earlier(sent)
    prompt.restore(unsent)


async def search_sent(app: "PantoApp") -> None:
    """Let the user pick something that was sent before. It takes the place of what is in the prompt."""
    from panto.tui.search_panel import SearchPanel  # noqa: PLC0415 - only who looks for something pays for it
    from panto.tui.writing.history_search import history_rows, sent_before  # noqa: PLC0415 - as above

    if app.query(SearchPanel):
        return
    entries = list(app.prompt.recall.entries)
    rows = history_rows(entries)
    key = await SearchPanel("sent before", lambda words: sent_before(words, rows)).ask(app)
    if key:
        app.prompt.rewrite(entries[int(key)])
    app.prompt.focus()


async def edit_outside(app: "PantoApp") -> str:
    """Have the user write in their own editor. What is saved there takes the place of what is in the prompt.

    Gives what to tell the user, if anything. Raises `EditorError`.
    """
    from panto.tui.editor import EditorError, edit, editor_command  # noqa: PLC0415 - only who writes so pays for it

    before = app.prompt.written
    try:
        with tempfile.TemporaryDirectory(prefix="panto-") as directory:
            file = Path(directory) / "prompt.md"
            file.write_bytes(before.text.encode(errors="replace"))
            command = await asyncio.to_thread(editor_command, os.environ, file)
            if command.in_terminal:
                await edit(app, command)
            else:
                app.status.tell("close the file in the editor to go on")
                await _in_window(command.argv)
            saved = file.read_bytes().decode(errors="replace").replace("\r\n", "\n")
    except OSError as error:
        raise EditorError(f"what was written can't be read: {error.strerror}") from error
    text = saved if before.text.endswith("\n") else saved.removesuffix("\n")
    if text == before.text:
        return ""
    if app.prompt.written != before:
        app.prompt.recall.add(Written(text))
        return "the prompt has changed since: Up leads to what you wrote"
    app.prompt.rewrite_with_chips(text)
    return ""


async def _in_window(argv: Sequence[str]) -> None:
    """Run an editor with a window of its own, to its end. Raises `EditorError`."""
    from panto.tui.editor import EditorError  # noqa: PLC0415 - as above

    nothing = asyncio.subprocess.DEVNULL
    try:
        process = await asyncio.create_subprocess_exec(*argv, stdin=nothing, stdout=nothing, stderr=nothing)
        status = await process.wait()
    except OSError as error:
        raise EditorError(f"{argv[0]} can't be started: {error.strerror}") from error
    if status:
        raise EditorError(f"{Path(argv[0]).name} ended with status {status}")
