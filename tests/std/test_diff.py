"""Diffs: they say what changed, and applied they give the new file."""

import re

import pytest
from hypothesis import given, settings, strategies as st

from panto_std import _diff
from panto_std._diff import diff

LINES = st.lists(st.sampled_from(["a", "b", "c", "", " d", "+e", "-f", "\\ g", "x\r"]), max_size=30)
TEXTS = st.tuples(LINES, st.booleans()).map(lambda t: "\n".join(t[0]) + ("\n" if t[1] and t[0] else ""))


def applied(before: str, patch: str) -> str:
    """What a patch makes of a text, by the book."""
    old = before.split("\n")
    result: list[str] = []
    position = 0
    lines = patch.split("\n")[2:]
    for index, line in enumerate(lines):
        header = re.fullmatch(r"@@ -(\d+),(\d+) \+(\d+),(\d+) @@", line)
        if header is not None:
            first, count = int(header[1]), int(header[2])
            start = first - 1 if count else first
            result += old[position:start]
            position = start
        elif line.startswith((" ", "-")):
            ended = index + 1 < len(lines) and lines[index + 1].startswith("\\")
            assert old[position] == line[1:]
            assert (position == len(old) - 1) == ended
            position += 1
            if line[0] == " ":
                result.append(line[1:])
                if ended:
                    return "\n".join(result)
        elif line.startswith("+"):
            result.append(line[1:])
            if index + 1 < len(lines) and lines[index + 1].startswith("\\"):
                return "\n".join(result)
    rest = old[position:] or [""]
    return "\n".join([*result, *rest])


@given(TEXTS, TEXTS, st.sampled_from([0, 5, 2000]))
@settings(max_examples=500)
def test_a_diff_applied_gives_the_new_text(before: str, after: str, compared: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_diff, "_COMPARED_LINES", compared)
        made = diff(before, after, "f")
    if before == after:
        assert made == _diff.Diff()
        return
    assert applied(before, made.text) == after
    body = made.text.split("\n")[2:]
    assert made.added == sum(line.startswith("+") for line in body)
    assert made.removed == sum(line.startswith("-") for line in body)


def test_a_small_change_in_a_large_file_is_a_small_diff() -> None:
    lines = [f"{number}\n" for number in range(200_000)]
    made = diff("".join(lines), "".join([*lines[:150_000], "new\n", *lines[150_001:]]), "f")
    assert made.summary == "+1 -1"
    assert len(made.text.split("\n")) == 11


def test_hard_cases_take_no_time_and_little_room() -> None:
    before = "".join(f"x\n{number}\n" for number in range(20_000))
    after = "".join(f"{number}\nx\n" for number in range(20_000, 40_000))
    made = diff(before, after + "y" * 5_000, "f")
    assert (made.added, made.removed) == (40_001, 40_000)
    assert made.text.endswith("\\ 79,002 more lines are not shown")
    made = diff(None, "y" * 5_000, "f")
    assert len(made.text) < 1_200


@pytest.mark.parametrize(
    ("before", "after", "summary"), [("a\n", "", "-1"), (None, "a\n", "+1"), (None, "", ""), ("a", "a\n", "+1 -1")]
)
def test_summaries(before: str | None, after: str, summary: str) -> None:
    assert diff(before, after, "f").summary == summary
