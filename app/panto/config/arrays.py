"""Change the elements of an array in TOML text, and keep the comments and the layout in it."""

import re
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher

from panto.config.lines import STRING

_WIDTH = 100
_INDENT = "    "
_PART = re.compile(
    rf"(?P<comment>#[^\n]*)|(?P<newline>\n)|(?P<skip>[ \t\r,]+)|(?P<raw>{STRING.pattern}|[^,#\n]*[^,#\s])", re.DOTALL
)


@dataclass
class _Element:
    """An element as it is written, with the comments on lines of their own above it and the one beside it."""

    raw: str
    above: list[str] = field(default_factory=list[str])
    beside: str = ""

    @property
    def value(self) -> str:
        """The element's type and value, to compare."""
        return repr(tomllib.loads(f"k = {self.raw}")["k"])

    def lines(self) -> list[str]:
        beside = f"  {self.beside}" if self.beside else ""
        return [*self.above, f"{self.raw},{beside}"]

    def remains(self) -> list[str]:
        """What stays when the element goes. A comment beside it goes on, with the element as part of it."""
        return [*self.above, *([f"# {self.raw},  {self.beside}"] if self.beside else [])]


def with_elements(array: str, elements: Sequence[str]) -> str:
    """The text of an array of scalars with these elements, each of which is written as TOML.

    An element that stays keeps its comments. One that goes is commented out if there is a comment beside it.
    """
    old, tail = _parts(array[1:-1])
    new = [_Element(raw) for raw in elements]
    one_line = "[" + ", ".join(elements) + "]"
    if "\n" not in array and len(one_line) <= _WIDTH:
        return one_line
    indent = re.search(r"\n([ \t]*)[^\s\]]", array)
    end = re.search(r"\n([ \t]*)\]\Z", array)
    lines = [f"{indent[1] if indent else _INDENT}{line}\n" for line in (*_merged(old, new), *tail)]
    return "[\n" + "".join(lines) + (end[1] if end else "") + "]"


def _merged(old: list[_Element], new: list[_Element]) -> Iterator[str]:
    """The lines of the new elements, with what the old ones leave where they stood."""
    steps = SequenceMatcher(None, [item.value for item in old], [item.value for item in new], autojunk=False)
    for step, old_start, old_end, new_start, new_end in steps.get_opcodes():
        kept = step == "equal"
        for item in old[old_start:old_end]:
            yield from item.lines() if kept else item.remains()
        for item in [] if kept else new[new_start:new_end]:
            yield from item.lines()


def _parts(inside: str) -> tuple[list[_Element], list[str]]:
    """An array's elements, and the comments behind the last of them."""
    elements: list[_Element] = []
    loose: list[str] = []
    beside: _Element | None = None
    for part in _PART.finditer(inside):
        text = part[0].rstrip("\r")
        if part.lastgroup == "newline":
            beside = None
        elif part.lastgroup == "raw":
            beside = _Element(text, above=loose)
            elements.append(beside)
            loose = []
        elif part.lastgroup == "comment" and beside is not None:
            beside.beside = text
        elif part.lastgroup == "comment":
            loose.append(text)
    return elements, loose
