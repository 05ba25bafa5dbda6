"""The line finder against tomllib, and against a writer that knows where it put each key."""

import tomllib
from random import Random

import pytest
import tomlkit
from hypothesis import given, settings, strategies as st

from panto.config.lines import MAX_DEPTH, KeyPath, TooDeepError, index_lines
from panto.config.source import TomlValue
from tests.config.toml_writer import Writer, layouts, tables

DOCUMENT = '''\
# mode = "a comment"
mode = "build"

text = """
[permissions]
deny = "in a string"
"""
more = \'\'\'
it's "quoted" \'\'\'\'\'
[providers."my one"] # its header
"a.b" = 1
headers.X-Title = "x"
inline = { first = 1, second.third = [1, { deep = 2 }] }

[permissions]
deny = [
    "one", # deny = 2

    "two", "three",
  [
    "nested" ]
]
[[hooks]]
name = 1
[hooks.when]
at = 2
[[hooks]]
[[hooks]]
name = 3
[a.b.c]
[a]
late = true
'''


@pytest.mark.parametrize(
    ("path", "line"),
    [
        (("mode",), 2),
        (("text",), 4),
        (("more",), 8),
        (("providers",), 10),
        (("providers", "my one"), 10),
        (("providers", "my one", "a.b"), 11),
        (("providers", "my one", "headers"), 12),
        (("providers", "my one", "headers", "X-Title"), 12),
        (("providers", "my one", "inline", "second", "third", 1, "deep"), 13),
        (("permissions",), 15),
        (("permissions", "deny"), 16),
        (("permissions", "deny", 0), 17),
        (("permissions", "deny", 1), 19),
        (("permissions", "deny", 2), 19),
        (("permissions", "deny", 3), 20),
        (("permissions", "deny", 3, 0), 21),
        (("hooks",), 23),
        (("hooks", 0), 23),
        (("hooks", 0, "when", "at"), 26),
        (("hooks", 1), 27),
        (("hooks", 2, "name"), 29),
        (("a", "b"), 30),
        (("a",), 31),
        (("a", "late"), 32),
        (("hooks", 3), None),
        (("deny",), None),
    ],
)
def test_each_layout_is_found(path: KeyPath, line: int | None) -> None:
    tomllib.loads(DOCUMENT)

    assert index_lines(DOCUMENT).get(path) == line


@pytest.mark.parametrize(
    "value",
    [
        '""""""',
        '"""""""',
        '""""""""',
        '"""a"""""',
        "''''''",
        "'''''''",
        "'''a'''''",
        r'"\\"',
        r'"\""',
        r"'\'",
        r'"""\""""',
    ],
)
def test_no_string_runs_on_into_the_next_line(value: str) -> None:
    text = f"a = {value}\nb = 1\n"

    assert set(tomllib.loads(text)) == {"a", "b"}
    assert index_lines(text) == {("a",): 1, ("b",): 2}


@settings(max_examples=400)
@given(tables, layouts)
def test_every_key_is_found_where_it_was_written(table: dict[str, TomlValue], random: Random) -> None:
    writer = Writer(random)
    text = writer.document(table)

    assert tomllib.loads(text) == table
    assert index_lines(text) == writer.lines


@given(tables)
def test_every_key_of_another_writers_file_is_on_its_line(table: dict[str, TomlValue]) -> None:
    text = tomlkit.dumps(table)
    lines = text.split("\n")
    found = index_lines(text)

    for path in paths_in(tomllib.loads(text)):
        if isinstance(path[-1], str):
            line = lines[found[path] - 1]
            assert any(spelling in line for spelling in spellings(path[-1]))


def spellings(name: str) -> list[str]:
    return [tomlkit.key(name).as_string(), tomlkit.string(name).as_string(), name or "''"]


def paths_in(value: TomlValue, path: KeyPath = ()) -> list[KeyPath]:
    steps = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [below for step, item in steps for below in [(*path, step), *paths_in(item, (*path, step))]]


@given(st.text("ab.=[]{},\"'\\#\n \r1", max_size=60))
def test_text_that_is_no_toml_raises_nothing_and_other_text_is_fully_indexed(text: str) -> None:
    found = index_lines(text)
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return
    assert set(found) == set(paths_in(data))


@pytest.mark.parametrize(
    "text", ["x = " + "[" * 100, "\n" * 4 + "a" + ".a" * 100 + " = 1", "[" + "a." * 100 + "a]", "x = " + "{a=" * 100]
)
def test_nesting_beyond_reason_is_turned_away(text: str) -> None:
    with pytest.raises(TooDeepError) as raised:
        index_lines(text)

    assert raised.value.line == text.count("\n") + 1


def test_nesting_within_reason_is_not() -> None:
    text = "a" + ".a" * (MAX_DEPTH - 1) + " = 1"

    assert len(index_lines(text)) == MAX_DEPTH
