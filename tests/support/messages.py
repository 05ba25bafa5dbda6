"""Any message that a conversation can hold, for hypothesis."""

from hypothesis import strategies as st

from panto.json_values import JSONObject
from panto.messages import (
    Assistant,
    Image,
    Message,
    StopReason,
    System,
    Text,
    Thinking,
    Tool,
    ToolCall,
    ToolOutput,
    Usage,
    User,
)

_STOPS: tuple[StopReason, ...] = ("end", "tool_calls", "length", "refused", "cancelled", "error", "unknown")

encodable = st.text(st.characters(exclude_categories=["Cs"]))
"""Text without half surrogates."""

_scalars = (
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | encodable
)


def _json() -> st.SearchStrategy[object]:
    def deeper(inner: st.SearchStrategy[object]) -> st.SearchStrategy[object]:
        return st.lists(inner, max_size=3) | st.dictionaries(encodable, inner, max_size=3)

    return st.recursive(_scalars, deeper, max_leaves=6)


def json_objects(keys: st.SearchStrategy[str] = encodable) -> st.SearchStrategy[JSONObject]:
    """Decoded JSON objects."""
    return st.dictionaries(keys, _json(), max_size=3)


_counts = st.none() | st.integers(0, 10**9)
_texts = st.builds(Text, encodable)
_images = st.builds(Image, media_type=encodable, data=st.binary(max_size=20))
_thinking = st.builds(Thinking, text=encodable, opaque=json_objects())
_calls = st.builds(
    ToolCall,
    id=encodable,
    name=encodable,
    arguments=json_objects(),
    opaque=json_objects(),
    problem=encodable,
    raw=encodable,
)
_outputs = st.builds(
    ToolOutput,
    call_id=encodable,
    name=encodable,
    text=encodable,
    images=st.lists(_images, max_size=2).map(tuple),
    is_error=st.booleans(),
    stopped=st.booleans(),
    shown=st.none() | encodable,
    notes=st.lists(encodable, max_size=2).map(tuple),
    summary=encodable,
    diff=encodable,
    seconds=st.floats(0, 1e6),
)
_usage = st.builds(
    Usage,
    input=_counts,
    output=_counts,
    cached=_counts,
    cache_written=_counts,
    reasoning=_counts,
    cost=st.none() | st.floats(0, 1e6),
)
_assistants = st.builds(
    Assistant,
    parts=st.lists(_texts | _thinking | _calls, max_size=3).map(tuple),
    model=encodable,
    stop=st.sampled_from(_STOPS),
    usage=_usage,
    error=encodable,
)

messages: st.SearchStrategy[Message] = (
    st.builds(System, text=encodable)
    | st.builds(User, parts=st.lists(_texts | _images, max_size=3).map(tuple))
    | _assistants
    | st.builds(Tool, parts=st.lists(_outputs, max_size=3).map(tuple))
)
"""Any message."""
