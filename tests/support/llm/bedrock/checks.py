"""What the Converse API takes: what botocore's own model of it says, and the rules that the model can't say."""

import base64
import binascii
import re
from functools import cache
from itertools import pairwise

from botocore.loaders import Loader
from botocore.model import ServiceModel
from botocore.validate import ParamValidator

from tests.support.llm.checks import JSONObject, RefusedError, is_array, is_count, is_object, objects, value_at
from tests.support.llm.images import picture_of
from tests.support.llm.schema import schema_fault

NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
ID = re.compile(r"[a-zA-Z0-9_.:-]{1,64}")
CACHING = ("anthropic.claude", "amazon.nova")
CACHE_POINTS = 4
LEAST_BUDGET = 1024


@cache
def service() -> ServiceModel:
    """botocore's model of the service."""
    return ServiceModel(Loader().load_service_model("bedrock-runtime", "service-2"), "bedrock-runtime")


def check_body(model: str, body: JSONObject) -> None:
    """Raise `RefusedError` for what the API would not take, or the models behind it."""
    _check_shape(model, body)
    messages = objects(body.get("messages"))
    if not messages:
        raise RefusedError("A conversation must have at least one message.")
    for place, message in enumerate(messages):
        _check_message(message, place)
    _check_turns(messages)
    _check_pairs(messages)
    _check_tools(body, messages)
    _check_cache_points(model, body)
    _check_thinking(body, messages)


def _check_shape(model: str, body: JSONObject) -> None:
    shape = service().operation_model("ConverseStream").input_shape
    assert shape is not None
    report = ParamValidator().validate({**body, "modelId": model}, shape)
    if report.has_errors():
        raise RefusedError(report.generate_report())


def _check_message(message: JSONObject, place: int) -> None:
    path = f"messages.{place}.content"
    content = objects(message["content"])
    if not content or all("cachePoint" in block for block in content):
        raise RefusedError(f"The content field in the Message object at {path} is empty.")
    kinds = {
        "user": {"text", "image", "toolResult", "cachePoint"},
        "assistant": {"text", "toolUse", "reasoningContent"},
    }
    for block in content:
        (kind,) = block
        if kind not in kinds.get(str(message["role"]), ()):
            raise RefusedError(f"{path}: a {message['role']} message can't contain {kind}")
        if kind == "text" and not str(block["text"]).strip():
            raise RefusedError(f"The text field in the ContentBlock object at {path} is blank.")
        if kind == "image":
            _check_image(block["image"], path)
        if kind == "toolUse":
            _check_use(block["toolUse"], path)
        if kind == "toolResult":
            _check_result(block["toolResult"], path)


def _check_image(image: object, path: str) -> None:
    data = value_at(image, "source", "bytes")
    try:
        base64.b64decode(str(data), validate=True)
    except binascii.Error:
        raise RefusedError(f"{path}: the image's bytes are no base64") from None
    picture = picture_of(str(data))
    if picture is None or picture.media_type != f"image/{value_at(image, 'format')}":
        raise RefusedError("Could not process image")


def _check_use(use: object, path: str) -> None:
    if not ID.fullmatch(str(value_at(use, "toolUseId"))) or not NAME.fullmatch(str(value_at(use, "name"))):
        raise RefusedError(f"{path}: the id or the name of a toolUse failed to satisfy its pattern")
    if not is_object(value_at(use, "input")):
        raise RefusedError(f"The format of the value at {path}.toolUse.input is invalid. Provide a json object.")


def _check_result(result: object, path: str) -> None:
    content = objects(value_at(result, "content"))
    if not content:
        raise RefusedError(f"{path}: the content of a toolResult is empty")
    if value_at(result, "status") not in (None, "success", "error"):
        raise RefusedError(f"{path}: the status of a toolResult must satisfy enum value set: [success, error]")
    for block in content:
        if "text" in block and not str(block["text"]).strip():
            raise RefusedError(f"{path}: the text of a toolResult is blank")
        if "image" in block:
            _check_image(block["image"], path)


