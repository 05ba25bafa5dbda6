"""Writes TOML in odd layouts, and notes on which line each key comes to stand: the oracle for the line finder."""

from collections.abc import Mapping
from random import Random
from typing import cast

from hypothesis import strategies as st

from panto.config.diagnostics import quoted
from panto.config.lines import KeyPath
from panto.config.source import TomlValue

_NAMES = ["a", "b", "mode", "deny", "1", "-", "a b", "", "x.y", 'q"q', "q'q", "#", "[a]", "= 1", "ключ", "\n", "\\"]
_TEXTS = [
    'a = 1\n[b]\n"',
    "'''",
    '"""',
    "# no comment",
    "\\",
    'ends in "',
    'ends in ""',
    "",
    "x, y] }",
    "\r\n",
    "é\u202e",
]
_COMMENTS = ["", "#", "# a = 1", '# """', "# ['''", "#\tend # more"]

names = st.sampled_from(_NAMES)
scalars = st.one_of(
    st.sampled_from(_TEXTS),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=8),
    st.integers(-(2**63), 2**63 - 1),
    st.floats(allow_nan=False),
    st.booleans(),
    st.datetimes().map(lambda moment: moment.replace(fold=0)),
    st.dates(),
    st.times().map(lambda time: time.replace(fold=0)),
)
values: st.SearchStrategy[TomlValue] = st.recursive(
    cast("st.SearchStrategy[TomlValue]", scalars),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(names, inner, max_size=3),
    max_leaves=12,
)
tables: st.SearchStrategy[dict[str, TomlValue]] = st.dictionaries(names, values, max_size=5)

layouts: st.SearchStrategy[Random] = st.integers(0, 2**32 - 1).map(Random)
"""Where a writer takes its choices from. Not `st.randoms`: hypothesis finds so many draws too large."""


