"""Tool lists are whole or refused (G24), in all their spellings."""

import re
from collections.abc import Callable
from typing import cast

import pytest
import yaml
from hypothesis import given, settings, strategies as st

from panto_agent.skill._entries import Entry
from panto_agent.skill._frontmatter import read_front_matter
from panto_agent.skill._records import FrontMatterError
from panto_agent.skill._toollist import any_list, cut, usual_list
from tests.agent_suite.skill.spellings import ENTRIES, HARD_ENTRIES, QUOTED_SPELLINGS, SPELLINGS

KEYS = st.sampled_from(["allowed-tools", "disallowed-tools", "disallowedTools", '"allowed-tools"'])


def tools(block: str) -> list[str] | None:
    front = read_front_matter(block)
    return front.allowed_tools if front.disallowed_tools is None else front.disallowed_tools


@pytest.mark.parametrize("spelling", SPELLINGS)
@settings(max_examples=30)
@given(entries=ENTRIES, key=KEYS)
def test_each_spelling_gives_all_entries_as_written(spelling: str, entries: list[str], key: str) -> None:
    assert tools(f"name: a\n{key}:{SPELLINGS[spelling](entries)}\nlicense: MIT\n") == entries


@pytest.mark.parametrize("spelling", QUOTED_SPELLINGS)
@settings(max_examples=30)
@given(entries=HARD_ENTRIES)
def test_quotes_carry_anything(spelling: str, entries: list[str]) -> None:
    assert tools(f"allowed-tools:{QUOTED_SPELLINGS[spelling](entries)}\nlicense: MIT\n") == entries


NULL = re.compile(r"(?:~|null|Null|NULL|)\Z")


class TextLoader(yaml.SafeLoader):
    """YAML with texts and nulls only."""


TextLoader.yaml_implicit_resolvers = {first: [("tag:yaml.org,2002:null", NULL)] for first in ("~", "n", "N", "")}

WORDS = ("Read", "Bash(git add)", "Bash(a,b)", "Bash(git", "add)", "x(a (b) c)", "*", "null", "~", "a:b", "x", "(", ")")
LINES = (" ", "  ", "\n", "\n ", "\n  ", "\n\n   ", "- ", "\n- ", "\n  - ", "|\n  ", ">-\n  ")
MARKS = (",", ", ", "[", "]", "{", "}", '"', "'", "''", '\\"', "\\n", " # c", ":", ": ", "&a ", "!t ")
PIECES = st.sampled_from((*WORDS, *LINES, *MARKS))
STARTS = st.sampled_from([" ", "\n  ", "\n  - ", "\n- ", " [", ' "', " '", " |\n  ", " >\n  "])
ENDS = st.sampled_from(["", "", "]", "\n  ]", '"', "'"])


def as_yaml_has_it(block: str) -> list[str] | None:
    """The list as YAML reads it, with its texts cut. Raises ValueError for what is no list of texts."""
    document = cast("object", yaml.load(block, TextLoader))
    value = cast("dict[str, object]", document)["allowed-tools"] if isinstance(document, dict) else ()
    if value is None:
        return None
    if isinstance(value, str):
        return cut(value)
    if not isinstance(value, list):
        raise ValueError("no list")
    entries: list[str] = []
    for item in cast("list[object]", value):
        found = cut(item) if isinstance(item, str) else []
        if not found:
            raise ValueError("no text")
        entries.extend(found)
    return entries


@settings(max_examples=400)
@given(STARTS, st.lists(PIECES, min_size=1, max_size=9).map("".join), ENDS)
def test_what_is_read_is_what_yaml_reads(start: str, middle: str, end: str) -> None:
    """Of a value that both read, no entry is lost; and what YAML reads as no list is refused."""
    block = f"allowed-tools:{start}{middle}{end}\nz: 1\n"
    try:
        got = tools(block)
    except FrontMatterError:
        return
    try:
        wanted = as_yaml_has_it(block)
    except yaml.YAMLError:
        return  # it knows no tabs, and less of flows than YAML 1.2
    except ValueError as error:
        pytest.fail(f"{got} was read of what is {error}")
    assert got == wanted


@given(st.text("ab(),: #-*\t\n[]{}'\"|>~", max_size=30))
def test_any_value_is_read_or_refused(value: str) -> None:
    try:
        tools(f"allowed-tools: {value}\n")
    except FrontMatterError as error:
        assert error.line is not None
        assert "allowed-tools" in error.reason or "flush-left" in error.reason or "twice" in error.reason


SHAPES: dict[str, Callable[[list[str]], Entry]] = {
    "plain": lambda texts: Entry("allowed-tools", 2, " " + ", ".join(texts), ""),
    "flow": lambda texts: Entry("allowed-tools", 2, f" [{', '.join(texts)} ]", ""),
    "block": lambda texts: Entry("allowed-tools", 2, "", "".join(f"  - {text}\n" for text in texts)),
    "uneven": lambda texts: Entry("allowed-tools", 2, "", "".join(f"{' ' * len(text)}- {text}\n" for text in texts)),
}
USUAL_TEXTS = st.sampled_from(
    ["a", "a:b", "a(b c)", '"a"', '"a(b)"', "a b", "a, b", "null", "a:", "a(b: c)", "a(b)c", "a(", "- a"]
)


@pytest.mark.parametrize("shape", SHAPES)
@given(st.lists(USUAL_TEXTS | st.text("ab:*#(),- \tn~'\"[]{}\\", min_size=1, max_size=8), min_size=1, max_size=3))
def test_a_glance_sees_what_a_second_look_sees(shape: str, texts: list[str]) -> None:
    entry = SHAPES[shape](texts)
    usual = usual_list(entry)
    if usual is not None:
        assert usual == any_list(entry)


