"""What the Gemini API takes from some models and not from others."""

import re

from tests.support.llm.checks import JSONObject, is_count
from tests.support.llm.gemini.refusals import refused

_MODEL = re.compile(r"models/([^/:?]+):")
_GENERATION = re.compile(r"gemini-(\d)")
_BUDGETS = {"gemini-2.5-pro": range(128, 32_769), "gemini-2.5-flash": range(24_577)}
_MINIMAL = ("gemini-3-flash", "gemini-3.1-flash-lite")
LEVELS = ("minimal", "low", "medium", "high")


def model_of(path: str) -> str:
    """The model that a path names."""
    found = _MODEL.search(path)
    return found[1] if found else ""


def checks_signatures(model: str) -> bool:
    """Whether calls must be signed."""
    found = _GENERATION.match(model)
    return found is not None and int(found[1]) >= 3


def check_thinking(config: JSONObject, model: str) -> None:
    """Raise `RefusedError` for what this model can't be asked for."""
    budget, level = config.get("thinkingBudget"), config.get("thinkingLevel")
    if budget is not None and level is not None:
        raise refused("You can only set only one of thinking budget and thinking level.")
    if budget is not None and not (is_count(budget) and budget >= -1):
        raise refused(f"Invalid value at 'generation_config.thinking_config.thinking_budget': {budget!r}")
    allowed = next((span for name, span in _BUDGETS.items() if model.startswith(name)), None)
    if budget == 0 and allowed is not None and 0 not in allowed:
        raise refused("Budget 0 is invalid. This model only works in thinking mode.")
    if allowed is not None and is_count(budget) and budget > 0 and budget not in allowed:
        raise refused(f"The thinking budget {budget} is invalid. Please choose a value in {allowed}.")
    if level is None:
        return
    if level not in LEVELS:
        raise refused(f"Invalid value at 'generation_config.thinking_config.thinking_level': {level!r}")
    if model.startswith("gemini-") and not checks_signatures(model):
        raise refused("Thinking level is not supported for this model.")
    missing = {"minimal"} if not model.startswith(_MINIMAL) else set[str]()
    if model.startswith("gemini-3-pro"):
        missing.add("medium")
    if level in missing:
        raise refused(f"Thinking level {str(level).upper()} is not supported for this model.")
