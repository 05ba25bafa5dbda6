"""What a line of Markdown can be."""

import pytest

from panto.tui.transcript.lines import (
    dedented,
    guarded,
    indent_of,
    interrupts,
    is_unfinished,
    marker_of,
    mended,
    opening_fence,
)


@pytest.mark.parametrize(
    ("line", "kind", "number", "content"),
    [
        ("- a", "-", None, 2),
        ("*   a", "*", None, 4),
        ("  + a", "+", None, 4),
        ("1. a", ".", 1, 3),
        ("12) a", ")", 12, 4),
        ("-      code", "-", None, 2),
        ("-\ta", "-", None, 4),
        ("-", "-", None, 2),
    ],
)
def test_list_items(line: str, kind: str, number: int | None, content: int) -> None:
    marker = marker_of(line)
    assert marker is not None
    assert (marker.kind, marker.number) == (kind, number)
    assert marker.content == content or "\t" in line


@pytest.mark.parametrize("line", ["-a", "1.a", "- - -", "***", "    - a", "1234567890. a", "text"])
def test_no_list_items(line: str) -> None:
    assert marker_of(line) is None


@pytest.mark.parametrize("line", ["# a", "```", "~~~ py", "- a", "1. a", "[^1]: a", "   ## a"])
def test_what_ends_a_paragraph(line: str) -> None:
    assert interrupts(line)


@pytest.mark.parametrize("line", ["a", "#a", "``` a ` b", "-", "- ", "2. a", "> a", "    # a", "# a | b", "---"])
def test_what_may_go_on_with_a_paragraph(line: str) -> None:
    assert not interrupts(line)


def test_fences() -> None:
    fence = opening_fence("  ~~~~ py `x`")
    assert fence is not None
    assert fence.group("indent", "mark", "info") == ("  ", "~~~~", " py `x`")
    assert opening_fence("    ```") is None
    assert opening_fence("``") is None


def test_indentation_is_counted_and_taken_off_by_columns() -> None:
    assert [indent_of(line) for line in ("a", "  a", "\ta", "  \ta", "")] == [0, 2, 4, 4, 0]
    assert [dedented(line, 2) for line in ("a", " a", "   a", "\ta", " \t a")] == ["a", "a", " a", "  a", "   a"]


@pytest.mark.parametrize("line", ["", "  ", "#", "##", "- ", "1", "12.", "```py", "``", ">", "|", "|--|-", "~~"])
def test_lines_that_say_nothing_yet(line: str) -> None:
    assert is_unfinished(line)


@pytest.mark.parametrize("line", ["a", "# a", "- a", "1. a", "`a", "| a", "*a"])
def test_lines_that_say_something(line: str) -> None:
    assert not is_unfinished(line)


@pytest.mark.parametrize(
    ("text", "whole"),
    [
        ("a **b", "a **b**"),
        ("a **b ", "a **b**"),
        ("a **b** c", "a **b** c"),
        ("a **", "a "),
        ("a `b", "a `b`"),
        ("a ``b ` c", "a ``b ` c``"),
        ("a `b` `", "a `b` "),
        ("a `**b", "a `**b`"),
        ("a ~~b", "a ~~b~~"),
        ("plain", "plain"),
    ],
)
def test_what_is_open_is_closed_for_the_time_being(text: str, whole: str) -> None:
    assert mended(text) == whole


@pytest.mark.parametrize("text", ["# a", "- a", "7. a", "> a", "---", "``` a", "    a"])
def test_the_middle_of_a_paragraph_begins_nothing(text: str) -> None:
    assert not interrupts(guarded(text))
    assert marker_of(guarded(text)) is None
    assert guarded("a - b") == "a - b"
