"""One key changes in the text, and nothing else does: no other value, no comment, no line end."""

import re
import tomllib
from random import Random

import pytest
from hypothesis import given, settings, strategies as st

from panto.config.rewrite import RewriteError, Setting, with_value
from panto.config.source import TomlValue
from tests.config.toml_writer import Writer, layouts, names, scalars, tables

new_values = scalars | st.lists(scalars, max_size=4)


@pytest.mark.parametrize(
    ("before", "key", "value", "after"),
    [
        ("", "mode", "ask", 'mode = "ask"\n'),
        ("", "a.b.c", 1, "[a.b]\nc = 1\n"),
        ("mode = 'plan'  # careful\n", "mode", "ask", 'mode = "ask"  # careful\n'),
        ("# top\n\n[a]\nx = 1 # why\n\n# on b\n[b]\n", "a.x", 2, "# top\n\n[a]\nx = 2 # why\n\n# on b\n[b]\n"),
        ("[a]\nx = 1\n\n# on b\n[b]\n", "a.y", 2, "[a]\nx = 1\ny = 2\n\n# on b\n[b]\n"),
        ("[a]\nx = 1\n\n# on b\n[a.b]\nz = 1\n", "a.y", 2, "[a]\nx = 1\ny = 2\n\n# on b\n[a.b]\nz = 1\n"),
        ("# top\n\n# on b\n[b]\n", "y", 2, "# top\n\ny = 2\n\n# on b\n[b]\n"),
        ("# on b\n[b]\n", "y", 2, "y = 2\n\n# on b\n[b]\n"),
        ("x = 1\n\n# on b\n[b]\n", "y", 2, "x = 1\ny = 2\n\n# on b\n[b]\n"),
        ("x = 1 # end", "y", 2, "x = 1 # end\ny = 2\n"),
        ("a.b = 1\n", "a.c", 2, "a.b = 1\na.c = 2\n"),
        ("a = {b = 1} # in line\n", "a.c", 2, "a = {b = 1,c = 2} # in line\n"),
        ("a.b = 1\n\nx = 1\n", "a.c.d", 2, "a.b = 1\na.c.d = 2\n\nx = 1\n"),
        ("a.b = 1\nx = 1\na.e = 1\n[t]\n", "a.c.d", 2, "a.b = 1\nx = 1\na.e = 1\na.c.d = 2\n[t]\n"),
        ("[a.b]\nx = 1\n", "a.c.d", 2, "[a.b]\nx = 1\n\n[a.c]\nd = 2\n"),
        ("[a]\r\nx = 1\r\n", "a.y", 2, "[a]\r\nx = 1\r\ny = 2\r\n"),
        ("x = 1\r\n", "a.y", [1, 2], "x = 1\r\n\r\n[a]\r\ny = [1, 2]\r\n"),
        ("[a]\nx = 1\r\n", "a.y", 2, "[a]\nx = 1\r\ny = 2\n"),
        ('"a b".x = 1 # one\n', "a b.x", True, '"a b".x = true # one\n'),
    ],
)
def test_the_key_changes_and_all_else_stays(before: str, key: str, value: Setting, after: str) -> None:
    assert with_value(before, key.split("."), value) == after


@pytest.mark.parametrize(
    ("text", "key", "reason"),
    [
        ("[mode]\nx = 1 # mine\n", "mode", "mode is a table"),
        ("extensions = 1\n", "extensions.deny", "extensions is not a table"),
        ("a.b = [{c = 1}]\n", "a.b.c", "a.b is not a table"),
        ("[[mode]]\nx = 1 # mine\n", "mode", "mode is an array of tables"),
        ("mode = [\n  # mine\n]\n", "mode", "an array with comments stands there"),
    ],
)
def test_what_is_in_the_way_is_named(text: str, key: str, reason: str) -> None:
    with pytest.raises(RewriteError, match=f"^{reason}$"):
        with_value(text, key.split("."), 1)


@settings(max_examples=150)
@given(tables, layouts, st.lists(names, min_size=1, max_size=3), new_values, st.booleans())
def test_in_any_layout_only_that_key_changes_and_no_comment_is_lost(
    table: dict[str, TomlValue], layout: Random, key: list[str], value: Setting, known: bool
) -> None:
    text = Writer(layout).document(table)
    key = existing_key(table, layout) if known else key
    try:
        changed = with_value(text, key, value)
    except RewriteError:
        return
    wanted = tomllib.loads(text)
    inner = wanted
    for name in key[:-1]:
        inner = inner.setdefault(name, {})
    inner[key[-1]] = list(value) if isinstance(value, list) else value

    assert tomllib.loads(changed) == wanted
    assert set(re.findall(r"note-\d+;", text)) <= set(re.findall(r"note-\d+;", changed))
    assert with_value(changed, key, value) == changed


ordinary_names = st.sampled_from(["mode", "extensions", "deny", "a-b", "my one"])
ordinary_values = st.integers() | st.booleans() | st.text("ab #\"'", max_size=5)
ordinary_tables = st.recursive(
    st.dictionaries(ordinary_names, ordinary_values | st.lists(ordinary_values, max_size=3), max_size=3),
    lambda inner: st.dictionaries(ordinary_names, ordinary_values | inner, max_size=3),
    max_leaves=5,
)


@settings(max_examples=150)
@given(ordinary_tables, layouts, st.lists(ordinary_names, min_size=1, max_size=3), ordinary_values)
def test_ordinary_settings_can_always_be_edited(
    table: dict[str, TomlValue], layout: Random, key: list[str], value: Setting
) -> None:
    text = Writer(layout, odd=False).document(table)
    try:
        changed = with_value(text, key, value)
    except RewriteError as error:
        assert str(error).endswith(
            (" is a table", " is an array of tables", " is not a table", "an array with comments stands there")
        )
    else:
        assert changed != text or value_at(table, key) == value


def value_at(table: TomlValue, key: list[str]) -> TomlValue:
    for name in key:
        assert isinstance(table, dict)
        table = table[name]
    return table


def existing_key(table: dict[str, TomlValue], random: Random) -> list[str]:
    """The path of some key of the table; of a new one if it has none."""
    if not table:
        return ["new"]
    name = random.choice(list(table))
    inner = table[name]
    return [name, *existing_key(inner, random)] if isinstance(inner, dict) and inner else [name]
