"""How much a model is told to think: what was wished for, made into what the model has, and said where it differs."""

from panto.llm.catalogue import LEVELS
from panto.llm.types import ThinkingLevel, ThinkingStyle

_CHOOSES: frozenset[ThinkingStyle] = frozenset({"switch", "effort", "budget", "adaptive"})
"""The styles with something to choose."""


def level_for(
    wanted: ThinkingLevel | None, style: ThinkingStyle, levels: tuple[ThinkingLevel, ...]
) -> ThinkingLevel | None:
    """The level to ask for: the wanted one, or the nearest that the model has; None if nothing can be asked for.

    ``off`` of a model that always thinks is the least it has. Of two that are as near, it is the higher one.
    """
    if wanted is None or style not in _CHOOSES:
        return None
    there = levels or LEVELS
    if wanted in there:
        return wanted
    place = LEVELS.index(wanted)
    thinking: list[ThinkingLevel] = [level for level in there if level != "off"] or [*there]
    return min(thinking, key=lambda level: (abs(LEVELS.index(level) - place), -LEVELS.index(level)))


def thinking_notice(
    name: str, wanted: ThinkingLevel | None, style: ThinkingStyle, levels: tuple[ThinkingLevel, ...]
) -> str:
    """What to tell the user where a model can't think as much, or as little, as they want; empty if it can."""
    got = level_for(wanted, style, levels)
    if wanted is None or got == wanted or (style == "none" and wanted == "off"):
        return ""
    if got is not None:
        return f"{name} can't be told to think {wanted}: it is told {got}"
    if style == "none":
        return f"{name} does not think, so thinking = {wanted} does nothing"
    if style == "always":
        return f"{name} always thinks, and can't be told how much"
    return f"it is not known how {name} is told to think, so it thinks as it does by itself"
