"""What is known of models without asking anybody: `models.toml`, which lies beside this module.

A model is found by the provider that serves it and by how its name begins: dates, tags and ``-latest`` may follow. A
further number may not, for ``gpt-5.9`` is not ``gpt-5``. The file is read when the first model is looked up.
"""

import re
import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import msgspec
from msgspec import Struct

from panto.config.schema import Modality
from panto.llm.types import ThinkingLevel, ThinkingStyle

FILE = Path(__file__).with_name("models.toml")
LEVELS: tuple[ThinkingLevel, ...] = ("off", "low", "medium", "high")
"""The least first."""

_ANY_PROVIDER = ("weights",)
"""Where models of a provider of one's own are looked up: it may serve any that can be had."""
_REGION = re.compile(r"^(?:us-gov|us|eu|apac|au|jp|ca|global)\.")
_MAKER = re.compile(r"^[a-z0-9]+\.(?=[a-z])")
_NO_OTHER_MODEL = r"(?![^\W_])(?!-\d{1,2}(?![0-9a-z]))"
"""What stands behind the start of a name: no rest of a word, and no further number."""


class Facts(Struct, frozen=True, forbid_unknown_fields=True):
    """What is known of a model: tokens of the window and of one answer, what it can be shown, and how it thinks.

    None: not known. ``levels`` are those it can be told to think at; empty: all of them, if it can be told at all.
    """

    context_window: int | None = None
    max_tokens: int | None = None
    input: tuple[Modality, ...] | None = None
    thinking: ThinkingStyle = "unknown"
    levels: tuple[ThinkingLevel, ...] = ()

    @property
    def sees_images(self) -> bool:
        """Whether it can be shown images; as long as that is not known, it is tried."""
        return self.input is None or "image" in self.input


class Catalogue(Struct, frozen=True, forbid_unknown_fields=True):
    """The file: by provider where its models are looked up, and by maker how names begin and what holds then."""

    providers: Mapping[str, tuple[str, ...]]
    makers: Mapping[str, Mapping[str, Facts]]


@cache
def catalogue() -> Catalogue:
    """All of it."""
    return msgspec.convert(tomllib.loads(FILE.read_text(encoding="utf-8")), Catalogue)


def facts_of(provider: str, model: str) -> Facts:
    """What is known of a model, by the provider's own name for it."""
    name = plain_name(model)
    for maker in catalogue().providers.get(provider, _ANY_PROVIDER):
        found = _beginning(maker).match(name)
        if found is not None:
            return _starts(maker)[found[0]]
    return Facts()


def plain_name(model: str) -> str:
    """A model's name without what providers put in front of it (regions, makers, collections), in one spelling."""
    name = _REGION.sub("", model.lower().rpartition("/")[2])
    return _MAKER.sub("", name).replace(".", "-")


def known_models(provider: str) -> Mapping[str, Facts]:
    """Every start of a name that is known for a provider, with what holds then."""
    makers = catalogue().providers.get(provider, ())
    return {start: facts for maker in reversed(makers) for start, facts in catalogue().makers[maker].items()}


@cache
def _starts(maker: str) -> Mapping[str, Facts]:
    return {start.lower().replace(".", "-"): facts for start, facts in catalogue().makers[maker].items()}


@cache
def _beginning(maker: str) -> re.Pattern[str]:
    """What finds the longest start that a name has, with nothing behind it that makes another model of it."""
    starts = sorted(_starts(maker), key=len, reverse=True)
    return re.compile(f"(?:{'|'.join(map(re.escape, starts))}){_NO_OTHER_MODEL}")
