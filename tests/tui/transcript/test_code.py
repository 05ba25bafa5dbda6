"""Code: as it was written, in the colours of its language once it is whole."""

import pytest
from hypothesis import given, strategies as st

from panto.tui.palette import Palette
from panto.tui.transcript.highlight import MAX_CHARACTERS, Highlighter, language_of
from panto.tui.transcript.markdown import MarkdownStream
from panto.tui.transcript.rows import Row
from tests.tui.transcript.rendering import DARK, LIGHT, block_rows, markdown, markdown_texts, texts

PYTHON = 'def f(x):\n    """Doc\n    more."""\n    return x + 1  # why'


def colors(source: str, palette: Palette, *, finished: bool = True) -> dict[str, str]:
    """The colour of each piece of code."""
    stream = MarkdownStream(source)
    if finished:
        stream.finish()
    stream.absorb()
    found: dict[str, str] = {}
    for row in block_rows(stream.blocks, 60, palette):
        for span in row.spans if isinstance(row, Row) else ():
            if span.style and span.style.color and span.style.color.triplet:
                found[span.text.strip()] = span.style.color.triplet.hex
    return found


@pytest.mark.parametrize("palette", [DARK, LIGHT], ids=["dark", "light"])
def test_a_closed_fence_is_coloured_by_the_palette(palette: Palette) -> None:
    found = colors(f"```python\n{PYTHON}\n```", palette)
    assert (found["def"], found["f"], found["1"], found["# why"]) == (
        palette.keyword,
        palette.function,
        palette.number,
        palette.comment,
    )
    assert found['more."""'] == palette.string


def test_an_open_fence_is_plain_and_coloured_when_it_closes() -> None:
    stream = MarkdownStream(f"```python\n{PYTHON}\n")
    stream.absorb()
    before = [span.style for row in block_rows(stream.blocks, 60) if row for span in row.spans]
    assert {style.color for style in before if style} == {DARK.base.color}
    stream.append("```\n")
    stream.absorb()
    after = [span.style for row in block_rows(stream.blocks, 60) if row for span in row.spans]
    assert len({style.color for style in after if style}) > 3


def test_all_pieces_of_a_long_fence_are_coloured_when_it_closes() -> None:
    stream = MarkdownStream("```python\n" + "x = 1\n" * 250)
    stream.absorb()
    block_rows(stream.blocks, 60)
    stream.append("```\n")
    stream.absorb()
    assert len(stream.blocks) == 3
    for block in stream.blocks:
        assert any(span.text == "1" for row in block.rows(60, DARK) for span in row.spans)


@pytest.mark.parametrize("language", ["", "nosuchlanguage", "text", "python\x1b[31m", "{.python}", "c++", "PYTHON"])
def test_any_language_shows_the_code_as_it_is(language: str) -> None:
    shown = markdown_texts(f"```{language}\n  a = [1]\n\n\tb\n```")
    assert shown[-3:] == ["    a = [1]", "", "      b"]
    assert "\x1b" not in "".join(shown)


@pytest.mark.parametrize(
    ("info", "language"),
    [
        ("python", "python"),
        ("Python title=x", "python"),
        ("{.rust}", "rust"),
        ("c++", "c++"),
        ("ts:a/b.ts", "ts"),
        ("", ""),
    ],
)
def test_the_language_is_taken_from_the_info_string(info: str, language: str) -> None:
    assert language_of(info) == language


@given(st.text(max_size=200), st.sampled_from(["python", "json", "bash", "diff", "html", "yaml"]))
def test_colours_change_no_text(code: str, language: str) -> None:
    plain = block_rows(markdown(f"~~~~~~~~~\n{code}\n~~~~~~~~~").blocks, 50)
    coloured = block_rows(markdown(f"~~~~~~~~~{language}\n{code}\n~~~~~~~~~").blocks, 50)
    assert texts(coloured)[1:] == texts(plain)


def test_very_long_code_is_coloured_only_at_its_beginning() -> None:
    line = "value = 1"
    count = 2 * MAX_CHARACTERS // len(line)
    highlighter = Highlighter("\n".join([line] * count), "python")
    assert highlighter.line(count - 1) is None
    assert highlighter.line(0) is not None
    assert Highlighter("x" * 2 * MAX_CHARACTERS, "python").line(0) is None


def test_lines_keep_tabs_blanks_and_their_indentation() -> None:
    assert markdown_texts("  ```\n  a\n    b\n c\n\td\n  ```") == ["  a", "    b", "  c", "    d"]


def test_long_lines_are_broken_where_the_width_ends() -> None:
    assert markdown_texts("```\n" + "ab cd " * 5 + "\n```", 14) == ["  ab cd ab cd", "  ab cd ab cd", "  ab cd"]
