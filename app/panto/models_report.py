"""`panto-py models`: what the servers list, and what is known without asking."""

import asyncio
import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from panto.auth import StoredKeys, keys_directory, read_stored
from panto.config import Config, Provider, load
from panto.config.diagnostics import visible
from panto.llm.catalogue import LEVELS, Facts, facts_of, known_models
from panto.llm.known_providers import KNOWN
from panto.llm.listing import ListedModel
from panto.llm.provider_keys import key_source
from panto.llm.types import Failure
from panto.models import Models
from panto.paths import Paths

_STYLES = {"unknown": "", "none": "does not think", "always": "always thinks"}
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
    names = [*config.providers, *(name for name in KNOWN if name not in config.providers)]
    if provider is not None and provider not in names:
        raise UnknownProviderError(f"there is no provider {provider!r}; there are {', '.join(sorted(names))}")
    chosen = names if provider is None else [provider]
    wire_log = paths.wire_log if config.debug.wire else None
    lists = asyncio.run(_ask(chosen, config, environ, stored, wire_log))
    return [line for name in chosen for line in _section(name, config, lists.get(name), whole=provider is not None)]


async def _ask(
    names: Iterable[str], config: Config, environ: Mapping[str, str], stored: StoredKeys, wire_log: Path | None
) -> dict[str, list[ListedModel] | Failure]:
    asked = [name for name in names if _may_be_asked(name, config, environ, stored)]
    models = Models(config, environ, stored, wire_log)
    try:
        answers = await asyncio.gather(*(models.listed(name) for name in asked))
    finally:
        await models.close()
    return dict(zip(asked, answers, strict=True))


def _may_be_asked(name: str, config: Config, environ: Mapping[str, str], stored: StoredKeys) -> bool:
    known = KNOWN.get(name)
    if known is None or not known.needs_key or name in config.providers:
        return True
    return bool(key_source(name, known, Provider(), environ, stored))


def _section(name: str, config: Config, listed: list[ListedModel] | Failure | None, *, whole: bool) -> Iterator[str]:
    known = known_models(name)
    if isinstance(listed, list):
        yield visible(f"{name}: {len(listed)} models")
        yield from _table(_row(name, config, model) for model in listed)
    elif whole:
        yield visible(listed.message if listed else f"{name}: no key, so it is not asked")
        yield f"  {len(known)} are known, and what their names begin with:"
        yield from _table(_row(name, config, ListedModel(start)) for start in known)
    else:
        reason = listed.message if listed else f"{name}: no key"
        yield visible(f"{reason}; {len(known)} models are known")


def _table(rows: Iterable[tuple[str, ...]]) -> Iterator[str]:
    rows = list(rows)
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))] if rows else []
    for row in rows:
        cells = (f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True))
        yield visible(f"  {'  '.join(cells)}".rstrip())


def _row(provider: str, config: Config, model: ListedModel) -> tuple[str, ...]:
    """The name, how much fits, how long an answer may be, what can be shown, how it thinks. Config counts most."""
    facts = facts_of(provider, model.name)
    settings = config.providers.get(provider, Provider()).models.get(model.name)
    own = settings.context_window or settings.num_ctx if settings else None
    window = own or facts.context_window or model.context_window
    longest = f"up to {_short(model.longest)}" if model.longest and not window else ""
    answer = (settings.max_tokens if settings else None) or facts.max_tokens
    sees = facts.input if not settings or settings.input is None else settings.input
    images = "image" in sees if sees is not None else model.sees_images
    return (
        model.name,
        f"{_short(window)} window" if window else longest,
        f"{_short(answer)} answer" if answer else "",
        "" if images is None else "text, images" if images else "text",
        _thinking(facts, model.thinks),
    )


def _thinking(facts: Facts, thinks: bool | None) -> str:
    if facts.thinking == "unknown":
        return "" if thinks is None else "thinks" if thinks else _STYLES["none"]
    return _STYLES.get(facts.thinking) or _CHOOSES + " ".join(facts.levels or LEVELS)


def _short(tokens: int) -> str:
    """A count as people say it: 200k, 1M, 1.05M; the powers of two as they are, in thousands."""
    if tokens >= 1_000_000:
        return f"{tokens / 1_000_000:.2f}".rstrip("0").rstrip(".") + "M"
    return f"{tokens / 1000:.1f}".removesuffix(".0") + "k" if tokens >= 1000 else str(tokens)