class Writer:
    """One document. `text` is what was written so far, `lines` where each key, table and array element stands.

    `odd` allows tables in several pieces, in dotted keys and on one line; else each has its one header.
    """

    def __init__(self, random: Random, *, odd: bool = True) -> None:
        self.random = random
        self.odd = odd
        self.text = ""
        self.lines: dict[KeyPath, int] = {}
        self.comments = 0
        self.newline = random.choice(["\n", "\r\n"])

    def document(self, table: Mapping[str, TomlValue]) -> str:
        self.blank()
        self.table((), table, header="")
        if self.random.random() < 0.3:
            self.text = self.text.rstrip("\r\n")
        return self.text

    @property
    def line(self) -> int:
        return self.text.count("\n") + 1

    def note(self, path: KeyPath) -> None:
        """The first place where a name stands is its place ..."""
        self.lines.setdefault(path, self.line)

    def table(self, path: KeyPath, table: Mapping[str, TomlValue], header: str) -> None:
        """A table under its header (none for the top), and the tables below it that get headers of their own."""
        pairs: dict[str, TomlValue] = {}
        below: dict[str, TomlValue] = {}
        for key, value in table.items():
            gets_header = isinstance(value, dict) or _is_array_of_tables(value)
            (below if gets_header and (not self.odd or self.random.random() < 0.6) else pairs)[key] = value
        is_element = bool(path) and isinstance(path[-1], int)
        comes_last = self.odd and bool(path) and not is_element and bool(below) and self.random.random() < 0.3
        is_implied = bool(path) and not is_element and bool(below) and not pairs and self.random.random() < 0.5
        if not comes_last and not is_implied:
            self.body(path, pairs, header)
        for key, value in below.items():
            self.below(path, key, value)
        if comes_last and not is_implied:
            self.body(path, pairs, header)

    def below(self, path: KeyPath, key: str, value: TomlValue) -> None:
        keys = [*(step for step in path if isinstance(step, str)), key]
        space = self.random.choice(["", " "])
        name = space + f"{space}.{space}".join(map(self.key, keys)) + space
        if isinstance(value, dict):
            self.table((*path, key), value, f"[{name}]")
        elif isinstance(value, list):
            for position, element in enumerate(value):
                assert isinstance(element, dict)
                self.table((*path, key, position), element, f"[[{name}]]")

    def body(self, path: KeyPath, pairs: Mapping[str, TomlValue], header: str) -> None:
        if header:
            for length in range(1, len(path)):
                self.note(path[:length])
            self.lines[path] = self.line  # ... but a header of its own is a better one
            self.text += self.indent() + header
            self.end_line()
        for key, value in pairs.items():
            self.pair(path, "", key, value)

    def pair(self, path: KeyPath, prefix: str, key: str, value: TomlValue) -> None:
        """A pair on lines of its own; a table may be written as several, with dotted keys."""
        name = prefix + self.key(key)
        path = (*path, key)
        if isinstance(value, dict) and value and self.random.random() < 0.5:
            dot = self.random.choice([".", " . "])
            for inner, item in value.items():
                self.pair(path, name + dot, inner, item)
            return
        for length in range(1, len(path) + 1):
            self.note(path[:length])
        self.text += f"{self.indent()}{name}{self.equals()}"
        self.value(path, value)
        self.end_line()

    def value(self, path: KeyPath, value: TomlValue) -> None:
        if isinstance(value, dict):
            self.inline_table(path, value)
        elif isinstance(value, list):
            self.array(path, value)
        elif isinstance(value, str):
            self.text += self.string(value)
        elif isinstance(value, bool):
            self.text += str(value).lower()
        elif isinstance(value, int | float):
            self.text += str(value)
        else:
            self.text += value.isoformat()

    def array(self, path: KeyPath, elements: list[TomlValue]) -> None:
        self.text += "["
        for position, element in enumerate(elements):
            self.anywhere()
            self.note((*path, position))
            self.value((*path, position), element)
            self.anywhere()
            if position < len(elements) - 1 or self.random.random() < 0.3:
                self.text += ","
        self.anywhere()
        self.text += "]"

    def inline_table(self, path: KeyPath, table: Mapping[str, TomlValue]) -> None:
        self.text += "{ "
        for position, (key, value) in enumerate(table.items()):
            self.text += ", " if position else ""
            self.inline_pair((*path, key), self.key(key), value)
        self.text += " }"

    def inline_pair(self, path: KeyPath, name: str, value: TomlValue) -> None:
        self.note(path)
        if isinstance(value, dict) and len(value) == 1 and self.random.random() < 0.5:
            [(key, item)] = value.items()
            self.inline_pair((*path, key), f"{name}.{self.key(key)}", item)
            return
        self.text += name + self.equals()
        self.value(path, value)

    def key(self, name: str) -> str:
        is_bare = name.isascii() and name.replace("-", "a").replace("_", "a").isalnum()
        if is_bare and self.random.random() < 0.8:
            return name
        return f"'{name}'" if _is_literal(name) and self.random.random() < 0.5 else quoted(name)

    def string(self, text: str) -> str:
        styles = [quoted(text), self.multiline(text)]
        if _is_literal(text):
            styles.append(f"'{text}'")
        if "'''" not in text and all(character.isprintable() or character in "\n\t" for character in text):
            styles.append(f"'''\n{text}'''")
        return self.random.choice(styles)

    def multiline(self, text: str) -> str:
        """A string over lines: its line breaks are real, and up to two quotes in a row are as well."""
        lines = [quoted(line)[1:-1] for line in text.split("\n")]
        content = "\n".join(lines).replace('\\"', '"').replace('"""', '""\\"')
        if '\\\\"' in content or content.count('"""'):
            content = "\n".join(lines)
        folded = "\\\n   " if self.random.random() < 0.3 and not content[:1].isspace() else "\n"
        return f'"""{folded}{content}"""'

    def anywhere(self) -> None:
        """What may stand between the elements of an array."""
        if self.random.random() < 0.3:
            self.text += " " + self.comment() + self.newline
        self.text += self.indent()

    def end_line(self) -> None:
        comment = self.comment()
        self.text += (f" {comment}" if comment else "") + self.newline
        self.blank()

    def blank(self) -> None:
        while self.random.random() < 0.3:
            self.text += self.comment() + self.newline

    def comment(self) -> str:
        """A comment with a number that no other has, or none."""
        comment = self.random.choice(_COMMENTS)
        self.comments += bool(comment)
        return f"{comment} note-{self.comments};" if comment else ""

    def indent(self) -> str:
        return self.random.choice(["", "", " ", "\t"])

    def equals(self) -> str:
        return self.random.choice(["=", " = ", "\t="])


def _is_literal(text: str) -> bool:
    return text.isprintable() and "'" not in text


def _is_array_of_tables(value: TomlValue) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(element, dict) for element in value)
