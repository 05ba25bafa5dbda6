"""Markdown as it streams: however it comes, it ends as if it had come at once, and as the parser sees the whole."""

from itertools import pairwise

import pytest
from hypothesis import given, settings, strategies as st

from panto.tui.transcript.code import CodeBlock
from panto.tui.transcript.markdown import MarkdownStream
from panto.tui.transcript.nodes import Setting, node_rows
from panto.tui.transcript.parser import parse
from panto.tui.transcript.passage import ITEM_CHARACTERS, PASSAGE_CHARACTERS
from panto.tui.transcript.rows import Row, text_of
from panto.tui.transcript.table_block import TableBlock
from tests.tui.transcript.rendering import (
    DARK,
    LIGHT,
    block_rows,
    documents,
    markdown,
    markdown_rows,
    markdown_texts,
    noise,
    texts,
    widest,
)


def streamed(source: str, cuts: list[int], width: int = 40) -> list[str]:
    """What is on the screen after a text has come in pieces and been painted after each."""
    stream = MarkdownStream()
    places = sorted({0, *(cut % (len(source) + 1) for cut in cuts), len(source)})
    for start, end in pairwise(places):
        stream.append(source[start:end])
        stream.absorb()
        block_rows(stream.blocks, width)
    stream.finish()
    stream.absorb()
    return texts(block_rows(stream.blocks, width))


@given(documents)
@settings(max_examples=400)
def test_blocks_show_what_the_parser_makes_of_the_whole(source: str) -> None:
    setting = Setting(source.split("\n"), 40, DARK)
    whole = texts(node_rows(parse(source, {}).children, setting))
    assert [text for text in markdown_texts(source, 40) if text] == [text for text in whole if text]


@given(st.one_of(documents, noise), st.lists(st.integers(0, 10_000), max_size=20))
@settings(max_examples=500)
def test_it_ends_as_if_it_had_come_at_once(source: str, cuts: list[int]) -> None:
    assert streamed(source, cuts) == markdown_texts(source, 40)


@given(st.one_of(documents, noise), st.integers(6, 90))
def test_no_row_is_wider_than_it_was_asked_to_be(source: str, width: int) -> None:
    assert widest(markdown_rows(source, width)) <= width


@given(documents)
def test_a_change_of_width_and_back_shows_the_same(source: str) -> None:
    stream = markdown(source)
    before = texts(block_rows(stream.blocks, 40))
    block_rows(stream.blocks, 12, LIGHT)
    assert texts(block_rows(stream.blocks, 40)) == before


def test_a_paragraph_keeps_its_words_in_order() -> None:
    words = " ".join(f"word{number}" for number in range(3000))
    rows = [row for row in markdown_rows(words) if row]
    assert text_of(rows) == words


@pytest.mark.parametrize(
    "line",
    [
        "word " * 20_000,
        "x" * 100_000,
        "漢字" * 20_000,
        "- " + "item " * 20_000,
        "| " + "cell " * 20_000,
        "> " + "quote " * 20_000,
        "**" * 30_000,
        "[" * 60_000,
        "`a" * 30_000,
        "# " * 40_000,
    ],
    ids=lambda line: line[:10],
)
def test_a_line_without_end_becomes_blocks_none_of_which_is_long(line: str) -> None:
    whole = markdown(line)
    assert len(whole.blocks) >= len(line) // PASSAGE_CHARACTERS
    assert widest(block_rows(whole.blocks, 50)) <= 50
    assert streamed(line, [n * 997 for n in range(200)]) == texts(block_rows(whole.blocks, 40))


def test_the_rest_of_a_long_line_is_text_whatever_it_begins_with() -> None:
    filler = "a" * (PASSAGE_CHARACTERS - 1)
    for rest in ("# no heading", "- no item", "3. no item", "> no quote", "--- no rule", "``` no fence"):
        assert texts(block_rows(markdown(f"{filler} {rest}").blocks[1:], 60)) == [rest]


def test_long_passages_and_lists_are_parted() -> None:
    paragraph = "\n".join(["some words of a very long paragraph"] * 1000)
    assert len(markdown(paragraph).blocks) >= len(paragraph) // (PASSAGE_CHARACTERS + 100)
    item = "- begin\n" + "\n".join(["  more of the same item"] * 2000)
    assert len(markdown(item).blocks) >= len(item) // (ITEM_CHARACTERS + 100)
    assert texts(block_rows(markdown(item).blocks[1:], 60))[0].startswith("more of the same item")


def test_code_in_an_item_that_is_parted_stays_code() -> None:
    lines = [f"   line {number} * not emphasis *" for number in range(1000)]
    source = "\n".join(["1. Do this:", "   ```python", *lines, "   ```", "2. And this."])
    shown = markdown_texts(source)
    assert [line for line in shown if "line 999" in line] == ["  line 999 * not emphasis *"]
    assert shown[-1] == "2. And this."


