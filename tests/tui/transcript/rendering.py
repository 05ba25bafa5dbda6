"""What tests of the transcript's parts share: palettes, rows as plain text, and Markdown of all sorts."""

from collections.abc import Iterable, Sequence

from hypothesis import strategies as st
from rich.cells import cell_len

from panto.tui.palette import Palette, built_in_palettes
from panto.tui.transcript import Entry
from panto.tui.transcript.block import Block
from panto.tui.transcript.markdown import MarkdownStream
from panto.tui.transcript.rows import Row

DARK = built_in_palettes()["panto-dark"]
LIGHT = built_in_palettes()["panto-light"]


def shown(row: Row) -> str:
    """A row as it stands on the screen, without the margin and the blanks at its end."""
    return "".join(span.text for part in (row.edge, row.spans) for span in part).rstrip()


def block_rows(blocks: Iterable[Block], width: int, palette: Palette = DARK) -> list[Row | None]:
    """The rows of some blocks; None for those between them."""
    rows: list[Row | None] = []
    for block in blocks:
        own = block.rows(width, palette)
        rows += [*[None] * (block.gap if own else 0), *own]
    return rows


def texts(rows: Iterable[Row | None]) -> list[str]:
    """Rows as they stand on the screen."""
    return ["" if row is None else shown(row) for row in rows]


def entry_texts(entry: Entry, width: int = 60) -> list[str]:
    """The rows of an entry as they stand on the screen."""
    return texts(block_rows(entry.blocks(width), width))


def markdown(source: str) -> MarkdownStream:
    """A finished Markdown text."""
    stream = MarkdownStream(source)
    stream.finish()
    stream.absorb()
    return stream


def markdown_rows(source: str, width: int = 60, palette: Palette = DARK) -> list[Row | None]:
    """The rows of a finished Markdown text."""
    return block_rows(markdown(source).blocks, width, palette)


def markdown_texts(source: str, width: int = 60) -> list[str]:
    """A finished Markdown text as it stands on the screen."""
    return texts(markdown_rows(source, width))


def widest(rows: Sequence[Row | None]) -> int:
    """The columns that the widest row takes."""
    return max((cell_len("".join(s.text for part in (r.edge, r.spans) for s in part)) for r in rows if r), default=0)


LINES = [
    *("", "", "", "plain text", "more *text* with `code` and **bold", "text** ends", "two  ", "back\\", "1999. a year"),
    *("- item", "- another", "* star", "+ plus", "-", "- ", "1. one", "2. two", "7) seven", "10. ten", " - in by one"),
    *("  - nested", "   - by three", "    - by four", "      deep", "  continued", "   continued", "\ttab"),
    *("- [ ] task", "- [x] done", "- ```py", "  ```", "  inside()", "- # heading in item", "- > quote in item"),
    *("```python", "```", "~~~", "````", "def f(): pass", "    indented = code", "     more = code"),
    *("# One", "## Two *em*", "###### Six", "#not", "Title", "=====", "---", "***", "- - -", "___"),
    *("> quote", ">> nested", "> - item in quote", ">", "lazy", "> ```"),
    *("| a | b |", "|---|:-:|", "| 1 | 2 |", "| 漢字 | 👩‍💻 |", "a | b", "--|--", "| `x|y` | \\| |", "|--|"),
    *(
        "<div>",
        "</div>",
        "<b>x</b>",
        "&amp; &#27;",
        "$a_b*c$ and \\(x\\)",
        "$$",
        "[/red]",
        "[text](http://a.b/c)",
        "![i](s)",
    ),
    *("漢字漢字漢字漢字漢字漢字漢字", "a\u200bb\x1b[31m", "http://example.com/a?b=c.", "~~struck~~", "word " * 20),
]
documents = st.lists(st.sampled_from(LINES), max_size=14).map("\n".join)
"""Markdown in which about everything meets everything else."""

NOISE = [
    *"`*_~[]()<>#-+=|\\!&;:$^{}'\" \t\n\n  ab12.)\r",
    *(
        "漢",
        "👩‍💻",
        "\u200d",
        "\ufe0f",
        "\x1b",
        "\u202e",
        "\ud800",
        "🇫",
        "```\n",
        "\n- ",
        "\n1. ",
        "\n> ",
        "\n| a |",
        "|--|\n",
    ),
    *("    ", "http://a.b", "[^1]:", "[a]:", "&#x1b;", "<br>", "\r\n"),
]
noise = st.lists(st.sampled_from(NOISE), max_size=80).map("".join)
"""What is hardly Markdown at all."""
