"""Thinking stands behind what it was made behind, or is refused."""

import pytest

from tests.support.llm.anthropic.format import Anthropic
from tests.support.llm.anthropic_requests import (
    MARK,
    REDACTED,
    THINKING_ON,
    assistant,
    body,
    judge,
    result,
    text,
    thought,
    tool,
    use,
    user,
)
from tests.support.llm.checks import JSONObject, RefusedError

ASKING = body(user(text("first")), system="You are.", thinking=THINKING_ON)
ANSWER = assistant(thought("hm", ASKING), use())


def following(**changes: object) -> JSONObject:
    """The request after ASKING got ANSWER."""
    messages = [user(text("first")), ANSWER, user(result())]
    return {**ASKING, "messages": messages, **changes}


SAME: dict[str, JSONObject] = {
    "as it was": following(),
    "system in blocks": following(system=[text("You are.", cache_control=MARK)]),
    "text as a string": following(messages=[{"role": "user", "content": "first"}, ANSWER, user(result())]),
    "marks moved": following(tools=[tool(cache_control=MARK)]),
    "more behind it": following(messages=[user(text("first")), ANSWER, user(result(), text("and?"))]),
}


@pytest.mark.parametrize("given", SAME.values(), ids=SAME)
def test_keeps_thinking_behind_what_it_was_made_behind(given: JSONObject) -> None:
    judge(given)


CHANGED: dict[str, JSONObject] = {
    "system": following(system="You were."),
    "tools": following(tools=[tool(), tool("other")]),
    "an earlier message": following(messages=[user(text("fi...")), ANSWER, user(result())]),
    "another message before": following(messages=[user(text("zero")), user(text("first")), ANSWER, user(result())]),
    "a block before it": following(
        messages=[user(text("first")), assistant(REDACTED, thought("hm", ASKING), use()), user(result())]
    ),
}


@pytest.mark.parametrize("given", CHANGED.values(), ids=CHANGED)
def test_refuses_thinking_once_anything_before_it_changed(given: JSONObject) -> None:
    with pytest.raises(RefusedError, match="bound to a different conversation"):
        judge(given)
    judge(given, Anthropic(preserved_thinking=False))