def test_an_open_fence_renders_each_line_once(monkeypatch: pytest.MonkeyPatch) -> None:
    rendered: list[int] = []
    original = CodeBlock._rows_of  # pyright: ignore[reportPrivateUsage] - to count what is rendered

    def counted(block: CodeBlock, start: int, *rest: object) -> list[Row]:
        rows = original(block, start, *rest)  # pyright: ignore[reportArgumentType] - handed on
        rendered.append(len(rows))
        return rows

    monkeypatch.setattr(CodeBlock, "_rows_of", counted)
    stream = MarkdownStream("```\n")
    for number in range(2000):
        stream.append(f"line {number}\n")
        stream.absorb()
        stream.blocks[-1].rows(40, DARK)
    assert sum(rendered) == 2000


def test_a_fence_that_never_closes_is_closed_by_the_end() -> None:
    shown = markdown_texts("text\n```python\ndef f():\n    return 1")
    assert shown == ["text", "", "  python", "  def f():", "      return 1"]


def test_a_line_that_may_become_the_end_of_a_fence_is_not_shown_yet() -> None:
    stream = MarkdownStream("```\ncode\n``")
    stream.absorb()
    assert texts(block_rows(stream.blocks, 40)) == ["  code"]


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        ("some **bold te", ["some bold te"]),
        ("some **", ["some "]),
        ("some `code te", ["some code te"]),
        ("some ~~struck", ["some struck"]),
        ("a `b` c", ["a b c"]),
        ("text\n#", ["text"]),
        ("text\n- ", ["text"]),
        ("| a | b |\n|--", ["| a | b |"]),
        ("text\n```py", ["text"]),
        ("- item\n- **it", ["• item", "• it"]),
    ],
)
def test_what_has_only_begun_is_shown_as_what_it_will_be(source: str, shown: list[str]) -> None:
    stream = MarkdownStream(source)
    stream.absorb()
    assert texts(block_rows(stream.blocks, 40)) == [line.rstrip() for line in shown]


def test_closed_blocks_are_not_rendered_again() -> None:
    stream = MarkdownStream("first\n\nsecond\n\nthi")
    stream.absorb()
    before = [block.rows(40, DARK) for block in stream.blocks]
    stream.append("rd")
    stream.absorb()
    after = [block.rows(40, DARK) for block in stream.blocks]
    assert after[0] is before[0]
    assert after[1] is before[1]
    assert after[2] is not before[2]


def test_link_definitions_count_for_text_before_and_after_them() -> None:
    source = "See [one][a] and [b].\n\n[a]: http://a.example\n[B]: http://b.example 'title'\n\nAnd [a] again."
    assert markdown_texts(source, 70) == [
        "See one (http://a.example) and b (http://b.example).",
        "",
        "And a (http://a.example) again.",
    ]


def test_footnotes_stay_text() -> None:
    assert markdown_texts("Text[^1].\n\n[^1]: word\n[^2]: more words") == [
        "Text[^1].",
        "",
        "[^1]: word",
        "[^2]: more words",
    ]


def test_a_list_keeps_its_numbers_and_its_empty_lines() -> None:
    assert markdown_texts("3. three\n3. four\n\n   more\n\n9. five\n\nend") == [
        "3. three",
        "4. four",
        "",
        "   more",
        "",
        "5. five",
        "",
        "end",
    ]


def test_a_long_table_is_laid_out_in_pieces_with_the_same_columns() -> None:
    rows = "\n".join(f"| {number} | {'x' * (number % 7)} |" for number in range(500))
    stream = markdown(f"| n | x |\n|--:|---|\n{rows}")
    assert len(stream.blocks) == 3
    shown = texts(block_rows(stream.blocks, 40))
    assert len(shown) == 502
    assert {line.index("│") for line in shown if "│" in line} == {4}


def test_a_table_parses_each_row_once(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = MarkdownStream("| n | x |\n|--:|---|\n")
    stream.absorb()
    block = stream.blocks[-1]
    assert isinstance(block, TableBlock)
    table = block._table  # pyright: ignore[reportPrivateUsage] - to count what is parsed
    original, parsed = table.cells, list[int]()

    def counted(lines: list[str], *rest: object) -> object:
        parsed.append(len(lines))
        return original(lines, *rest)  # pyright: ignore[reportArgumentType] - handed on

    monkeypatch.setattr(table, "cells", counted)
    for number in range(90):
        stream.append(f"| {number} | x |\n")
        stream.absorb()
        block.rows(40, DARK)
    assert sum(parsed) == 90


def test_line_ends_of_all_kinds() -> None:
    assert markdown_texts("one\r\n\r\ntwo\r\n- a\r\n- b\r\n") == ["one", "", "two", "", "• a", "• b"]


def test_the_source_is_kept_as_it_came() -> None:
    stream = MarkdownStream("a\r\n")
    stream.append("\tb")
    stream.append("\x1b")
    assert stream.source == "a\r\n\tb\x1b"
