"""How little a model can be told to think, in the words of OpenAI's APIs, which are not the same for all models."""

NONE = "none"
_LEAST = (
    ("gpt-oss", "low"),
    ("o1-", "low"),
    ("o3-", "low"),
    ("o4-", "low"),
    ("gpt-5-codex", "low"),
    ("gpt-5.1-codex", "low"),
    ("gpt-5-chat", NONE),
    ("gpt-5-", "minimal"),
)
"""How names begin whose models refuse ``none``, and the least that they take; the first that fits."""


def least_effort(model: str) -> str:
    """The word for the least thinking.

    OpenAI documents ``none`` for ``gpt-5.1`` and all that came after it, and the other servers that have the parameter
    took that word over. The models before it refuse it: they can't but think, and are told to do so as little as they
    can. ``model`` may have a vendor in front (``openai/gpt-5``).
    """
    name = model.rpartition("/")[2]
    return next((word for start, word in _LEAST if f"{name}-".startswith(start)), NONE)
