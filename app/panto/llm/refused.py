"""What of a request a server's error names, found again in the conversation: an image, thinking, an output, a tool.

Servers name a place in the body that they were sent (``messages.3.content.1.image.source``). Bodies differ between
formats, and their beginnings may come from memory; so the place is looked up in the body itself, and what stands there
is known by its content.
"""

import base64
import re
from collections.abc import Iterable, Iterator

import msgspec

from panto.json_values import JSONObject, is_array, is_object, object_at, text_at
from panto.llm.names import tool_names
from panto.llm.types import Refusable, Refused, Request
from panto.messages import Assistant, Image, Thinking, Tool, ToolOutput, images_of

_TOOL_NAMES = (("name",), ("function", "name"), ("toolSpec", "name"))
"""Where formats have a tool's name."""
_TELLING = 16
"""Characters from which on a string of opaque data is like no other."""


def refused_in(item: str, body: bytes, request: Request) -> Refused:
    """What of the request stands at the place that a server names in the body; nothing if that can't be told."""
    steps = re.findall(r"\w+", item)
    sent: object = msgspec.json.decode(body)
    if not steps or not is_object(sent):
        return Refused()
    within = _within(_root(sent, steps[0]), steps)
    if _plain(steps[0]) == "tools":
        return Refused(tools=tuple(_tools(within, request)))
    for value in within:
        found = _parts(value, request)
        if found:
            return Refused(parts=found)
    return Refused()


def _root(body: JSONObject, step: str) -> JSONObject:
    """The object that has the first step: the body, or what a format wraps its tools in."""
    inner = [value for value in body.values() if is_object(value)]
    return next((value for value in (body, *inner) if _key(value, step) is not None), body)


def _within(value: object, steps: Iterable[str]) -> list[object]:
    """What stands at the steps, from the innermost outwards, up to the item of the outermost list.

    A step that does not exist is left out: some servers name the kind of a thing as well.
    """
    found: list[object] = []
    in_list = False
    for step in steps:
        key = _key(value, step)
        if key is not None:
            value = object_at(value)[key]
        elif is_array(value) and step.isdecimal() and int(step) < len(value):
            value = value[int(step)]
            in_list = True
        else:
            continue
        if in_list:
            found.insert(0, value)
    return found


def _key(value: object, step: str) -> str | None:
    """The key that a step means: Google's server names what it was sent as ``inlineData`` ``inline_data``."""
    if not is_object(value):
        return None
    return next((key for key in value if _plain(key) == _plain(step)), None)


def _plain(name: str) -> str:
    return name.replace("_", "").casefold()


def _tools(within: Iterable[object], request: Request) -> Iterator[str]:
    """The tool that the first of these defines that defines one."""
    names = tool_names(tuple(tool.name for tool in request.tools))
    for value in within:
        wire = next(filter(None, (text_at(value, *path) for path in _TOOL_NAMES)), "")
        if wire in names.wire_names:
            yield names.to_tool(wire)
            return


def _parts(value: object, request: Request) -> tuple[Refusable, ...]:
    """The parts of the conversation that stand in a value, of the kind most likely to be refused."""
    strings = set(_strings(value))
    ends = {string.rpartition(",")[2] for string in strings}  # an image may be the end of a data: address
    lengths = set(map(len, ends))
    images = [
        image
        for message in request.messages
        for image in images_of(message)
        if _encoded_length(image) in lengths and base64.b64encode(image.data).decode() in ends
    ]
    return _distinct(images) or _distinct(_thoughts(request, strings)) or _distinct(_outputs(request, strings))


def _encoded_length(image: Image) -> int:
    return (len(image.data) + 2) // 3 * 4


def _thoughts(request: Request, strings: set[str]) -> Iterator[Thinking]:
    for message in request.messages:
        if isinstance(message, Assistant):
            for part in message.parts:
                if isinstance(part, Thinking) and any(
                    len(string) >= _TELLING and string in strings for string in _strings(part.opaque)
                ):
                    yield part


def _outputs(request: Request, strings: set[str]) -> Iterator[ToolOutput]:
    for message in request.messages:
        if isinstance(message, Tool):
            yield from (output for output in message.parts if output.text.strip() and output.text in strings)


def _strings(value: object) -> Iterator[str]:
    """All strings in a JSON value, keys aside."""
    waiting = [value]
    while waiting:
        value = waiting.pop()
        if isinstance(value, str):
            yield value
        elif is_object(value):
            waiting += value.values()
        elif is_array(value):
            waiting += value


def _distinct(parts: Iterable[Refusable]) -> tuple[Refusable, ...]:
    found: list[Refusable] = []
    for part in parts:
        if part not in found:
            found.append(part)
    return tuple(found)
