"""A level that was wished for becomes one that the model has, and what differs is said."""

from typing import get_args

import pytest
from hypothesis import given, strategies as st

from panto.llm.catalogue import LEVELS, catalogue
from panto.llm.thinking import level_for, thinking_notice
from panto.llm.types import ThinkingLevel, ThinkingStyle

SOME: tuple[ThinkingLevel, ...] = ("low", "medium", "high")
ENDS: tuple[ThinkingLevel, ...] = ("low", "high")


@pytest.mark.parametrize(
    ("wanted", "style", "levels", "got"),
    [
        (None, "effort", (), None),
        ("high", "unknown", (), None),
        ("high", "none", (), None),
        ("off", "always", (), None),
        ("medium", "adaptive", (), "medium"),
        ("off", "budget", (), "off"),
        ("off", "effort", SOME, "low"),
        ("medium", "effort", ENDS, "high"),
        ("low", "effort", ("off", "high"), "high"),
        ("off", "effort", ("off", "high"), "off"),
        ("low", "effort", ("high",), "high"),
        ("high", "switch", ("off",), "off"),
    ],
)
def test_the_nearest_level(
    wanted: ThinkingLevel | None, style: ThinkingStyle, levels: tuple[ThinkingLevel, ...], got: ThinkingLevel | None
) -> None:
    assert level_for(wanted, style, levels) == got


@given(
    st.sampled_from(LEVELS),
    st.sampled_from(get_args(ThinkingStyle)),
    st.lists(st.sampled_from(LEVELS), unique=True).map(tuple),
)
def test_what_is_asked_for_is_there_and_nothing_differs_in_silence(
    wanted: ThinkingLevel, style: ThinkingStyle, levels: tuple[ThinkingLevel, ...]
) -> None:
    got = level_for(wanted, style, levels)
    assert got is None or got in (levels or LEVELS)
    said = thinking_notice("p/m", wanted, style, levels)
    assert bool(said) == (got != wanted and not (style == "none" and wanted == "off"))
    assert thinking_notice("p/m", None, style, levels) == ""


@pytest.mark.parametrize(
    ("wanted", "style", "levels", "words"),
    [
        ("off", "effort", SOME, "p/m can't be told to think off: it is told low"),
        ("high", "none", (), "p/m does not think"),
        ("low", "always", (), "p/m always thinks"),
        ("low", "unknown", (), "it is not known how p/m is told to think"),
    ],
)
def test_what_is_said(
    wanted: ThinkingLevel, style: ThinkingStyle, levels: tuple[ThinkingLevel, ...], words: str
) -> None:
    assert words in thinking_notice("p/m", wanted, style, levels)


def test_models_that_always_think_have_no_off() -> None:
    for start in ("claude-opus-5-5", "claude-fable-5-1"):
        assert "off" not in catalogue().makers["anthropic"][start].levels
