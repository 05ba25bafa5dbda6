"""What the messages API takes as content blocks, one by one."""

import re
from collections.abc import Callable

from tests.support.llm.anthropic.signatures import is_sealed, is_signed
from tests.support.llm.checks import JSONObject, RefusedError, is_array, is_object, objects, value_at
from tests.support.llm.images import MEDIA_TYPES, picture_of

ID = re.compile(r"[a-zA-Z0-9_-]+")
TOOL_NAME = re.compile(r"[a-zA-Z0-9_-]{1,200}")
IMAGE_LIMIT = 5 * 1024 * 1024
SIDE_LIMIT = 8000
MANY_IMAGES = 20
MANY_IMAGES_SIDE_LIMIT = 2000
IMAGES = 100

FIELDS = {
    "text": {"type", "text", "cache_control", "citations"},
    "image": {"type", "source", "cache_control"},
    "document": {"type", "source", "title", "context", "citations", "cache_control"},
    "tool_use": {"type", "id", "name", "input", "cache_control"},
    "tool_result": {"type", "tool_use_id", "content", "is_error", "cache_control"},
    "thinking": {"type", "thinking", "signature"},
    "redacted_thinking": {"type", "data"},
}

ROLES = {
    "user": {"text", "image", "document", "tool_result"},
    "assistant": {"text", "tool_use", "thinking", "redacted_thinking"},
    "system": {"text"},
}


def check_block(block: object, allowed: set[str], path: str) -> None:
    """Raise `RefusedError` for a block that is not one of these types, or not as its type must be."""
    if not is_object(block):
        raise RefusedError(f"{path}: Input should be an object")
    kind = block.get("type")
    if not isinstance(kind, str) or kind not in allowed:
        raise RefusedError(f"{path}: Input tag {kind!r} found using 'type' does not match any of: {sorted(allowed)}")
    path = f"{path}.{kind}"
    for name in block:
        if name not in FIELDS[kind]:
            raise RefusedError(f"{path}.{name}: Extra inputs are not permitted")
    _CHECKS[kind](block, path)


def check_images(body: JSONObject) -> None:
    """Raise `RefusedError` for too many images, or sides too long for as many."""
    sources: list[tuple[str, object]] = []
    for number, message in enumerate(objects(body.get("messages"))):
        for position, block in enumerate(objects(message.get("content"))):
            path = f"messages.{number}.content.{position}"
            sources.append((path, block))
            inner = enumerate(objects(block.get("content")))
            sources += [(f"{path}.tool_result.content.{place}", nested) for place, nested in inner]
    pictures = [(path, value_at(block, "source", "data")) for path, block in sources if _is_image(block)]
    if len(pictures) > IMAGES:
        raise RefusedError(f"messages: too many images: {len(pictures)} > {IMAGES}")
    many = len(pictures) > MANY_IMAGES
    limit = MANY_IMAGES_SIDE_LIMIT if many else SIDE_LIMIT
    for path, data in pictures:
        picture = picture_of(data) if isinstance(data, str) else None
        if picture is not None and max(picture.width, picture.height) > limit:
            crowd = " for many-image requests" if many else ""
            raise RefusedError(
                f"{path}.image.source.base64.data: At least one of the image dimensions exceed max allowed size"
                f"{crowd}: {limit} pixels"
            )


def _is_image(block: object) -> bool:
    return value_at(block, "type") == "image"


def _check_text(block: JSONObject, path: str) -> None:
    text = block.get("text")
    if not isinstance(text, str):
        raise RefusedError(f"{path}.text: Field required")
    if not text:
        if block.get("cache_control"):
            raise RefusedError(f"{path}: cache_control cannot be set for empty text blocks")
        raise RefusedError("messages: text content blocks must be non-empty")
    if not text.strip():
        raise RefusedError("messages: text content blocks must contain non-whitespace text")


