"""What an answer costs, in US dollars: by the prices that config names, or by a table that comes with a library.

Nothing is asked of anybody. The table takes most of a second to load, so it is loaded beside the first request.
"""

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from importlib import import_module
from ipaddress import ip_address
from typing import Protocol, TypeAlias, cast
from urllib.parse import urlsplit

from panto.llm.demo import DEMO_PROVIDER
from panto.llm.types import Endpoint
from panto.messages import Usage

_PER = Decimal(1_000_000)
_SHORT = 1_000
"""Tokens of a request that is priced as most are: long ones may cost more."""
_IN_TABLE = {
    "anthropic": "anthropic",
    "azure": "azure",
    "bedrock": "aws",
    "deepseek": "deepseek",
    "google": "google",
    "groq": "groq",
    "mistral": "mistral",
    "openai": "openai",
    "openrouter": "openrouter",
    "xai": "x-ai",
}
"""What the library calls the providers."""
_AT_HOME = frozenset({"llamacpp", "lmstudio", "ollama", "vllm"})


@dataclass(frozen=True)
class OwnPrices:
    """Prices that config names, in US dollars for a million tokens. Without ``cached``, that part costs as the rest."""

    input: float | None = None
    cached: float | None = None
    output: float | None = None


class _Calculation(Protocol):
    @property
    def total_price(self) -> Decimal: ...


class _CalcPrice(Protocol):
    def __call__(self, usage: object, model_ref: str, *, provider_id: str) -> _Calculation: ...


class _Library(Protocol):
    calc_price: _CalcPrice
    Usage: Callable[..., object]


Price: TypeAlias = Callable[[Usage], Decimal | None]


def load_prices() -> None:
    """Load the table. Takes its time, and is quick when it is loaded. To be called in a thread."""
    _library().calc_price(_library().Usage(input_tokens=1, output_tokens=1), "gpt-4o", provider_id="openai")


def priced_by_table(endpoint: Endpoint, model: str, own: OwnPrices | None = None) -> bool:
    """Whether it takes the table to tell what an answer of this model costs."""
    return own is None and endpoint.provider in _IN_TABLE and not _costs_nothing(endpoint, model)


def price_of(endpoint: Endpoint, model: str, own: OwnPrices | None = None) -> Price:
    """What tells the cost of an answer of this model; None where that is not known, which is not nothing."""
    if own is not None:
        return lambda usage: _by_own_prices(usage, own)
    if priced_by_table(endpoint, model):
        return lambda usage: _by_table(usage, _IN_TABLE[endpoint.provider], model)
    nothing = Decimal(0) if _costs_nothing(endpoint, model) else None
    return lambda _usage: nothing


def dollars_a_million(endpoint: Endpoint, model: str, own: OwnPrices | None = None) -> tuple[float, float] | None:
    """US dollars for a million tokens sent, and for a million answered, in a short request; None if not known.

    Takes the table, which `load_prices` loads.
    """
    price = price_of(endpoint, model, own)
    sent, answered = price(Usage(input=_SHORT, output=0)), price(Usage(input=0, output=_SHORT))
    return None if sent is None or answered is None else (float(sent * _PER / _SHORT), float(answered * _PER / _SHORT))


def _costs_nothing(endpoint: Endpoint, model: str) -> bool:
    """Whether the model runs on this machine. Ollama hands some on to its own cloud, and says so in their tags."""
    if endpoint.provider == DEMO_PROVIDER:
        return endpoint.transport is not None
    if endpoint.provider not in _AT_HOME or model.rpartition(":")[2].endswith("cloud"):
        return False
    host = urlsplit(endpoint.base_url).hostname or ""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _by_own_prices(usage: Usage, prices: OwnPrices) -> Decimal | None:
    if usage.input is None or usage.output is None or prices.input is None or prices.output is None:
        return None
    if min(usage.input, usage.output) < 0:
        return None
    cached = max(0, min(usage.cached or 0, usage.input))
    cached_price = prices.input if prices.cached is None else prices.cached
    parts = ((usage.input - cached, prices.input), (cached, cached_price), (usage.output, prices.output))
    return sum((tokens * Decimal(str(price)) for tokens, price in parts), Decimal(0)) / _PER


def _by_table(usage: Usage, provider: str, model: str) -> Decimal | None:
    if usage.input is None or usage.output is None:
        return None
    library = _library()
    counts = {
        "input_tokens": usage.input,
        "cache_read_tokens": usage.cached,
        "cache_write_tokens": usage.cache_written,
        "output_tokens": usage.output,
    }
    try:
        given = library.Usage(**{name: count for name, count in counts.items() if count})
        return library.calc_price(given, model, provider_id=provider).total_price
    except Exception:  # noqa: BLE001  no model in the table, counts that make no sense: an answer is not lost over it
        return None


def _library() -> _Library:
    return cast("_Library", import_module("genai_prices"))
