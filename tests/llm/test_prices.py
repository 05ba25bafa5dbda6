"""What an answer costs: by config, by the table, nothing at home, and unknown where nobody knows."""

import subprocess
import sys
from decimal import Decimal

import pytest
from hypothesis import given, strategies as st

from panto.llm.demo import demo_endpoint
from panto.llm.known_providers import KNOWN
from panto.llm.prices import OwnPrices, load_prices, price_of, priced_by_table
from panto.llm.types import Endpoint
from panto.messages import Usage

USAGE = Usage(input=1_000_000, output=100_000)


def at(provider: str, base_url: str | None = None) -> Endpoint:
    known = KNOWN.get(provider)
    return Endpoint(
        provider, known.api if known else "openai-chat", base_url or (known.base_url if known else "http://x")
    )


def cost(provider: str, model: str, usage: Usage = USAGE, own: OwnPrices | None = None) -> Decimal | None:
    return price_of(at(provider), model, own)(usage)


@pytest.mark.parametrize(
    ("provider", "model"),
    [
        ("anthropic", "claude-sonnet-4-5-20250929"),
        ("openai", "gpt-5"),
        ("google", "gemini-2.5-flash"),
        ("mistral", "mistral-large-2512"),
        ("groq", "openai/gpt-oss-120b"),
        ("deepseek", "deepseek-v4-pro"),
        ("xai", "grok-4.5"),
        ("azure", "gpt-5"),
        ("openrouter", "anthropic/claude-sonnet-4.5"),
        ("bedrock", "us.anthropic.claude-sonnet-4-5-20250929-v1:0"),
    ],
)
def test_the_table_knows_models_of_every_provider(provider: str, model: str) -> None:
    found = cost(provider, model)
    assert found is not None
    assert Decimal(0) < found < 100


def test_what_came_from_the_cache_costs_less_and_what_was_put_there_more() -> None:
    plain = cost("anthropic", "claude-haiku-4-5")
    cached = cost("anthropic", "claude-haiku-4-5", Usage(input=1_000_000, output=100_000, cached=900_000))
    written = cost("anthropic", "claude-haiku-4-5", Usage(input=1_000_000, output=100_000, cache_written=900_000))
    assert (plain, cached, written) == (Decimal("1.5"), Decimal("0.69"), Decimal("1.725"))


@pytest.mark.parametrize(
    ("provider", "model", "usage"),
    [
        ("anthropic", "claude-of-the-year-3000", USAGE),
        ("mine", "claude-haiku-4-5", USAGE),
        ("anthropic", "claude-haiku-4-5", Usage()),
        ("anthropic", "claude-haiku-4-5", Usage(input=10)),
        ("anthropic", "claude-haiku-4-5", Usage(output=10)),
        ("anthropic", "claude-haiku-4-5", Usage(input=-10, output=10)),
        ("anthropic", "claude-haiku-4-5", Usage(input=10, output=10, cached=11)),
    ],
)
def test_what_is_not_known_is_not_nothing(provider: str, model: str, usage: Usage) -> None:
    assert cost(provider, model, usage) is None


@pytest.mark.parametrize("provider", ["ollama", "llamacpp", "lmstudio", "vllm"])
@pytest.mark.parametrize(
    ("host", "expected"),
    [
        ("127.0.0.1", Decimal(0)),
        ("localhost", Decimal(0)),
        ("[::1]", Decimal(0)),
        ("10.0.0.2", None),
        ("ollama.com", None),
        ("localhost.example.com", None),
    ],
)
def test_what_runs_on_this_machine_costs_nothing(provider: str, host: str, expected: Decimal | None) -> None:
    where = at(provider, f"http://{host}:8080/v1")
    assert price_of(where, "qwen3")(Usage()) == expected
    assert not priced_by_table(where, "qwen3")


@pytest.mark.parametrize("model", ["gpt-oss:120b-cloud", "glm-5:cloud"])
def test_models_that_ollama_hands_on_to_its_cloud_are_not_free(model: str) -> None:
    assert cost("ollama", model) is None


def test_the_demo_costs_nothing() -> None:
    assert price_of(demo_endpoint(), "panto-demo")(USAGE) == 0
    assert cost("demo", "panto-demo") is None  # a provider of one's own that is only called so


def test_prices_of_config_win() -> None:
    usage = Usage(input=1_000_000, output=100_000, cached=500_000)
    assert cost("anthropic", "claude-haiku-4-5", usage, OwnPrices(10, 2, 30)) == Decimal(9)
    assert cost("anthropic", "claude-haiku-4-5", usage, OwnPrices(10, None, 30)) == Decimal(13)
    assert cost("ollama", "qwen3", usage, OwnPrices(1, 0, 0)) == Decimal("0.5")
    assert cost("mine", "m", Usage(input=0, output=0), OwnPrices(1, 1, 1)) == 0
    assert not priced_by_table(at("anthropic"), "claude-haiku-4-5", OwnPrices(10, 2, 30))


@pytest.mark.parametrize("own", [OwnPrices(1, 1, None), OwnPrices(None, 1, 1)])
def test_half_a_price_is_none(own: OwnPrices) -> None:
    assert cost("anthropic", "claude-haiku-4-5", USAGE, own) is None


COUNTS = st.integers(0, 10_000_000)
DOLLARS = st.floats(0, 1_000)


@given(COUNTS, COUNTS, COUNTS, DOLLARS, DOLLARS, DOLLARS)
def test_own_prices_add_up(sent: int, cached: int, said: int, a: float, b: float, c: float) -> None:
    found = cost("mine", "m", Usage(input=sent, output=said, cached=cached), OwnPrices(a, b, c))
    assert found is not None
    assert min(a, b) * sent + c * said <= float(found) * 1_000_000 + 1
    assert float(found) * 1_000_000 <= max(a, b) * sent + c * said + 1


def test_the_table_is_loaded_by_who_asks_for_it_and_asks_nobody() -> None:
    """With every socket forbidden, and nothing of it loaded before."""
    code = """
import socket, sys
def refuse(*_): raise AssertionError("network")
socket.socket.connect = socket.create_connection = socket.getaddrinfo = refuse
from panto.llm.prices import load_prices, price_of
from panto.models import Models
assert "genai_prices" not in sys.modules
load_prices()
assert "genai_prices.data" in sys.modules
"""
    subprocess.run([sys.executable, "-c", code], check=True, timeout=120)
    load_prices()
