"""How ``gemini`` has a conversation: contents of user and model, made of parts."""

import base64
from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby

from panto.json_values import JSONObject
from panto.llm.formats.gemini.signatures import KIND, SIGNATURE, UNCHECKED, pieces_of, signed_call
from panto.llm.names import ToolNames
from panto.messages import Assistant, Image, Message, System, Text, Thinking, Tool, ToolCall, ToolOutput, User

_PREFIX = "_"


def contents_of(
    messages: Iterable[Message], names: ToolNames, model: str, *, signatures_wanted: bool
) -> list[JSONObject]:
    """The contents for ``model`` (``provider/model``), user and model taking turns.

    Results of tools, and what the user says after them, are one content. ``signatures_wanted``: the model refuses
    calls that are not signed.
    """
    contents: list[JSONObject] = []
    called: dict[str, str] = {}
    for of_model, group in groupby(messages, lambda message: isinstance(message, Assistant)):
        parts: list[JSONObject] = []
        for message in group:
            if isinstance(message, Assistant):
                called.update((call.id, wire_name(names, call.name)) for call in message.calls)
                parts += _said(message, names, own=message.model == model, wanted=signatures_wanted)
            else:
                parts += _told(message, called)
        contents.append({"role": "model" if of_model else "user", "parts": parts})
    return contents


def wire_name(names: ToolNames, tool: str) -> str:
    """A tool's name as the API takes it: with a letter or an underscore in front."""
    name = names.to_wire(tool)
    return name if _may_begin(name) else _PREFIX + name


def answered_name(name: str) -> str:
    """The name as `ToolNames` knows it, of what the model wrote."""
    bare = name.removeprefix(_PREFIX)
    return name if _may_begin(bare) else bare


def _may_begin(name: str) -> bool:
    return name[:1].isalpha() or name.startswith(_PREFIX)


def _told(message: Message, called: Mapping[str, str]) -> list[JSONObject]:
    """The parts of what is not the model's."""
    match message:
        case System(text):
            return [{"text": text}]
        case User(parts):
            return [_visible(part) for part in parts]
        case Tool(parts):
            return [_result(output, called) for output in parts]
        case Assistant():
            return []


def _visible(part: Text | Image) -> JSONObject:
    return {"text": part.text} if isinstance(part, Text) else _data(part)


def _data(image: Image) -> JSONObject:
    return {"inlineData": {"mimeType": image.media_type, "data": base64.b64encode(image.data).decode("ascii")}}


def _result(output: ToolOutput, called: Mapping[str, str]) -> JSONObject:
    wire: JSONObject = {
        "id": output.call_id,
        "name": called[output.call_id],
        "response": {"error" if output.is_error else "output": output.text},
    }
    if output.images:
        wire["parts"] = [_data(image) for image in output.images]
    return {"functionResponse": wire}


def _said(message: Assistant, names: ToolNames, *, own: bool, wanted: bool) -> Iterator[JSONObject]:
    """The parts of an answer. ``own``: of the model that is asked, so that its signatures go back.

    Only the first call of an answer is ever signed, and has to be.
    """
    signed: JSONObject = {}
    first = True
    for part in message.parts:
        if not isinstance(part, Text):
            yield from pieces_of("", signed, {})  # an empty text that was signed
            signed = {} if not isinstance(part, Thinking) or part.opaque.get(KIND) == "thought" else part.opaque
        match part:
            case Text(text):
                yield from pieces_of(text, signed, {})
                signed = {}
            case Thinking(text, opaque) if opaque.get(KIND) == "thought":
                yield from pieces_of(text, opaque, {"thought": True})
            case Thinking():
                pass
            case ToolCall(id_, name, arguments):
                opaque = part.opaque if own else {}
                if first and wanted and SIGNATURE not in opaque:
                    opaque = {**opaque, SIGNATURE: UNCHECKED}
                first = False
                call = {"id": id_, "name": wire_name(names, name), "args": arguments}
                yield from signed_call({"functionCall": call}, opaque)
    yield from pieces_of("", signed, {})
