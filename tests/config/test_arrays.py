"""The elements of an array change, its comments stay."""

import re
import tomllib

import pytest
from hypothesis import given, strategies as st

from panto.config.arrays import with_elements

ARRAY = """[
  # what gets in the way
  "agent.rules",  # too loud
  "mcp.*"  , # slow
  # what is not needed

  'web.fetch'
  # more to come
]"""


def elements(*values: str) -> list[str]:
    return [f'"{value}"' for value in values]


@pytest.mark.parametrize(
    ("new", "after"),
    [
        (
            elements("agent.rules", "mcp.*", "web.fetch", "lsp.*"),
            """[
  # what gets in the way
  "agent.rules",  # too loud
  "mcp.*",  # slow
  # what is not needed
  'web.fetch',
  "lsp.*",
  # more to come
]""",
        ),
        (
            elements("agent.rules", "web.fetch"),
            """[
  # what gets in the way
  "agent.rules",  # too loud
  # "mcp.*",  # slow
  # what is not needed
  'web.fetch',
  # more to come
]""",
        ),
        (
            elements("first", "mcp.*"),
            """[
  # what gets in the way
  # "agent.rules",  # too loud
  "first",
  "mcp.*",  # slow
  # what is not needed
  # more to come
]""",
        ),
        (
            [],
            """[
  # what gets in the way
  # "agent.rules",  # too loud
  # "mcp.*",  # slow
  # what is not needed
  # more to come
]""",
        ),
    ],
)
def test_elements_that_stay_keep_their_comments_and_others_leave_theirs(new: list[str], after: str) -> None:
    assert with_elements(ARRAY, new) == after


@pytest.mark.parametrize(
    ("array", "new", "after"),
    [
        ("[]", elements("a", "b"), '["a", "b"]'),
        ("['a' ,'b']", elements("b"), '["b"]'),
        ("[1, 2]", [], "[]"),
        ("[\n]", elements("a"), '[\n    "a",\n]'),
        ("[ 'a', # one\r\n\t'b' ]", elements("b"), "[\n\t# 'a',  # one\n\t'b',\n]"),
        ("[\n    'a',\n  ]", elements("a", "b"), "[\n    'a',\n    \"b\",\n  ]"),
    ],
)
def test_the_layout_stays(array: str, new: list[str], after: str) -> None:
    assert with_elements(array, new) == after


def test_a_line_that_grows_too_long_is_broken() -> None:
    long = elements(*(f"extension.number-{at}" for at in range(10)))

    assert with_elements("[]", long).count("\n") == 11


values = st.sampled_from(
    ['"a"', "'b'", '"#, ]"', "1", "1.5", "true", "2020-01-01 10:00:00", '"""\n#,"""', "'''x]'''", r'"\""']
)
comments = st.sampled_from(["", " # x, 'y'", "#]", ' # """'])


@given(
    st.lists(st.tuples(values, comments, comments), max_size=5), comments, st.lists(values, max_size=5), st.booleans()
)
def test_any_array_becomes_any_other_and_no_comment_is_lost(
    old: list[tuple[str, str, str]], tail: str, new: list[str], comma_last: bool
) -> None:
    lines = [
        f"{above}\n{value}{',' if comma_last or at < len(old) - 1 else ''}{beside}\n"
        for at, (value, above, beside) in enumerate(old)
    ]
    array = f"[{''.join(lines)}{tail}\n]"
    changed = with_elements(array, new)

    wanted = [tomllib.loads(f"k = {value}")["k"] for value in new]
    assert repr(tomllib.loads(f"k = {changed}")["k"]) == repr(wanted)
    written = "\n".join([each for _, *both in old for each in both] + [tail])
    for comment in re.findall(r"#.*", written):
        assert comment in changed
