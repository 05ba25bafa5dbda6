"""The models that one can choose from, with what is known of each: by config, by the catalogue, by their server."""

from collections.abc import Mapping
from dataclasses import dataclass

from panto.auth import StoredKeys
from panto.config import Config, ModelSettings, Provider
from panto.llm.catalogue import LEVELS, Facts, facts_of, known_models
from panto.llm.known_providers import KNOWN
from panto.llm.listing import ListedModel
from panto.llm.prices import OwnPrices
from panto.llm.provider_keys import key_source
from panto.llm.types import ThinkingLevel, ThinkingStyle


@dataclass(frozen=True)
class OfferedModel:
    """A model of a provider. None: not known.

    ``context_window`` is what fits, ``longest`` what could fit at most if the server ran it so, and ``max_tokens`` what
    an answer may have, all in tokens. ``levels`` are those at which it can be told to think.
    """

    provider: str
    model: str
    context_window: int | None = None
    longest: int | None = None
    max_tokens: int | None = None
    sees_images: bool | None = None
    thinks: bool | None = None
    thinking: ThinkingStyle = "unknown"
    levels: tuple[ThinkingLevel, ...] = ()
    prices: OwnPrices | None = None

    @property
    def name(self) -> str:
        """The model as ``provider/model``."""
        return f"{self.provider}/{self.model}"


@dataclass(frozen=True)
class OfferedProvider:
    """A provider. ``set_up``: the user has a key for it, or describes it in config.

    ``may_be_asked``: its server can be asked for its models, since it is set up or needs no key.
    """

    name: str
    set_up: bool
    may_be_asked: bool


def offered_providers(config: Config, environ: Mapping[str, str], stored: StoredKeys) -> list[OfferedProvider]:
    """All providers: those that config describes, then those that come filled in."""
    found: list[OfferedProvider] = []
    for name in (*config.providers, *(name for name in KNOWN if name not in config.providers)):
        known = KNOWN.get(name)
        set_up = name in config.providers or bool(key_source(name, known, Provider(), environ, stored))
        found.append(OfferedProvider(name, set_up, set_up or known is None or not known.needs_key))
    return found


def offered(provider: str, config: Config, model: ListedModel) -> OfferedModel:
    """A model with all that is known of it. Config counts most, then the catalogue."""
    facts = facts_of(provider, model.name)
    own = config.providers.get(provider, Provider()).models.get(model.name, ModelSettings())
    sees = facts.input if own.input is None else own.input
    style = own.thinking or facts.thinking
    prices = OwnPrices(own.price_input, own.price_cached, own.price_output)
    return OfferedModel(
        provider,
        model.name,
        context_window=own.context_window or own.num_ctx or facts.context_window or model.context_window,
        longest=model.longest,
        max_tokens=own.max_tokens or facts.max_tokens,
        sees_images="image" in sees if sees is not None else model.sees_images,
        thinks=model.thinks if style == "unknown" else style != "none",
        thinking=style,
        levels=_levels(facts, style),
        prices=None if prices == OwnPrices() else prices,
    )


def offered_unasked(provider: str, config: Config) -> list[OfferedModel]:
    """The models of a provider that are known without its server: those of config, then those of the catalogue."""
    own = config.providers.get(provider, Provider()).models
    names = dict.fromkeys([*own, *known_models(provider)])
    return [offered(provider, config, ListedModel(name)) for name in names]


def offered_by(provider: str, config: Config, listed: list[ListedModel]) -> list[OfferedModel]:
    """The models that a provider's server lists, and those of config that it does not."""
    names = {model.name for model in listed}
    own = config.providers.get(provider, Provider()).models
    unlisted = [ListedModel(name) for name in own if name not in names]
    return [offered(provider, config, model) for model in (*unlisted, *listed)]


def _levels(facts: Facts, style: ThinkingStyle) -> tuple[ThinkingLevel, ...]:
    if style in ("unknown", "none", "always"):
        return ()
    return (facts.levels if style == facts.thinking else ()) or LEVELS


def short_count(tokens: int) -> str:
    """A count as people say it: 200k, 1M, 1.05M; the powers of two as they are, in thousands."""
    if tokens >= 1_000_000:
        return f"{tokens / 1_000_000:.2f}".rstrip("0").rstrip(".") + "M"
    return f"{tokens / 1000:.1f}".removesuffix(".0") + "k" if tokens >= 1000 else str(tokens)
