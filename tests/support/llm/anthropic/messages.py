"""What the messages API takes as a conversation: roles, pairs of call and result, where thinking may stand."""

from typing import NamedTuple

from tests.support.llm.anthropic.blocks import ROLES, check_block, check_images
from tests.support.llm.anthropic.signatures import is_bound_to, prefixes, was_asked_for
from tests.support.llm.checks import JSONObject, RefusedError, is_array, is_object, objects, value_at

THINKING = ("thinking", "redacted_thinking")


class Turn(NamedTuple):
    """Messages of one role in a row, which the API takes as one. `position`: where the first of them is."""

    position: int
    role: str
    blocks: list[JSONObject]

    def of(self, kind: str) -> list[JSONObject]:
        """The blocks of a type."""
        return [block for block in self.blocks if block["type"] == kind]


def check_messages(body: JSONObject, *, prefill: bool, preserved_thinking: bool) -> None:
    """Raise `RefusedError` for the first thing in the conversation that the API would not take.

    `prefill`: take a conversation that ends with the assistant, as older models do. `preserved_thinking`: refuse
    thinking that stands behind anything else than it was made behind, as newer models do.
    """
    messages = body["messages"]
    if not is_array(messages) or not messages:
        raise RefusedError("messages: at least one message is required")
    for position, message in enumerate(messages):
        _check_message(message, f"messages.{position}")
    turns = turns_of(body)
    if turns[0].role != "user":
        raise RefusedError('messages: first message must use the "user" role')
    _check_pairs(turns)
    _check_end(turns[-1], prefill=prefill)
    _check_thinking(turns, str(value_at(body, "thinking", "type") or "disabled"))
    if preserved_thinking:
        _check_prefixes(body, turns)
    check_images(body)


def _check_message(message: object, path: str) -> None:
    if not is_object(message):
        raise RefusedError(f"{path}: Input should be an object")
    role, content = message.get("role"), message.get("content")
    if not isinstance(role, str) or role not in ROLES:
        raise RefusedError(f"{path}.role: Input should be 'user', 'assistant' or 'system'")
    for name in message:
        if name not in ("role", "content"):
            raise RefusedError(f"{path}.{name}: Extra inputs are not permitted")
    if "content" not in message:
        raise RefusedError(f"{path}.content: Field required")
    if not isinstance(content, str) and not is_array(content):
        raise RefusedError(f"{path}.content: Input should be a valid string or list")
    if not content:
        message_text = "all messages must have non-empty content except for the optional final assistant message"
        raise RefusedError(f"{path}: {message_text}")
    blocks = content if is_array(content) else [{"type": "text", "text": content}]
    for position, block in enumerate(blocks):
        check_block(block, ROLES[role], f"{path}.content.{position}")


def _blocks(content: object) -> list[JSONObject]:
    return [{"type": "text", "text": content}] if isinstance(content, str) else objects(content)


def turns_of(body: JSONObject) -> list[Turn]:
    """The conversation in turns. Must bear any body."""
    turns: list[Turn] = []
    for position, message in enumerate(objects(body.get("messages"))):
        blocks = _blocks(message.get("content"))
        if turns and turns[-1].role == message.get("role"):
            turns[-1].blocks.extend(blocks)
        else:
            turns.append(Turn(position, str(message.get("role")), blocks))
    return turns


def _check_pairs(turns: list[Turn]) -> None:
    """Each call has exactly one result, at the head of the user turn right behind it."""
    used: set[object] = set()
    calls: list[object] = []
    place = 0
    for turn in turns:
        if turn.role != "assistant":
            _check_results(turn, calls, place)
            calls = []
            continue
        calls, place = [block["id"] for block in turn.of("tool_use")], turn.position
        for call in calls:
            if call in used:
                raise RefusedError(f"messages.{turn.position}.content: `tool_use` ids must be unique: {call}")
            used.add(call)
    if calls:
        raise _unanswered(place, calls)


def _check_results(turn: Turn, calls: list[object], place: int) -> None:
    """`calls`: the ids that wait for a result, from the message at `place`."""
    results = [block["tool_use_id"] for block in turn.of("tool_result")]
    for position, result in enumerate(results):
        where = f"messages.{turn.position}.content.{position}"
        if result not in calls:
            raise RefusedError(
                f"{where}: unexpected `tool_use_id` found in `tool_result` blocks: {result}. Each `tool_result` block "
                "must have a corresponding `tool_use` block in the previous message."
            )
        if result in results[:position]:
            raise RefusedError(f"{where}: each tool_use must have a single result. Found multiple for id: {result}")
    head = [block["tool_use_id"] for block in turn.blocks[: len(calls)] if block["type"] == "tool_result"]
    if missing := [call for call in calls if call not in head]:
        raise _unanswered(place, missing)


def _unanswered(position: int, calls: list[object]) -> RefusedError:
    return RefusedError(
        f"messages.{position}: `tool_use` ids were found without `tool_result` blocks immediately after: "
        f"{', '.join(map(str, calls))}. Each `tool_use` block must have a corresponding `tool_result` block in the "
        "next message."
    )


def _check_end(last: Turn, *, prefill: bool) -> None:
    if last.role != "assistant":
        return
    if not prefill:
        raise RefusedError(
            "This model does not support assistant message prefill. The conversation must end with a user message."
        )
    text = str(last.blocks[-1].get("text", ""))
    if text != text.rstrip():
        raise RefusedError("messages: final assistant content cannot end with trailing whitespace")


def _check_thinking(turns: list[Turn], mode: str) -> None:
    for turn in turns:
        if turn.role == "assistant" and turn.blocks[-1]["type"] in THINKING:
            kind = turn.blocks[-1]["type"]
            raise RefusedError(f"messages.{turn.position}: The final block in an assistant message cannot be `{kind}`.")
    if len(turns) < 3 or turns[-1].role != "user" or not turns[-1].of("tool_result"):
        return
    loop = turns[-2]  # the answer whose tool results are being sent: the one the model goes on with
    where = f"messages.{loop.position}.content.0"
    first = loop.blocks[0]["type"]
    if mode == "enabled" and first not in THINKING:
        raise RefusedError(
            f"{where}.type: Expected `thinking` or `redacted_thinking`, but found `{first}`. When `thinking` is "
            "enabled, a final `assistant` message must start with a thinking block (preceeding the lastmost set of "
            "`tool_use` and `tool_result` blocks)."
        )
    if mode == "disabled" and any(was_asked_for(block) for block in loop.blocks):
        raise RefusedError(
            f"{where}: When thinking is disabled, an `assistant` message in the final position cannot contain "
            "`thinking`. To use thinking blocks, enable `thinking` in your request."
        )


def prefix_of_answer(body: JSONObject) -> bytes:
    """A digest of all that an answer to this request stands behind."""
    blocks = [(turn.role, block) for turn in turns_of(body) for block in turn.blocks]
    *_, last = prefixes(body, blocks)
    return last


def _check_prefixes(body: JSONObject, turns: list[Turn]) -> None:
    """Thinking that was asked for stands behind just what it was made behind: system, tools, all earlier blocks."""
    places = [(turn, position, block) for turn in turns for position, block in enumerate(turn.blocks)]
    before = prefixes(body, [(turn.role, block) for turn, _, block in places])
    for (turn, position, block), prefix in zip(places, before, strict=False):
        if block["type"] != "thinking" or not was_asked_for(block) or is_bound_to(str(block["signature"]), prefix):
            continue
        raise RefusedError(
            f"messages.{turn.position}.content.{position}: Invalid `signature` in `thinking` block. The block is bound "
            "to a different conversation."
        )
