"""The least that a model can be told to think."""

import pytest

from panto.llm.effort import least_effort


@pytest.mark.parametrize(
    ("model", "word"),
    [
        ("gpt-5", "minimal"),
        ("gpt-5-mini", "minimal"),
        ("openai/gpt-5-2025-08-07", "minimal"),
        ("gpt-5.1", "none"),
        ("gpt-5.2-mini", "none"),
        ("gpt-5-codex", "low"),
        ("gpt-5.1-codex-max", "low"),
        ("o3", "low"),
        ("o4-mini", "low"),
        ("openai/gpt-oss-120b", "low"),
        ("anthropic/claude-sonnet-4.5", "none"),
        ("o300-of-somebody", "none"),
        ("", "none"),
    ],
)
def test_the_word_for_the_least(model: str, word: str) -> None:
    assert least_effort(model) == word
