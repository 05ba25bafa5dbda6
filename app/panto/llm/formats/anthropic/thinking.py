"""How ``anthropic`` is told how much to think, as data.

Newer models decide for themselves, guided by a word for the effort; older ones are given a budget of tokens. Their
thinking is shown in summary: some models show none unless that is asked for.
"""

from panto.json_values import JSONObject
from panto.llm.catalogue import plain_name
from panto.llm.types import Request, ThinkingLevel

KEY = "thinking"
INTERLEAVED = "interleaved-thinking-2025-05-14"
"""Lets models with a budget think between calls of tools as well. Newer models do so by themselves."""
LEAST_BUDGET = 1_024

_SHOWN = "summarized"
_BUDGETS: dict[ThinkingLevel, int] = {"low": 4_096, "medium": 12_288, "high": 32_768}
_OFF: JSONObject = {KEY: {"type": "disabled"}}
_OFF_ELSEWHERE: dict[str, JSONObject] = {"claude-sonnet-5-5": {KEY: {"type": "between_tools"}}}
"""Models that take another word for no thinking, by how their names begin."""


def thinking_parameters(request: Request, max_tokens: int) -> JSONObject:
    """What the body says of thinking; empty if nothing is asked for, or an answer has no room for it."""
    level, style = request.thinking, request.thinking_style
    if level is None or style not in ("adaptive", "effort", "budget", "switch"):
        return {}
    if level == "off":
        name = plain_name(request.model)
        return next((said for start, said in _OFF_ELSEWHERE.items() if name.startswith(start)), _OFF)
    if style in ("adaptive", "effort"):
        return {KEY: {"type": "adaptive", "display": _SHOWN}, "output_config": {"effort": level}}
    budget = max(LEAST_BUDGET, min(_BUDGETS[level], max_tokens // 2))  # it counts as part of the answer
    return {KEY: {"type": "enabled", "budget_tokens": budget, "display": _SHOWN}} if budget < max_tokens else {}
