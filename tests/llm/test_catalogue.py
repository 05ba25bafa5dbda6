"""The catalogue is whole, and a name finds what is known of it and of no other model."""

import re

import pytest

from panto.config.schema import HowToThink, Thinking
from panto.llm.catalogue import LEVELS, Facts, catalogue, facts_of, known_models, plain_name
from panto.llm.known_providers import KNOWN
from panto.llm.types import ThinkingLevel, ThinkingStyle

ENTRIES = [(maker, start) for maker, starts in catalogue().makers.items() for start in starts]
CHOOSES = ("switch", "effort", "budget", "adaptive")


def test_every_known_provider_is_looked_up_in_makers_that_there_are() -> None:
    assert set(catalogue().providers) == set(KNOWN)
    for makers in catalogue().providers.values():
        assert set(makers) <= set(catalogue().makers)
    assert {maker for makers in catalogue().providers.values() for maker in makers} == set(catalogue().makers)


@pytest.mark.parametrize(("maker", "start"), ENTRIES)
def test_every_entry_makes_sense(maker: str, start: str) -> None:
    facts = catalogue().makers[maker][start]
    assert facts != Facts()
    assert re.fullmatch(r"[a-z0-9][a-z0-9.-]*", start)
    for tokens in (facts.context_window, facts.max_tokens):
        assert tokens is None or 1_000 <= tokens <= 10_000_000
    if facts.context_window and facts.max_tokens:
        assert facts.max_tokens <= facts.context_window
    assert facts.input is None or facts.input[0] == "text"
    assert list(facts.levels) == [level for level in LEVELS if level in facts.levels]
    assert not facts.levels or facts.thinking in CHOOSES
    assert "off" in facts.levels or facts.thinking != "switch" or not facts.levels


@pytest.mark.parametrize(("maker", "start"), ENTRIES)
def test_no_entry_is_shadowed(maker: str, start: str) -> None:
    """A provider that looks there first finds each entry by its own name, with a date or a tag behind it too."""
    first = [name for name, makers in catalogue().providers.items() if makers[0] == maker]
    alone = [name for name, makers in catalogue().providers.items() if maker in makers]
    for provider in first or alone[:1]:
        for suffix in ("", "-latest", ":tag", "-20270131", "-2027-01-31", "@20270131"):
            if f"{plain_name(start)}{suffix}" not in map(plain_name, catalogue().makers[maker]):
                assert facts_of(provider, f"{start}{suffix}") is catalogue().makers[maker][start]


@pytest.mark.parametrize(
    ("provider", "model", "start"),
    [
        ("anthropic", "claude-sonnet-4-5-20250929", "claude-sonnet-4-5"),
        ("anthropic", "claude-opus-5-5", "claude-opus-5-5"),
        ("openrouter", "anthropic/claude-sonnet-4.5", "claude-sonnet-4-5"),
        ("openrouter", "anthropic/claude-opus-5.5:beta", "claude-opus-5-5"),
        ("openrouter", "x-ai/grok-4.5", "grok-4.5"),
        ("bedrock", "us.anthropic.claude-sonnet-4-5-20250929-v1:0", "claude-sonnet-4-5"),
        ("bedrock", "global.anthropic.claude-opus-4-6-v1", "claude-opus-4-6"),
        ("bedrock", "anthropic.claude-sonnet-5-5", "claude-sonnet-5-5"),
        ("bedrock", "eu.amazon.nova-pro-v1:0", "nova-pro"),
        ("bedrock", "openai.gpt-oss-120b-1:0", "gpt-oss"),
        ("azure", "gpt-5-mini", "gpt-5-mini"),
        ("openai", "gpt-5-2025-08-07", "gpt-5"),
        ("openai", "gpt-5.1-codex-mini", "gpt-5.1-codex"),
        ("openai", "o3-mini-2025-01-31", "o3-mini"),
        ("google", "models/gemini-2.5-flash-lite-preview-09-2025", "gemini-2.5-flash-lite"),
        ("groq", "openai/gpt-oss-120b", "gpt-oss-120b"),
        ("ollama", "qwen3:8b", "qwen3"),
        ("ollama", "hf.co/unsloth/Qwen3-8B-GGUF:Q4_K_M", "qwen3"),
        ("vllm", "Qwen/Qwen3-Coder-30B-A3B-Instruct", "qwen3-coder"),
        ("lmstudio", "openai/gpt-oss-20b", "gpt-oss"),
        ("llamacpp", "gemma-4-31b-it-Q4_K_M.gguf", "gemma-4"),
        ("one of my own", "qwen3-14b", "qwen3"),
    ],
)
def test_names_as_providers_write_them(provider: str, model: str, start: str) -> None:
    found = [starts[start] for starts in catalogue().makers.values() if start in starts]
    assert facts_of(provider, model) in found


@pytest.mark.parametrize(
    ("provider", "model"),
    [
        ("anthropic", "claude-sonnet-4-9"),
        ("anthropic", "claude-opus-6"),
        ("anthropic", "gpt-5"),
        ("openai", "gpt-5.9"),
        ("openai", "gpt-50"),
        ("openai", "gpt-4ever"),
        ("google", "gemini-3.9-flash"),
        ("ollama", "qwen3.9:8b"),
        ("xai", "grok-4.9"),
        ("openai", ""),
    ],
)
def test_another_number_is_another_model(provider: str, model: str) -> None:
    assert facts_of(provider, model) == Facts()
    assert facts_of(provider, model).sees_images


def test_how_much_fits_is_not_known_of_weights_that_anybody_may_serve() -> None:
    assert all(facts.context_window is None is facts.max_tokens for facts in catalogue().makers["weights"].values())


def test_what_is_known_for_a_provider() -> None:
    assert known_models("anthropic") == catalogue().makers["anthropic"]
    assert known_models("bedrock").keys() > catalogue().makers["anthropic"].keys()
    assert known_models("mine") == {}


def test_config_and_requests_name_the_same_levels_and_styles() -> None:
    assert Thinking == ThinkingLevel
    assert HowToThink == ThinkingStyle
