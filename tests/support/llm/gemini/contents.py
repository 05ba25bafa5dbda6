"""What the Gemini API takes as contents: parts, turns, signatures."""

from collections.abc import Callable

from tests.support.llm.checks import JSONObject, is_array, is_object, objects, value_at
from tests.support.llm.gemini.models import checks_signatures
from tests.support.llm.gemini.refusals import check_known, check_name, refused
from tests.support.llm.gemini.signatures import is_signed
from tests.support.llm.images import picture_of

DATA = {"text", "inlineData", "functionCall", "functionResponse"}
ROLES = {"user": {"text", "inlineData", "functionResponse"}, "model": {"text", "inlineData", "functionCall"}}
IMAGE_TYPES = ("image/png", "image/jpeg", "image/webp", "image/heic", "image/heif")


def check_contents(contents: object, model: str) -> None:
    """Raise `RefusedError` for contents that the API would not take from this model."""
    if not is_array(contents) or not contents:
        raise refused("* GenerateContentRequest.contents: contents is not specified")
    for place, content in enumerate(contents):
        _check_content(content, f"contents[{place}]", model)
    turns = objects(contents)
    if turns[0]["role"] != "user":
        raise refused("Please ensure that multiturn requests start with a user role.")
    if turns[-1]["role"] != "user":
        raise refused("Please ensure that multiturn requests end with a user role or a function response.")
    _check_turns(turns)
    if checks_signatures(model):
        _check_signatures(turns)


def has(content: JSONObject, field: str) -> bool:
    """Whether there is a part of this kind."""
    return any(field in part for part in objects(content.get("parts")))


def _check_content(content: object, path: str, model: str) -> None:
    if not is_object(content):
        raise refused(f"Invalid value at '{path}'")
    check_known(content, ("role", "parts"), path)
    role = content.get("role")
    if not isinstance(role, str) or role not in ROLES:
        raise refused("Please use a valid role: user, model.")
    parts = content.get("parts")
    if not is_array(parts) or not parts:
        raise refused(f"* GenerateContentRequest.{path}.parts: must include at least one parts field")
    for place, part in enumerate(parts):
        _check_part(part, role, f"{path}.parts[{place}]", model)


def _check_part(part: object, role: str, path: str, model: str) -> None:
    if not is_object(part):
        raise refused(f"Invalid value at '{path}'")
    check_known(part, {*DATA, "thought", "thoughtSignature"}, path)
    data = [field for field in part if field in DATA]
    if len(data) != 1:
        raise refused(f"* {path}.data: required oneof field 'data' must have one initialized field")
    if data[0] not in ROLES[role]:
        raise refused(f"{path}: a part of the role {role} may not hold {data[0]}")
    if ("thought" in part or "thoughtSignature" in part) and role != "model":
        raise refused(f"{path}: only the model thinks")
    if "thoughtSignature" in part and not is_signed(part):
        raise refused(f"Corrupted thought signature at {path}.")
    if "text" in part and not (part["text"] or "thoughtSignature" in part):
        raise refused("Unable to submit request because it must have a text parameter.")
    _CHECKS[data[0]](part[data[0]], f"{path}.{data[0]}", model)


def _check_text(text: object, path: str, _model: str) -> None:
    if not isinstance(text, str):
        raise refused(f"Invalid value at '{path}' (TYPE_STRING)")


def _check_image(blob: object, path: str, _model: str) -> None:
    if not is_object(blob):
        raise refused(f"Invalid value at '{path}'")
    check_known(blob, ("mimeType", "data"), path)
    media_type, data = blob.get("mimeType"), blob.get("data")
    if media_type not in IMAGE_TYPES:
        raise refused(f"Unsupported MIME type: {media_type}")
    picture = picture_of(data) if isinstance(data, str) else None
    if picture is None or picture.media_type != media_type:
        raise refused("Unable to process input image. Please retry or report.")


def _check_call(call: object, path: str, _model: str) -> None:
    if not is_object(call):
        raise refused(f"Invalid value at '{path}'")
    check_known(call, ("id", "name", "args"), path)
    check_name(call.get("name"), f"{path}.name")
    if not is_object(call.get("args", {})):
        raise refused(f"Invalid value at '{path}.args' (type.googleapis.com/google.protobuf.Struct)")


def _check_response(response: object, path: str, model: str) -> None:
    if not is_object(response):
        raise refused(f"Invalid value at '{path}'")
    check_known(response, ("id", "name", "response", "parts"), path)
    check_name(response.get("name"), f"{path}.name")
    if not is_object(response.get("response")):
        raise refused(f"Invalid value at '{path}.response' (type.googleapis.com/google.protobuf.Struct)")
    if "parts" in response and not checks_signatures(model):
        raise refused("Multimodal function response is not supported for this model.")
    for place, part in enumerate(objects(response.get("parts"))):
        check_known(part, ("inlineData",), f"{path}.parts[{place}]")
        _check_image(part.get("inlineData"), f"{path}.parts[{place}].inlineData", model)


def _check_turns(turns: list[JSONObject]) -> None:
    """Calls stand behind a user's content, and are answered in the next, one by one and in order."""
    waiting: list[tuple[object, object]] = []
    for turn in turns:
        parts = objects(turn["parts"])
        answers = [value_at(part, "functionResponse") for part in parts if "functionResponse" in part]
        given = [(value_at(answer, "id"), value_at(answer, "name")) for answer in answers]
        if len(given) != len(waiting) and waiting:
            raise refused(
                "Please ensure that the number of function response parts is equal to the number of function call "
                "parts of the function call turn."
            )
        if given and not waiting:
            raise refused("Please ensure that function response turn comes immediately after a function call turn.")
        if given != waiting:
            raise refused(f"The function responses {given} do not answer the function calls {waiting}.")
        if not all("functionResponse" in part for part in parts[: len(given)]):
            raise refused("Please ensure that function response parts come before all others.")
        calls = [part["functionCall"] for part in parts if "functionCall" in part]
        waiting = [(value_at(call, "id"), value_at(call, "name")) for call in calls]


def _check_signatures(turns: list[JSONObject]) -> None:
    """The first call of each step of the present turn, which begins with the latest words of the user, is signed."""
    begin = max(place for place, turn in enumerate(turns) if turn["role"] == "user" and not _only_answers(turn))
    for turn in turns[begin:]:
        calls = [(place, part) for place, part in enumerate(objects(turn["parts"])) if "functionCall" in part]
        if calls and "thoughtSignature" not in calls[0][1]:
            place, part = calls[0]
            raise refused(
                "Function call is missing a thought_signature in functionCall parts. This is required for tools to "
                "work correctly, and missing thought_signature may lead to degraded model performance. Additional "
                f"data, function call `default_api:{value_at(part, 'functionCall', 'name')}` , position {place}."
            )


def _only_answers(turn: JSONObject) -> bool:
    return all("functionResponse" in part for part in objects(turn["parts"]))


_CHECKS: dict[str, Callable[[object, str, str], None]] = {
    "text": _check_text,
    "inlineData": _check_image,
    "functionCall": _check_call,
    "functionResponse": _check_response,
}