def _check_image(block: JSONObject, path: str) -> None:
    source = block.get("source")
    kind = value_at(source, "type")
    if kind == "url" and str(value_at(source, "url")).startswith(("https://", "http://")):
        return
    if kind != "base64":
        raise RefusedError(f"{path}.source: Input tag {kind!r} found using 'type' does not match 'base64' or 'url'")
    media_type, data = value_at(source, "media_type"), value_at(source, "data")
    if media_type not in MEDIA_TYPES:
        raise RefusedError(f"{path}.source.base64.media_type: Input should be one of {MEDIA_TYPES}")
    if not isinstance(data, str) or not data:
        raise RefusedError(f"{path}.source.base64.data: Field required")
    if len(data) > IMAGE_LIMIT:
        message = f"image exceeds 5 MB maximum: {len(data)} bytes > {IMAGE_LIMIT} bytes"
        raise RefusedError(f"{path}.source.base64: {message}")
    picture = picture_of(data)
    if picture is None:
        raise RefusedError(f"{path}.source.base64.data: Could not process image")
    if picture.media_type != media_type:
        message = (
            f"specified using the {media_type} media type, but the image appears to be a {picture.media_type} image"
        )
        raise RefusedError(f"{path}.source.base64: The image was {message}")


def _check_document(block: JSONObject, path: str) -> None:
    if value_at(block, "source", "type") not in ("base64", "text", "url", "content", "file"):
        raise RefusedError(f"{path}.source: Field required")


def _check_tool_use(block: JSONObject, path: str) -> None:
    _check_id(block.get("id"), f"{path}.id")
    name = block.get("name")
    if not isinstance(name, str) or not TOOL_NAME.fullmatch(name):
        raise RefusedError(f"{path}.name: String should match pattern '^[a-zA-Z0-9_-]{{1,200}}$'")
    if not is_object(block.get("input")):
        raise RefusedError(f"{path}.input: Input should be a valid dictionary")


def _check_tool_result(block: JSONObject, path: str) -> None:
    _check_id(block.get("tool_use_id"), f"{path}.tool_use_id")
    failed = block.get("is_error", False)
    if not isinstance(failed, bool):
        raise RefusedError(f"{path}.is_error: Input should be a valid boolean")
    content = block.get("content")
    if not content and failed:
        raise RefusedError(f"{path}: content cannot be empty if `is_error` is true")
    if content is None or isinstance(content, str):
        return
    if not is_array(content):
        raise RefusedError(f"{path}.content: Input should be a valid string or list")
    for position, inner in enumerate(content):
        check_block(inner, {"text", "image", "document"}, f"{path}.content.{position}")
        if failed and value_at(inner, "type") != "text":
            raise RefusedError(f"{path}: all content must be type `text` if `is_error` is true")


def _check_thinking(block: JSONObject, path: str) -> None:
    thinking, signature = block.get("thinking"), block.get("signature")
    if not isinstance(thinking, str):
        raise RefusedError(f"{path}.thinking: Field required")
    if not isinstance(signature, str):
        raise RefusedError(f"{path}.signature: Field required")
    if not is_signed(thinking, signature):
        raise RefusedError(f"{path.removesuffix('.thinking')}: Invalid `signature` in `thinking` block")


def _check_redacted(block: JSONObject, path: str) -> None:
    data = block.get("data")
    if not isinstance(data, str):
        raise RefusedError(f"{path}.data: Field required")
    if not is_sealed(data):
        raise RefusedError(f"{path.removesuffix('.redacted_thinking')}: Invalid `data` in `redacted_thinking` block")


def _check_id(identifier: object, path: str) -> None:
    if not isinstance(identifier, str) or not ID.fullmatch(identifier):
        raise RefusedError(f"{path}: String should match pattern '^[a-zA-Z0-9_-]+$'")


_CHECKS: dict[str, Callable[[JSONObject, str], None]] = {
    "text": _check_text,
    "image": _check_image,
    "document": _check_document,
    "tool_use": _check_tool_use,
    "tool_result": _check_tool_result,
    "thinking": _check_thinking,
    "redacted_thinking": _check_redacted,
}
