"""File name patterns as models write them: ``*``, ``?``, ``[ab]``, ``**`` for any directories, ``{a,b}``."""

import re
from collections.abc import Callable

from panto import ToolError

_MAGIC = re.compile(r"[*?\[{]")
_BRACES = re.compile(r"\{([^{}]*,[^{}]*)\}")
_PIECES = re.compile(r"\*\*/|\*\*|\*|\?|\[(!?)(\]?[^]]*)\]|\\(.)|.", re.DOTALL)
_MEANINGS = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}
_ALTERNATIVES = 200


def matcher(pattern: str) -> Callable[[str], bool]:
    """Whether a file's relative path, with ``/`` between its parts, is meant by a pattern.

    A pattern without ``/`` means files of that name in any directory; one with ``/`` is the whole path from where the
    search starts. ``!`` in front means all other files. Raises `ToolError` for a pattern that has no meaning.
    """
    wanted = not pattern.startswith("!")
    alternatives = "|".join(_expression(each) for each in expanded(pattern.removeprefix("!")))
    try:
        expression = re.compile(alternatives, re.DOTALL)
    except re.error as error:
        raise ToolError(f"{pattern!r} is no file name pattern: {error}") from None
    return lambda path: (expression.fullmatch(path) is not None) == wanted


def expanded(pattern: str) -> list[str]:
    """The patterns that ``{a,b}`` stands for. Raises `ToolError` if there are too many."""
    done: list[str] = []
    waiting = [pattern]
    while waiting:
        current = waiting.pop(0)
        braces = _BRACES.search(current)
        if braces is None:
            done.append(current)
        else:
            waiting += (
                current[: braces.start()] + part + current[braces.end() :] for part in braces.group(1).split(",")
            )
        if len(done) + len(waiting) > _ALTERNATIVES:
            raise ToolError(f"{pattern!r} stands for more than {_ALTERNATIVES} patterns; use * instead")
    return done


def split_base(pattern: str) -> tuple[str, str]:
    """Part a pattern into a directory to start from and the rest, if it leaves the place where it starts.

    Only patterns that are absolute or climb (``..``, ``~``) have such a directory; for others it is empty.
    """
    parts = pattern.split("/")
    if not (pattern.startswith(("/", "~")) or ".." in parts):
        return "", pattern
    plain = next((index for index, part in enumerate(parts) if _MAGIC.search(part)), len(parts) - 1)
    return "/".join(parts[:plain]) or "/", "/".join(parts[plain:])


def _expression(pattern: str) -> str:
    anywhere = "" if "/" in pattern else "(?:.*/)?"
    path = pattern.removeprefix("./").removeprefix("/")
    return anywhere + "".join(map(_meaning, _PIECES.finditer(path)))


def _meaning(piece: re.Match[str]) -> str:
    text = piece.group()
    negated, members, escaped = piece.groups()
    if members is not None:
        return f"[{'^/' if negated else ''}{_members(members)}]"
    return _MEANINGS.get(text) or re.escape(escaped or text)


def _members(members: str) -> str:
    """A set's members: all as they are, but for ranges."""
    return re.sub(r"[\\\]\[^&~|]", r"\\\g<0>", members)
