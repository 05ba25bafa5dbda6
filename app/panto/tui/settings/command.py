"""The command ``/config``: pick a setting, give it a value, choose the file that it is written to."""

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

from panto.config import Config, load
from panto.config.catalogue import Item, items, read_typed
from panto.config.diagnostics import short_path
from panto.config.edit import EditError, set_key
from panto.config.rewrite import Setting
from panto.events import Severity
from panto.offers import CommandResult
from panto.program import Program
from panto.tui.choice_row import found
from panto.tui.search_panel import SearchPanel
from panto.tui.settings.rows import choice_rows, choices_of, layer_rows, setting_rows, typed_rows

if TYPE_CHECKING:
    from panto.tui.app import PantoApp


async def change_settings(app: "PantoApp", program: Program, words: str) -> CommandResult | None:
    """Let the user change settings until they have had enough; then everything is loaded anew with them.

    While a turn runs nothing is loaded anew: that would end it.
    """
    changing = _Changing(app, program)
    while await changing.one(words.strip()):
        words = ""
    if not changing.has_changed:
        return None
    if program.session is not None and program.session.busy:
        return CommandResult("The changes count from the next `/reload` on: a turn is running.")
    return CommandResult(step="reload")


class _Changing:
    """What is asked, and what has come of it."""

    def __init__(self, app: "PantoApp", program: Program) -> None:
        self._app = app
        self._program = program
        self._config: Config = program.config
        self.has_changed = False

    async def one(self, words: str) -> bool:
        """Change one setting. False if the user wants no more."""
        rows = setting_rows(self._config)
        name = await SearchPanel("settings", lambda words: found(words, rows), words).ask(self._app)
        item = next((item for item in items(self._config) if item.name == name), None)
        if item is None:
            return False
        text = await self._value(item)
        layer = await self._layer(item) if text else ""
        if layer:
            await self._save(item, text, layer)
        return True

    async def _value(self, item: Item) -> str:
        """What the user wants it to be, as typed; empty if nothing."""
        choices = choices_of(item, self._app.themes)
        if choices:
            rows = choice_rows(item, choices)
            return await SearchPanel(item.name, lambda words: found(words, rows)).ask(self._app)
        before = "" if item.is_secret else item.typed
        return await SearchPanel(item.name, lambda text: typed_rows(item, text), before).ask(self._app)

    async def _layer(self, item: Item) -> str:
        rows = layer_rows(item, self._files)
        return await SearchPanel(f"{item.name}, written to", lambda words: found(words, rows)).ask(self._app)

    @property
    def _files(self) -> dict[str, Path]:
        paths = self._program.paths
        return {"user": paths.user.config_file, "project": paths.project.config_file}

    async def _save(self, item: Item, text: str, layer: str) -> None:
        value, refusal = read_typed(item, text)
        if refusal:
            return self._tell(f"{item.name} is as it was: {refusal}", "error")
        file = self._files[layer]
        within = self._program.paths.root if layer == "project" else None
        try:
            changed = await asyncio.to_thread(_write, file, item.path, value, self._config, within)
        except EditError as error:
            return self._tell(str(error), "error")
        self._config = await asyncio.to_thread(load, self._program.paths, self._program.options.settings())
        self._config = _with_claims(self._config, self._program.config)
        self.has_changed = self.has_changed or changed
        now = next((each for each in items(self._config) if each.path == item.path), item)
        said = f"{item.name} = {now.text or 'not set'}  ({now.origin})"
        if now.origin.file != file:
            return self._tell(f"written to {short_path(file)}, but another has the last word: {said}", "warning")
        return self._tell(said, "info")

    def _tell(self, text: str, severity: Severity) -> None:
        self._program.notify(text, severity)


def _write(file: Path, path: tuple[str, ...], value: Setting, config: Config, within: Path | None) -> bool:
    return set_key(file, path, value, tables=config.tables.kinds, within=within)


def _with_claims(config: Config, before: Config) -> Config:
    """The config with the tables in it that extensions have asked for."""
    for name, kind in before.tables.kinds.items():
        config.tables.claim(name, kind)
    return config
