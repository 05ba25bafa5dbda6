"""What the messages validator takes and refuses."""

import pytest

from tests.support.llm.anthropic.format import Anthropic
from tests.support.llm.anthropic_requests import (
    ASKED,
    HEADERS,
    MARK,
    NOTHING,
    REDACTED,
    THINKING_ON,
    UNASKED,
    assistant,
    body,
    image,
    judge,
    png,
    result,
    text,
    tool,
    use,
    user,
)
from tests.support.llm.checks import JSONObject, RefusedError
from tests.support.llm.request import Request

GOOD: dict[str, JSONObject] = {
    "plain": body(user()),
    "system as text": body(user(), system="You are."),
    "system as blocks": body(user(), system=[text("You are.", cache_control=MARK)]),
    "users in a row are merged": body(user(), user(), assistant(), user()),
    "call and result": body(user(), assistant(text(), use()), user(result(), text("go on"))),
    "results of merged messages": body(user(), assistant(use("a"), use("b")), user(result("a")), user(result("b"))),
    "calls of merged messages": body(user(), assistant(use("a")), assistant(use("b")), user(result("b"), result("a"))),
    "result without content": body(user(), assistant(use()), user({"type": "tool_result", "tool_use_id": "toolu_1"})),
    "result with an image": body(user(), assistant(use()), user(result(content=[text(), image()]))),
    "failed result": body(user(), assistant(use()), user(result(is_error=True))),
    "image": body(user(image(), text())),
    "four marks": body(user(text(cache_control=MARK)), system=[text(cache_control=MARK)] * 3),
    "long-lived mark first": body(user(text(cache_control=MARK)), system=[text(cache_control={**MARK, "ttl": "1h"})]),
    "no tools, though used": {k: v for k, v in body(user(), assistant(use()), user(result())).items() if k != "tools"},
    "thinking on": body(user(), thinking=THINKING_ON),
    "thinking brought back": body(user(), assistant(ASKED, use()), user(result()), thinking=THINKING_ON),
    "thinking and redacted": body(user(), assistant(ASKED, REDACTED, use()), user(result()), thinking=THINKING_ON),
    "thinking left out of an older turn": body(user(), assistant(text()), user(), thinking=THINKING_ON),
    "thinking nobody asked for": body(user(), assistant(UNASKED, use()), user(result())),
    "adaptive thinking": body(user(), assistant(use()), user(result()), thinking={"type": "adaptive"}),
    "choice": body(user(), tool_choice={"type": "tool", "name": "std_read"}),
    "late instructions": body(user(), assistant(), {"role": "system", "content": "New date."}, user()),
}


@pytest.mark.parametrize("given", GOOD.values(), ids=GOOD)
def test_takes_what_the_api_takes(given: JSONObject) -> None:
    judge(given)


def without(name: str) -> JSONObject:
    """A good body without one of its parameters."""
    return {key: value for key, value in body(user()).items() if key != name}


def schema(**properties: object) -> JSONObject:
    """An object schema with these properties."""
    return {"type": "object", "properties": properties}


