"""Tool lists in every spelling that YAML has for them, made from generated entries."""

from collections.abc import Callable, Sequence

from hypothesis import strategies as st

_NAME = st.from_regex(r"[A-Za-z_][A-Za-z0-9_.:*/-]{0,8}[A-Za-z0-9_*]", fullmatch=True)
_WORD = st.from_regex(r"[a-z*.\-][a-z0-9*.:/\-]{0,6}", fullmatch=True).filter(lambda word: not word.endswith(":"))
_COMMAND = st.lists(_WORD, min_size=1, max_size=3).map(" ".join)


def _in_group(command: str, inner: str) -> str:
    return f"{command} ({inner})" if inner else command


_RULE = st.builds(_in_group, _COMMAND, st.just("") | _COMMAND)


def _entry(name: str, rule: str) -> str:
    return f"{name}({rule})" if rule else name


ENTRIES = st.lists(
    st.builds(_entry, _NAME, st.just("") | _RULE).filter(lambda entry: entry not in ("null", "Null", "NULL")),
    min_size=1,
    max_size=5,
)
"""Entries that are plain text to YAML, in a flow too: names, and rules with blanks and nested parentheses."""

_ANYTHING = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="()\n"), min_size=1, max_size=12)
HARD_ENTRIES = st.lists(st.builds(_entry, _NAME, _ANYTHING), min_size=1, max_size=4)
"""Entries whose rules hold anything but parentheses and line breaks: only quotes can carry them."""

Spelling = Callable[[Sequence[str]], str]


def _escaped(text: str) -> str:
    return "".join(f"\\U{ord(char):08x}" if not char.isprintable() or char in '"\\' else char for char in text)


def _double(text: str) -> str:
    return f'"{_escaped(text)}"'


def _single(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _flow(entries: Sequence[str]) -> str:
    return f" [{', '.join(entries)}]"


SPELLINGS: dict[str, Spelling] = {
    "plain, blanks": lambda entries: " " + " ".join(entries),
    "plain, commas": lambda entries: " " + ", ".join(entries) + ",",
    "plain, a comment": lambda entries: "\t" + "\t".join(entries) + " # these",
    "plain, over lines": lambda entries: " " + "\n   ".join(entries),
    "plain, cut at every blank": lambda entries: " " + "\n  ".join(" ".join(entries).split(" ")),
    "plain, below": lambda entries: " # these\n\n  " + " ".join(entries),
    "flow": _flow,
    "flow, glued": lambda entries: f" [{','.join(entries)},]",
    "flow, over lines": lambda entries: " [ # these\n  " + ",\n\n  # and\n  ".join(entries) + "\n  ] # done",
    "flow, cut at every blank": lambda entries: "\n  [" + "\n  ".join(", ".join(entries).split(" ")) + "]",
    "flow, closed flush left": lambda entries: " [\n  " + ",\n  ".join(entries) + "\n]",
    "block": lambda entries: "".join(f"\n  - {entry}" for entry in entries),
    "block, flush left": lambda entries: "".join(f"\n- {entry}" for entry in entries),
    "block, tabs": lambda entries: "".join(f"\n\t-\t{entry}" for entry in entries),
    "block, comments": lambda entries: "".join(f"\n# one\n\n    -   {entry} # two\n  # three" for entry in entries),
    "block, cut at every blank": lambda entries: "".join("\n- " + entry.replace(" ", "\n   ") for entry in entries),
    "block, below its dashes": lambda entries: "".join(f"\n -\n   {entry}" for entry in entries),
    "block, folded": lambda entries: "".join("\n- >-\n  " + entry.replace(" ", "\n  ") for entry in entries),
    "literal": lambda entries: " |\n  " + "\n  ".join(entries),
    "literal, indented": lambda entries: " |2-\n    " + "\n  ".join(entries) + "\n\n",
    "folded": lambda entries: " >\n    " + "\n    ".join(" ".join(entries).split(" ")),
    "folded, paragraphs": lambda entries: " >+1 # these\n " + "\n\n ".join(entries) + "\n",
}
"""Each puts entries behind ``key:``, as a whole value."""

QUOTED_SPELLINGS: dict[str, Spelling] = {
    "double": lambda entries: " " + _double(" ".join(entries)),
    "double, over lines": lambda entries: ' "' + "\n  ".join(map(_escaped, entries)) + '"',
    "double, escaped line ends": lambda entries: ' "' + "\\\n\n  \\ ".join(map(_escaped, entries)) + '"',
    "double, in a flow": lambda entries: _flow([_double(entry) for entry in entries]),
    "double, in a block": lambda entries: "".join(f"\n  - {_double(entry)}  # so" for entry in entries),
    "single, in a flow": lambda entries: _flow([_single(entry) for entry in entries]),
    "single, in a block": lambda entries: "".join(f"\n- {_single(entry)}" for entry in entries),
    "literal": lambda entries: " |1\n " + "\n ".join(entries),
}
"""The same for entries with anything in them."""