def _check_turns(messages: list[JSONObject]) -> None:
    roles = [message["role"] for message in messages]
    if roles[0] != "user":
        raise RefusedError("A conversation must start with a user message.")
    if any(one == other for one, other in pairwise(roles)):
        raise RefusedError("A conversation must alternate between user and assistant roles.")
    if roles[-1] != "user":
        raise RefusedError("The conversation must end with a user message.")


def _check_pairs(messages: list[JSONObject]) -> None:
    """Each use has its result in the very next message, and no result is without."""
    waiting: list[str] = []
    for place, message in enumerate(messages):
        content = objects(message["content"])
        results = [str(value_at(block, "toolResult", "toolUseId")) for block in content if "toolResult" in block]
        if sorted(results) != sorted(waiting):
            raise RefusedError(
                f"Expected toolResult blocks at messages.{place}.content for the following Ids: {', '.join(waiting)}"
            )
        waiting = [str(value_at(block, "toolUse", "toolUseId")) for block in content if "toolUse" in block]
        if len(set(waiting)) < len(waiting):
            raise RefusedError(f"messages.{place}.content contains duplicate Ids")


def _check_tools(body: JSONObject, messages: list[JSONObject]) -> None:
    tools = [tool for tool in objects(value_at(body, "toolConfig", "tools")) if "toolSpec" in tool]
    used = [block for message in messages for block in objects(message["content"])]
    if not tools and any("toolUse" in block or "toolResult" in block for block in used):
        raise RefusedError("The toolConfig field must be defined when using toolUse and toolResult content blocks.")
    if "toolConfig" in body and not tools:
        raise RefusedError("The toolConfig field has no tools.")
    names = [str(value_at(tool, "toolSpec", "name")) for tool in tools]
    if len(set(names)) < len(names) or not all(map(NAME.fullmatch, names)):
        raise RefusedError("The toolConfig field contains duplicate or illegal tool names.")
    for tool in tools:
        schema = value_at(tool, "toolSpec", "inputSchema", "json")
        fault = schema_fault(schema) or ("" if value_at(schema, "type") == "object" else "type must be object")
        if fault:
            raise RefusedError(f"The value at toolConfig.tools.toolSpec.inputSchema.json is invalid: {fault}")


def _check_cache_points(model: str, body: JSONObject) -> None:
    points = str(body).count("'cachePoint'")
    if points > CACHE_POINTS:
        raise RefusedError(f"A maximum of {CACHE_POINTS} blocks with cache_control may be provided. Found {points}.")
    if points and not any(family in model for family in CACHING):
        raise RefusedError("You invoked an unsupported model or your request did not allow prompt caching.")
    in_tools = any("cachePoint" in tool for tool in objects(value_at(body, "toolConfig", "tools")))
    if in_tools and "amazon.nova" in model:
        raise RefusedError("Malformed input request: #/toolConfig/tools: extraneous key [cachePoint] is not permitted")


def _check_thinking(body: JSONObject, messages: list[JSONObject]) -> None:
    thinking = value_at(body, "additionalModelRequestFields", "thinking")
    if value_at(thinking, "type") != "enabled":
        return
    budget, limit = value_at(thinking, "budget_tokens"), value_at(body, "inferenceConfig", "maxTokens")
    if not is_count(budget) or budget < LEAST_BUDGET or not is_count(limit) or limit <= budget:
        raise RefusedError("The value for maxTokens must be greater than the thinking budget, which must be >= 1024.")
    answers = [message for message in messages if message["role"] == "assistant"]
    last = answers[-1]["content"] if answers else None
    if (
        is_array(last)
        and any("toolUse" in block for block in objects(last))
        and "reasoningContent" not in objects(last)[0]
    ):
        raise RefusedError("Expected `thinking` or `redacted_thinking`, but found `tool_use`.")
