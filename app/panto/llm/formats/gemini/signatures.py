"""Signatures of thoughts: which part of an answer each came with, kept so that it goes back on that very part.

Any part may be signed: a call, a piece of text or of a thought, or an empty text, as streams end with. What is signed
of a text stands in a `panto.messages.Thinking` without words right before it; of a thought, and of a call, in its own
``opaque``.
"""

from collections.abc import Iterator

from panto.json_values import JSONObject, array_at, count_at, text_at

SIGNATURE = "thoughtSignature"
"""The field of a part, and the key of a call's own signature in ``opaque``."""
KIND = "part"
"""The key that says what is signed: ``thought``, or ``text`` for the text right behind."""
SIGNED = "signed"
"""The key of the signed pieces of a text: where each begins and ends, in characters, and its signature."""
BEHIND = "behind"
"""The key of signatures that came on empty texts right behind a call."""

UNCHECKED = "skip_thought_signature_validator"
"""What the API documents as the signature of calls that have none: those of other models."""


def pieces_of(text: str, opaque: JSONObject, of: JSONObject) -> Iterator[JSONObject]:
    """The parts that a text came as: pieces with a signature are apart. ``of`` are further fields of each."""
    place = 0
    for piece in array_at(opaque, SIGNED):
        start, end, signature = count_at(piece, 0), count_at(piece, 1), text_at(piece, 2)
        if start is None or end is None or not place <= start <= end or not signature:
            continue
        if text[place:start]:
            yield {"text": text[place:start], **of}
        yield {"text": text[start:end], **of, SIGNATURE: signature}
        place = end
    if text[place:]:
        yield {"text": text[place:], **of}


def signed_call(part: JSONObject, opaque: JSONObject) -> Iterator[JSONObject]:
    """A call's part with its signature, and the signed empty texts behind it."""
    signature = text_at(opaque, SIGNATURE)
    yield {**part, SIGNATURE: signature} if signature else part
    for behind in array_at(opaque, BEHIND):
        if isinstance(behind, str):
            yield {"text": "", SIGNATURE: behind}