@pytest.mark.parametrize(
    ("shape", "texts"),
    [
        ("plain", ["Read", "Bash(git:*)", "Bash(git add -p)"]),
        ("flow", ["Read", '"Bash(git:*)"', "x"]),
        ("block", ["Read, Grep", '"Bash(git:*)"', "std.read"]),
    ],
)
def test_a_glance_is_enough_for_what_is_usual(shape: str, texts: list[str]) -> None:
    assert usual_list(SHAPES[shape](texts)) is not None


@pytest.mark.parametrize(
    ("text", "entries"),
    [
        ("Read, *, Read", ["Read", "*", "Read"]),
        ("Bash(find (a b) c) Read", ["Bash(find (a b) c)", "Read"]),
        ("Read\u00a0Grep\u2028Glob\x0cEdit", ["Read\u00a0Grep\u2028Glob\x0cEdit"]),
        ("server:tool std.read mcp__d__*", ["server:tool", "std.read", "mcp__d__*"]),
        ("\t, Read,,Grep ,", ["Read", "Grep"]),
        ("Bash()", ["Bash()"]),
        ("Read\n\nGrep(a,\tb)\n", ["Read", "Grep(a,\tb)"]),
        ("", []),
    ],
)
def test_the_cut(text: str, entries: list[str]) -> None:
    assert cut(text) == entries


@pytest.mark.parametrize(
    "text",
    [
        "Bash(ls",
        "Read)",
        "Bash(ls)x",
        "Bash(a)(b)",
        "Bash)a(",
        "(ls)",
        "Read (ls)",
        "Bash(git\nadd)",
        r"Bash(\()",
        "a(')')",
    ],
)
def test_what_spells_no_rule_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="parenthes"):
        cut(text)


@pytest.mark.parametrize(
    ("value", "row"),
    [
        # text behind a comment, and lines that no value takes
        (" Read # one\n  Grep", 1),
        (" Read\n  # c\n  Grep", 2),
        (" [Read]\n  Grep", 1),
        (" 'Read'\n\n  Grep", 2),
        (" |\n  Read\n# c\n  Grep", 3),
        (" |\n\tRead", 1),
        (" |4\n  Read", 1),
        ("\n  Read\n- Grep", 2),
        # items at another indentation
        ("\n   - Read\n - - Grep", 2),
        ("\n\t - Read\n \t- Grep", 2),
        ("\n  - Read\n -Grep", 2),
        ("\n  - Read\n  -Grep", 2),
        # what YAML reads as another kind of node
        (" *", 0),
        (" &a Read", 0),
        (" !!seq [Read]", 0),
        (" - Read", 0),
        (" > Read", 0),
        (" {Read: x}", 0),
        ("\n  Read: x", 1),
        ("\n  - - Read", 1),
        ("\n  -\n    - Read", 2),
        ("\n  - [Read]", 1),
        ("\n  - Read\n  - ? Grep", 2),
        ("\n  - Read\n  - 'Grep' # c\n    x", 3),
        ("\n  - null", 1),
        ("\n  - ''", 1),
        ("\n  - # c\n  - Read", 1),
        (" [Read, ~]", 0),
        (" [Read,\n  '']", 1),
        (" [-\n\n  Read]", 0),
        (" [Read, 'a' b]", 0),
        (" [Read\n  # c\n  Grep]", 2),
        (" [Read\n# c\n  Grep]", 2),
        (" [Read,#b\n]", 0),
        (" [[Read]]", 0),
        (" [? Read]", 0),
        (' ["Read":x]', 0),
        (" [Read}", 0),
        # escapes that YAML does not know
        (' "\\q"', 0),
        ("\n  - Read\n  - '\\q'\n  - \"\\ud800\"", 3),
        (' ["\\q"]', 0),
        # a blank line with more blanks than the text has before it
        (" |\n    \n  Read", 0),
        # a rule over lines that stay lines
        (" |\n  Bash(git\n  add)", 0),
        (" >\n  Bash(git\n    add)", 0),
        (" Bash(git\n\n  add)", 0),
        (" 'Bash(git\n\n  add)'", 0),
    ],
)
def test_what_is_no_list_is_refused_in_its_line(value: str, row: int) -> None:
    with pytest.raises(FrontMatterError) as caught:
        tools(f"disallowed-tools:{value}\nlicense: MIT\n")
    assert caught.value.line == 2 + row
    assert "`disallowed-tools`" in caught.value.reason


@pytest.mark.parametrize(
    ("value", "entries"),
    [
        ("", None),
        (" # none\n\n  # yet", None),
        (" ~ # c", None),
        ("\n  null", None),
        (" 'null'", ["null"]),
        (" ~\n  Read", ["~", "Read"]),
        (" ''", []),
        (" [ # none\n]", []),
        (" |", []),
        ("\n  - >2\n    Bash(git\n    add)\n  - Grep", ["Bash(git add)", "Grep"]),
        ("\n  - |1-\n    Read\n   Grep", ["Read", "Grep"]),
        (" 'Read\nGrep'", ["Read", "Grep"]),
        (" -Read #x", ["-Read"]),
        (" a:b c#d", ["a:b", "c#d"]),
        (" [a:b, ?c, :d, -e]", ["a:b", "?c", ":d", "-e"]),
        ("\n- Read, Grep\n- 'Glob Edit'", ["Read", "Grep", "Glob", "Edit"]),
        (" Read\u2028Grep", ["Read\u2028Grep"]),
    ],
)
def test_the_edges_of_what_is_a_list(value: str, entries: list[str] | None) -> None:
    assert tools(f"disallowed-tools:{value}\nlicense: MIT\n") == entries