BAD: dict[str, tuple[JSONObject, str]] = {
    "no model": (without("model"), "model: Field required"),
    "no limit": (without("max_tokens"), "max_tokens: Field required"),
    "no messages": (body(), "at least one message is required"),
    "unknown parameter": (body(user(), stream_options=NOTHING), "stream_options: Extra inputs are not permitted"),
    "temperature out of range": (body(user(), temperature=1.5), "temperature: Input should be between 0 and 1"),
    "system of images": (body(user(), system=[image()]), "system.0.type: Input should be 'text'"),
    "blank system": (body(user(), system=[text(" ")]), "must contain non-whitespace text"),
    "assistant first": (body(assistant(), user()), 'first message must use the "user" role'),
    "unknown role": (body({"role": "tool", "content": "a"}), "messages.0.role"),
    "unknown message field": (body({**user(), "name": "a"}), "messages.0.name: Extra inputs"),
    "no content": (body({"role": "user"}), "messages.0.content: Field required"),
    "empty content": (body({"role": "user", "content": ""}), "must have non-empty content"),
    "no blocks": (body(user(), assistant(), {"role": "user", "content": []}), "must have non-empty content"),
    "empty block": (body(user(text(""))), "text content blocks must be non-empty"),
    "empty block with a mark": (body(user(text("", cache_control=MARK))), "cache_control cannot be set for empty"),
    "blank block": (body(user(), assistant(text("\n")), user()), "must contain non-whitespace text"),
    "blank block in a result": (body(user(), assistant(use()), user(result(content=[text("")]))), "must be non-empty"),
    "unknown block": (body(user({"type": "input_text", "text": "a"})), "Input tag 'input_text'"),
    "unknown block field": (body(user(text(id="1"))), "messages.0.content.0.text.id: Extra inputs"),
    "call by the user": (body(user(use())), "Input tag 'tool_use'"),
    "result by the assistant": (body(user(), assistant(result())), "Input tag 'tool_result'"),
    "call without a result": (body(user(), assistant(use("x")), user()), "without `tool_result` blocks immediately"),
    "call at the end": (body(user(), assistant(use("x"))), "without `tool_result` blocks immediately after: x"),
    "one of two results": (body(user(), assistant(use("a"), use("b")), user(result("a"))), "immediately after: b"),
    "text before the result": (body(user(), assistant(use("a")), user(text(), result("a"))), "immediately after: a"),
    "two results for a call": (body(user(), assistant(use()), user(result(), result())), "must have a single result"),
    "result without a call": (body(user(result())), "unexpected `tool_use_id` found in `tool_result` blocks: toolu_1"),
    "result a turn too late": (
        body(user(), assistant(use()), user(result()), assistant(), user(result())),
        "messages.4.content.0: unexpected `tool_use_id`",
    ),
    "system between call and result": (
        body(user(), assistant(use()), {"role": "system", "content": "a"}, user(result())),
        "without `tool_result` blocks immediately after",
    ),
    "an id used again": (
        body(user(), assistant(use()), user(result()), assistant(use()), user(result())),
        "ids must be unique",
    ),
    "illegal id": (body(user(), assistant(use("a:b")), user(result("a:b"))), "should match pattern '^[a-zA-Z0-9_-]+$'"),
    "illegal name called": (body(user(), assistant(use(name="std.read")), user(result())), "tool_use.name"),
    "input is text": (body(user(), assistant(use(arguments="{}")), user(result())), "valid dictionary"),
    "empty failure": (body(user(), assistant(use()), user(result(content="", is_error=True))), "cannot be empty if"),
    "image as a failure": (
        body(user(), assistant(use()), user(result(content=[image()], is_error=True))),
        "must be type `text` if `is_error` is true",
    ),
    "ends with the assistant": (body(user(), assistant()), "does not support assistant message prefill"),
    "five marks": (body(user(text(cache_control=MARK)), system=[text(cache_control=MARK)] * 4), "Found 5"),
    "long-lived mark last": (
        body(user(text(cache_control={**MARK, "ttl": "1h"})), tools=[tool(cache_control=MARK)]),
        "must not come after",
    ),
    "mark of no type": (body(user(text(cache_control=NOTHING))), "cache_control.type"),
    "image of a wrong type": (body(user(image(media_type="image/tiff"))), "media_type: Input should be one of"),
    "image of another type": (body(user(image(media_type="image/gif"))), "appears to be a image/png"),
    "image that is none": (body(user(image("aGk="))), "Could not process image"),
    "image too heavy": (body(user(image("A" * 6_000_000))), "image exceeds 5 MB maximum"),
    "image too large": (body(user(image(png(8001, 1)))), "max allowed size: 8000 pixels"),
    "many images": (body(user(*[image(png(2001, 1))] * 21)), "for many-image requests: 2000 pixels"),
    "image too large in a result": (
        body(user(), assistant(use()), user(result(content=[image(png(1, 9000))]))),
        "messages.2.content.0.tool_result.content.0.image.source",
    ),
    "changed thinking": (
        body(user(), assistant({**ASKED, "thinking": "hm!"}, use()), user(result()), thinking=THINKING_ON),
        "messages.1.content.0: Invalid `signature` in `thinking` block",
    ),
    "emptied thinking": (body(user(), assistant({**ASKED, "thinking": ""}, text()), user()), "Invalid `signature`"),
    "made-up signature": (
        body(user(), assistant({**ASKED, "signature": "abc"}, text()), user()),
        "Invalid `signature`",
    ),
    "no signature": (
        body(user(), assistant({"type": "thinking", "thinking": "a"}), user()),
        "signature: Field required",
    ),
    "changed redacted thinking": (
        body(user(), assistant({"type": "redacted_thinking", "data": "aGk="}, text()), user()),
        "Invalid `data` in `redacted_thinking` block",
    ),
    "thinking last": (body(user(), assistant(text(), UNASKED), user()), "cannot be `thinking`"),
    "thinking alone": (body(user(), assistant(UNASKED), user()), "cannot be `thinking`"),
    "thinking on, but not brought back": (
        body(user(), assistant(text(), use()), user(result()), thinking=THINKING_ON),
        "Expected `thinking` or `redacted_thinking`, but found `text`",
    ),
    "thinking off, but brought back": (
        body(user(), assistant(ASKED, use()), user(result())),
        "When thinking is disabled",
    ),
    "little thinking": (body(user(), thinking={"type": "enabled", "budget_tokens": 100}), "at least 1024"),
    "more thinking than tokens": (body(user(), max_tokens=2000, thinking=THINKING_ON), "must be greater than"),
    "thinking at a temperature": (body(user(), temperature=0.2, thinking=THINKING_ON), "may only be set to 1"),
    "thinking and forced tools": (
        body(user(), tool_choice={"type": "any"}, thinking=THINKING_ON),
        "when tool_choice forces tool use",
    ),
    "choice without tools": ({**without("tools"), "tool_choice": {"type": "auto"}}, "while providing tools"),
    "choice of no tool": (body(user(), tool_choice={"type": "tool", "name": "x"}), "Tool 'x' not found"),
    "illegal tool name": (body(user(), tools=[tool("std.read")]), "tools.0.custom.name: String should match pattern"),
    "the same tool twice": (body(user(), tools=[tool(), tool()]), "Tool names must be unique"),
    "tool in another API's shape": (body(user(), tools=[{"type": "function", "name": "a"}] * 2), "must be unique"),
    "no schema": (body(user(), tools=[{"name": "a"}]), "tools.0.custom.input_schema: Field required"),
    "schema without a type": (
        body(user(), tools=[tool(schema=NOTHING)]),
        "input_schema.type: Input should be 'object'",
    ),
    "union at the top": (body(user(), tools=[tool(schema={"type": "object", "oneOf": [NOTHING]})]), "at the top level"),
    "property name": (
        body(user(), tools=[tool(schema=schema(**{"a b": NOTHING}))]),
        "Property keys should match pattern",
    ),
    "list of items": (
        body(user(), tools=[tool(schema=schema(a={"items": [NOTHING]}))]),
        "must match JSON Schema draft",
    ),
}


@pytest.mark.parametrize(("given", "why"), BAD.values(), ids=BAD)
def test_refuses_what_the_api_refuses(given: JSONObject, why: str) -> None:
    with pytest.raises(RefusedError) as refused:
        judge(given)
    assert why in refused.value.message


def test_older_models_take_a_prefill_without_blanks_at_its_end() -> None:
    wire = Anthropic(prefill=True)
    judge(body(user(), assistant(text("So"))), wire)
    with pytest.raises(RefusedError, match="trailing whitespace"):
        judge(body(user(), assistant(text("So "))), wire)


@pytest.mark.parametrize("header", HEADERS)
def test_wants_its_headers(header: str) -> None:
    headers = {name: value for name, value in HEADERS.items() if name != header}
    with pytest.raises(RefusedError, match=header):
        Anthropic().check(Request(0, 1, "POST", "/v1/messages", headers, b"", 0.0, body=body(user())))


def test_the_newest_version_has_no_sampling_parameters() -> None:
    judge(body(user(), temperature=1))
    with pytest.raises(RefusedError, match="temperature: Extra inputs"):
        judge(body(user(), temperature=1), version="2026-10-21")
