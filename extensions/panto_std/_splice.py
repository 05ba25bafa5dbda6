"""Write a model's new text into the place that was found, in the style that the file has there."""

import difflib
import re
from collections.abc import Sequence

from ._indent import Indent
from ._locate import How, Place

_COMPARED_LINES = 2000
_LINE_END = re.compile(r"\r?\n")


def replacement(text: str, place: Place, old: str, new: str, how: How) -> str:
    """What to put in that place of the text.

    Where ``old`` is there exactly it is ``new``, with the line ends of the place. Otherwise lines that ``old`` and
    ``new`` share stay as the file has them, and the others take its line ends and, if need be, its indentation.
    """
    line_end = _line_end(text, place)
    if how == "exactly":
        return re.sub(r"(?<!\r)\n", line_end, new) if line_end == "\r\n" else new
    olds, news = _LINE_END.split(old), _LINE_END.split(new)
    theirs = text[place.start : place.end].split("\n")
    indent = Indent(zip(olds, theirs, strict=True)) if how == "indented" else None
    lines: list[tuple[str, str]] = []
    for tag, a, b, c, d in _opcodes(olds, news):
        if tag == "equal":
            lines += (_ended(theirs, index, line_end) for index in range(a, b))
        else:
            # each new line ends as the one it stands for, or as the one before it
            models = (min(a + offset, b - 1) if b > a else a - 1 for offset in range(d - c))
            ends = (_ended(theirs, model, line_end)[1] if model >= 0 else line_end for model in models)
            lines += zip((line if indent is None else indent.of(line) for line in news[c:d]), ends, strict=True)
    return "".join(body + end for body, end in lines[:-1]) + lines[-1][0]


def _ended(theirs: list[str], index: int, line_end: str) -> tuple[str, str]:
    """A line of the file, and how it ends; the last one's end is not part of the place."""
    line = theirs[index]
    if index == len(theirs) - 1:
        return line, line_end
    return (line[:-1], "\r\n") if line.endswith("\r") else (line, "\n")


def _opcodes(olds: list[str], news: list[str]) -> Sequence[tuple[str, int, int, int, int]]:
    if len(olds) + len(news) > _COMPARED_LINES:
        return [("replace", 0, len(olds), 0, len(news))]
    return difflib.SequenceMatcher(None, olds, news).get_opcodes()


def _line_end(text: str, place: Place) -> str:
    """How most lines in a place end; if none ends there, how the line goes on to end, or the one before."""
    inside = _LINE_END.findall(text, place.start, place.end)
    if inside:
        return "\r\n" if 2 * inside.count("\r\n") > len(inside) else "\n"
    behind = _LINE_END.search(text, place.end)
    if behind is not None:
        return behind.group()
    return "\r\n" if text[: place.start].rpartition("\n")[0].endswith("\r") else "\n"
