"""`panto-py models`: what the servers list, and what is known without asking."""

import asyncio
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from panto.auth import StoredKeys, keys_directory, read_stored
from panto.config import Config, load
from panto.config.diagnostics import visible
from panto.llm.catalogue import known_models
from panto.llm.listing import ListedModel
from panto.llm.offered import OfferedModel, offered, offered_providers, short_count
from panto.llm.types import Failure
from panto.models import Models
from panto.paths import Paths

_CHOOSES = "thinks: "


class UnknownProviderError(Exception):
    """There is no provider of that name. The text says which there are."""


def models(project: Path, provider: str | None, environ: Mapping[str, str] = os.environ) -> list[str]:
    """The models of one provider, or of all.

    A server is asked if there is a key for it, if it needs none, or if config describes it. Of the others, those that
    are known are counted, or shown if the provider was named. Raises `UnknownProviderError`.
    """
    paths = Paths.discover(project, environ)
    config, stored = load(paths), read_stored(keys_directory(paths))
    providers = {one.name: one for one in offered_providers(config, environ, stored)}
    if provider is not None and provider not in providers:
        raise UnknownProviderError(f"there is no provider {provider!r}; there are {', '.join(sorted(providers))}")
    chosen = list(providers) if provider is None else [provider]
    wire_log = paths.wire_log if config.debug.wire else None
    asked = [name for name in chosen if providers[name].may_be_asked]
    lists = asyncio.run(_ask(asked, config, environ, stored, wire_log))
    return [line for name in chosen for line in _section(name, config, lists.get(name), whole=provider is not None)]


async def _ask(
    names: Sequence[str], config: Config, environ: Mapping[str, str], stored: StoredKeys, wire_log: Path | None
) -> dict[str, list[ListedModel] | Failure]:
    models = Models(config, environ, stored, wire_log)
    try:
        answers = await asyncio.gather(*(models.listed(name) for name in names))
    finally:
        await models.close()
    return dict(zip(names, answers, strict=True))


def _section(name: str, config: Config, listed: list[ListedModel] | Failure | None, *, whole: bool) -> Iterator[str]:
    known = known_models(name)
    if isinstance(listed, list):
        yield visible(f"{name}: {len(listed)} models")
        yield from _table(_row(offered(name, config, model)) for model in listed)
    elif whole:
        yield visible(listed.message if listed else f"{name}: no key, so it is not asked")
        yield f"  {len(known)} are known, and what their names begin with:"
        yield from _table(_row(offered(name, config, ListedModel(start))) for start in known)
    else:
        reason = listed.message if listed else f"{name}: no key"
        yield visible(f"{reason}; {len(known)} models are known")


def _table(rows: Iterable[tuple[str, ...]]) -> Iterator[str]:
    rows = list(rows)
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))] if rows else []
    for row in rows:
        cells = (f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True))
        yield visible(f"  {'  '.join(cells)}".rstrip())


def _row(model: OfferedModel) -> tuple[str, ...]:
    """The name, how much fits, how long an answer may be, what can be shown, how it thinks."""
    window, sees = model.context_window, model.sees_images
    longest = f"up to {short_count(model.longest)}" if model.longest and not window else ""
    return (
        model.model,
        f"{short_count(window)} window" if window else longest,
        f"{short_count(model.max_tokens)} answer" if model.max_tokens else "",
        "" if sees is None else "text, images" if sees else "text",
        _thinking(model),
    )


def _thinking(model: OfferedModel) -> str:
    if model.thinking == "always":
        return "always thinks"
    if model.levels:
        return _CHOOSES + " ".join(model.levels)
    return "" if model.thinks is None else "thinks" if model.thinks else "does not think"
