"""Each kind of Markdown, as it stands on the screen."""

import pytest
from rich.style import Style

from panto.tui.transcript.parser import parse
from panto.tui.transcript.rows import Row
from tests.tui.transcript.rendering import DARK, markdown_rows, markdown_texts


def styles_of(source: str) -> dict[str, Style]:
    """The style of each piece of text."""
    return {span.text: span.style for row in markdown_rows(source, 80) if row for span in row.spans if span.style}


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        ("one\ntwo", ["one two"]),
        ("one  \ntwo\\\nthree", ["one", "two", "three"]),
        ("# One\n## Two\n###### Six", ["One", "", "Two", "", "Six"]),
        ("Title\n=====", ["Title"]),
        ("- a\n- b\n  - c\n    - d\n      - e", ["• a", "• b", "  ◦ c", "    ▪ d", "      • e"]),
        ("* a\n\n* b", ["• a", "", "• b"]),
        ("9. nine\n10. ten\n    - in it", ["9. nine", "10. ten", "    ◦ in it"]),
        ("1. a\n   1. b\n   2. c\n2. d", ["1. a", "   1. b", "   2. c", "2. d"]),
        ("- [ ] open\n- [x] done\n- [X] done\n- [y] none", ["☐ open", "☑ done", "☑ done", "• [y] none"]),
        ("- a\n\n  b\n\n      c", ["• a", "", "  b", "", "    c"]),
        ("- a\n  ```\n  code\n  ```", ["• a", "    code"]),
        ("> a\n> b\n>\n> > c", ["▏ a b", "▏", "▏ ▏ c"]),
        ("> - a\n>   b", ["▏ • a b"]),
        ("a\n\n***\n\nb", ["a", "", "─" * 40, "", "b"]),
        ("    indented\n      code", ["  indented", "    code"]),
        ("``` python title=x\na\n\nb\n```", ["  python title=x", "  a", "", "  b"]),
        ("~~~\n```\n~~~", ["  ```"]),
        ("<div>\n<b>x</b>\n</div>", ["<div> <b>x</b> </div>"]),
        ("&lt;&copy;&#27;&#x202e;", ["<©\ufffd‹U+202E›"]),
        ("[/red] [bold]x[/bold]", ["[/red] [bold]x[/bold]"]),
        ("[text](http://a.b/c)", ["text (http://a.b/c)"]),
        ("<http://a.b/c> and me@a.b", ["http://a.b/c and me@a.b"]),
        ("[](http://a.b) <me@a.b>", [" (http://a.b) me@a.b"]),
        ("![alt](pic.png)", ["[image: alt] (pic.png)"]),
        ("[a](<\x1b[31m>)", ["a (%1B%5B31m)"]),
        ("cost $5 and $6, *a*", ["cost $5 and $6, a"]),
        ("$a_b*c$ x $d*e$", ["$a_b*c$ x $d*e$"]),
        ("$$\nx_1 * y\n$$", ["$$", "x_1 * y", "$$"]),
        ("\\(x_1\\) \\[ y^2 \\] \\[not math\\]", ["\\(x_1\\) \\[ y^2 \\] [not math]"]),
        ("`a  b` ``c`d``", ["a  b c`d"]),
        ("a\tb", ["a   b"]),
        ("", []),
        ("\n\n \n", []),
    ],
)
def test_markdown_on_the_screen(source: str, shown: list[str]) -> None:
    assert markdown_texts(source, 40) == shown


def test_styles_carry_the_meaning() -> None:
    styles = styles_of("# Head\n\n**b** *i* ~~s~~ `c` [l](http://x.y/z) http://bare.example/a, ***bi***")
    assert styles["Head"] == DARK.style("heading", bold=True, underline=True)
    assert styles["b"] == DARK.style("foreground", bold=True)
    assert styles["i"] == DARK.style("foreground", italic=True)
    assert styles["s"].strike
    assert styles["c"] == DARK.style("code")
    assert styles["l"] == DARK.style("link", underline=True) + Style(link="http://x.y/z")
    assert styles["http://bare.example/a"] == DARK.style("link", underline=True) + Style(link="http://bare.example/a")
    assert styles[" (http://x.y/z)"] == DARK.style("muted")
    assert styles["bi"].bold
    assert styles["bi"].italic


def test_emphasis_and_code_keep_their_place_in_headings_and_quotes() -> None:
    assert styles_of("## a `b`")["b"].bold
    assert styles_of("> a *b*")["b"] == DARK.style("quote", italic=True)
    assert styles_of("> a\n\nc")["c"] == DARK.base


def test_what_is_nested_too_deep_for_the_width_is_no_longer_indented() -> None:
    source = "\n".join("  " * depth + f"- level{depth}" for depth in range(9))
    rows = markdown_rows(source, 10)
    assert [row.text for row in rows if isinstance(row, Row)] == [f"level{depth}" for depth in range(9)]


@pytest.mark.parametrize("mark", [">", "- ", "1. ", "> - ", "*", "[", "![", "~~"])
@pytest.mark.parametrize("depth", [30, 500])
def test_what_is_nested_hundreds_of_times_is_still_there(mark: str, depth: int) -> None:
    shown = "".join(markdown_texts(f"{mark * depth} a **b**", 300))
    assert shown.endswith(("a b", "a **b**"))


@pytest.mark.parametrize("hostile", ["[" * 4_000, "![" * 2_000, "[" * 2_000 + "]" * 2_000, "[a" * 101 + "]" * 101])
def test_more_open_brackets_than_anybody_writes_are_text(hostile: str) -> None:
    tree = parse(hostile, {})
    (inline,) = [node for node in tree.walk() if node.type == "inline"]
    assert [child.type for child in inline.children] == ["text"]
    assert inline.children[0].content == hostile


def test_brackets_that_are_closed_are_markdown_however_many_there_are() -> None:
    assert "".join(markdown_texts("[a](http://b.c) " * 200, 80)).count("a (http://b.c)") > 150
