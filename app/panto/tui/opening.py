"""Opening what the user points at: a file in the editor, an address in the browser, or by way of the clipboard."""

import asyncio
import os
import sys
from collections.abc import Mapping
from pathlib import Path

from textual.app import App

from panto.tui.editor import EditorError, edit, editor_command, file_within, has_display, start_apart
from panto.tui.safe_text import safe_line, truncate
from panto.tui.transcript.links import File, Target, Web, web_address

_SHOWN_WIDTH = 40
"""So many columns of an address or a path are told: it stands in the status line."""


async def open_target(app: App[str], target: Target, project: Path) -> str:
    """Open a target. Gives what to tell the user, or nothing where they see it. Raises `EditorError`."""
    if isinstance(target, File):
        return await _open_file(app, target, project)
    return await _open_web(app, target)


def can_browse(environment: Mapping[str, str], platform: str) -> bool:
    """Whether a browser would open where the user sits: not behind ssh, and not without a display."""
    return has_display(environment) or (platform == "darwin" and not environment.get("SSH_CONNECTION"))


async def _open_file(app: App[str], target: File, project: Path) -> str:
    file = await asyncio.to_thread(file_within, project, target.path)
    command = await asyncio.to_thread(editor_command, os.environ, file, target.line, target.column)
    await edit(app, command)
    return "" if command.in_terminal else f"opened {_short(safe_line(target.path))}"


async def _open_web(app: App[str], target: Web) -> str:
    address = web_address(target.address)
    if address is None:
        raise EditorError("this is no address to follow")
    if not can_browse(os.environ, sys.platform):
        app.copy_to_clipboard(address)
        return f"there is no browser here: copied {_short(address)}"
    # In a process of its own, without the terminal: text browsers would draw over the screen. Isolated (-I), for else
    # Python would look for its modules in the project first.
    status = await asyncio.to_thread(start_apart, [sys.executable, "-I", "-m", "webbrowser", "-t", address])
    if status:
        app.copy_to_clipboard(address)
        return f"no browser would open it: copied {_short(address)}"
    return f"opened {_short(address)}"


def _short(text: str) -> str:
    return truncate(text, _SHOWN_WIDTH)
