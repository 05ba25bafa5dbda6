"""Links: what is one, where it leads, and that nobody is led to where they would not go."""

import re
from collections.abc import Sequence

import pytest
from hypothesis import given, settings, strategies as st
from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from panto.tui.chat import Chat
from panto.tui.safe_text import safe_text
from panto.tui.transcript import AnswerEntry, NoticeEntry, ToolEntry, UserEntry
from panto.tui.transcript.links import (
    LONGEST_ADDRESS,
    File,
    Found,
    Target,
    Web,
    addresses,
    found_in,
    link_at,
    linked,
    web_address,
)
from panto.tui.transcript.painting import changed_columns
from panto.tui.transcript.rows import Row, chop, wrap
from tests.tui.chat.stage import settled, stage
from tests.tui.transcript.rendering import DARK, block_rows, markdown_rows, markdown_texts

HOSTILE = st.lists(
    st.sampled_from(
        [
            *(
                "http://",
                "https://",
                "mailto:",
                "file://",
                "javascript:",
                "//",
                "/",
                "a.example",
                "раypal.com",
                "[::1]",
            ),
            *(":80", ":99999", "@", "#", "?", "%", "%zz", "\\", ";", "\x1b]8;;", "\x1b\\", "\x07", "\u202e", "\u200b"),
            *("\ud800", "\n", " ", "(", ")", "[", "]", "<", ">", ".", ",", "src/a.py", ":12", ":3", "a.py", "漢", "x"),
        ]
    ),
    max_size=12,
).map("".join)


def targets(text: str) -> list[Target]:
    """All that can be opened from a text."""
    return [found.target for found in found_in(text)]


def written(rows: Sequence[Row | None]) -> list[Row]:
    """The rows that are not empty."""
    return [row for row in rows if row is not None]


def carried(rows: Sequence[Row | None]) -> dict[str, str]:
    """The texts that carry an address."""
    found: dict[str, str] = {}
    for row in written(rows):
        for span in row.spans:
            if span.style and span.style.link:
                found[span.text] = span.style.link
    return found


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("https://a.example/b?c=d&e=f#g", "https://a.example/b?c=d&e=f#g"),
        ("HTTP://A.example", "http://A.example"),
        ("http://localhost:8000/x", "http://localhost:8000/x"),
        ("http://[::1]:80/x", "http://[::1]:80/x"),
        ("https://a.example/caf\u00e9 b", "https://a.example/caf%C3%A9%20b"),
        ("https://b\u00fccher.example/", "https://xn--bcher-kva.example/"),
        ("mailto:me@a.example", "mailto:me@a.example"),
        ("mailto:me@a.example?subject=a b", "mailto:me@a.example?subject=a%20b"),
    ],
)
def test_an_address_is_written_in_plain_letters(text: str, address: str) -> None:
    assert web_address(text) == address


@pytest.mark.parametrize(
    "text",
    [
        *(
            "javascript:alert(1)",
            "file:///etc/passwd",
            "data:text/html,x",
            "ftp://a.example",
            "//a.example",
            "a.example",
        ),
        *(
            "https://good.example@evil.example/",
            "https://good.example:x@evil.example",
            "https://evil.example\\.good.example",
        ),
        *("https://a.example/\x1b]8;;", "https://a.example/\n", "https://a.example/\u202e", "https://a.example/\ud800"),
        *("https://", "https:///x", "http://a.example:99999", "http://a.example:x", "http://[::1", "http://-a"),
        *("mailto:", "mailto:http://a.example", "mailto:a b@c@d", "https://a.example/" + "x" * LONGEST_ADDRESS),
    ],
)
def test_what_may_mislead_is_no_link(text: str) -> None:
    assert web_address(text) is None
    assert not any(isinstance(target, Web) and target.address == text for target in targets(text))


@given(HOSTILE)
@settings(max_examples=500)
def test_an_address_holds_nothing_that_a_terminal_would_obey(text: str) -> None:
    address = web_address(text)
    if address is not None:
        assert re.fullmatch("(https?://|mailto:)[!-~]+", address)
        assert web_address(address) == address


@given(HOSTILE)
@settings(max_examples=500)
def test_targets_stand_in_order_and_within_the_text(text: str) -> None:
    found = list(found_in(text))
    places = [place for one in found for place in (one.start, one.end)]
    assert places == sorted(places)
    assert all(0 <= one.start < one.end <= len(text) for one in found)


@given(HOSTILE)
def test_the_text_stays_as_it_was(text: str) -> None:
    shown = safe_text(text)
    assert "".join(span.text for span in linked(shown, DARK.base)) == shown


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("see https://a.example/b.", ["https://a.example/b"]),
        ("(https://a.example/b_(c))", ["https://a.example/b_(c)"]),
        ("<https://a.example>, http://b.example!", ["https://a.example", "http://b.example"]),
        ("mailto:me@a.example.", ["mailto:me@a.example"]),
        ("xhttp://a.example and nothing", []),
    ],
)
def test_addresses_in_a_sentence(text: str, found: list[str]) -> None:
    assert [address for *_, address in addresses(text)] == found


@pytest.mark.parametrize(
    ("text", "target"),
    [
        ("src/a.py", File("src/a.py")),
        ("src/a.py:12:3: error", File("src/a.py", 12, 3)),
        ("src/a.py:12:def f(): pass", File("src/a.py", 12)),
        ("read src/a.py 1-148", File("src/a.py", 1)),
        ("read src/a.py  lines 20-40 of 200", File("src/a.py", 20)),
        ('  File "src/a.py", line 7, in f', File("src/a.py", 7)),
        ("src/a.ts(3,5): error TS1005", File("src/a.ts", 3, 5)),
        ("  --> src/main.rs:4:5", File("src/main.rs", 4, 5)),
        ("in (src/a.py).", File("src/a.py")),
        ("see main.go:9", File("main.go", 9)),
        ("the README.md says", File("README.md")),
        ("the Makefile", File("Makefile")),
        ("./run.sh, then", File("./run.sh")),
        ("/etc/passwd:1", File("/etc/passwd", 1)),
        ("-o/x.py", File("-o/x.py")),
        ("ümlaut/漢字.py:3", File("ümlaut/漢字.py", 3)),
    ],
)
def test_places_in_files(text: str, target: File) -> None:
    assert targets(text) == [target]


@pytest.mark.parametrize(
    "text", ["e.g. this", "self.items", "1.5", "at 12:30", "//", "/", "...", "a // b", "http://", "x:3"]
)
def test_what_is_no_place_in_a_file(text: str) -> None:
    assert targets(text) == []


def test_an_address_is_no_file_and_stands_beside_one() -> None:
    assert list(found_in("a/b.py https://c.example/d/e.py:3 f/g.py")) == [
        Found(0, 6, File("a/b.py")),
        Found(7, 33, Web("https://c.example/d/e.py:3")),
        Found(34, 40, File("f/g.py")),
    ]


@given(st.integers(4, 60), st.sampled_from([wrap, chop]))
def test_a_link_that_is_broken_over_rows_is_one(width: int, broken: object) -> None:
    address, path = "https://a.example/some/long/way", "src/cart/totals.py:12"
    spans = linked(f"see {address} or {path} there", DARK.base)
    rows = wrap(spans, width) if broken is wrap else chop(spans, width)
    hit = {link_at(rows, number, column) for number, row in enumerate(rows) for column in range(cell_len(row.text))}
    assert hit == {None, Web(address), File("src/cart/totals.py", 12)}
    ids = {span.style.link_id for row in rows for span in row.spans if span.style and span.style.link}
    assert len(ids) == 1


@given(HOSTILE, st.integers(2, 40))
@settings(max_examples=300)
def test_any_cell_can_be_asked(text: str, width: int) -> None:
    rows = wrap(linked(safe_text(text), DARK.base), width)
    for number in range(len(rows)):
        for column in range(-1, width + 2):
            link_at(rows, number, column)


def test_lines_of_their_own_are_not_put_together() -> None:
    rows = chop([Segment("src/\na.py:3", DARK.base)], 20)
    assert link_at(rows, 0, 0) is None
    assert link_at(rows, 1, 0) == File("a.py", 3)


def test_a_markdown_link_leads_to_its_address_and_shows_it() -> None:
    rows = written(markdown_rows("[https://good.example](https://evil.example/x)", 80))
    assert rows[0].text == "https://good.example (https://evil.example/x)"
    assert link_at(rows, 0, 3) == Web("https://evil.example/x")
    assert carried(rows) == {"https://good.example": "https://evil.example/x"}


def test_a_markdown_link_to_a_file_is_opened_by_the_path_behind_it() -> None:
    rows = written(markdown_rows("[the totals](src/totals.py:3)", 80))
    assert not carried(rows)
    assert link_at(rows, 0, 15) == File("src/totals.py", 3)


@pytest.mark.parametrize("scheme", ["javascript:x", "file:///etc/passwd", "data:text/html,x"])
def test_other_schemes_are_shown_and_not_followed(scheme: str) -> None:
    assert not carried(markdown_rows(f"[text]({scheme})", 80))


def test_a_host_in_other_letters_shows_its_name_in_plain_ones() -> None:
    assert markdown_texts("see https://p\u0430ypal.example/x now", 90) == [
        "see https://p\u0430ypal.example/x (https://xn--pypal-4ve.example/x) now"
    ]
    assert not carried(block_rows(UserEntry("https://p\u0430ypal.example/").blocks(80), 80))


def test_all_texts_carry_their_addresses_and_code_does_not() -> None:
    address = "https://a.example/b"
    tool = ToolEntry("std.shell", "curl")
    tool.finish("done", f"saved {address} to /tmp")
    for entry in (UserEntry(f"see {address}"), NoticeEntry(f"see {address}."), tool, AnswerEntry(f"see {address}.")):
        assert carried(block_rows(entry.blocks(80), 80)) == {address: address}
    assert not carried(markdown_rows(f"`{address}` is code", 80))
    assert not carried(markdown_rows(f"```\n{address}\n```", 80))


def test_a_strip_tells_the_terminal_of_the_link_and_is_as_wide_as_its_text() -> None:
    row = wrap(linked("a https://a.example b", DARK.base), 40)[0]
    strip = row.strip(2, 40, DARK)
    assert strip.cell_length == 40
    assert [segment.style.link for segment in strip if segment.style and segment.style.link] == ["https://a.example"]


def test_cells_differ_if_their_links_do() -> None:
    one, other = (Strip([Segment("ab"), Segment("cd", Style(link=link))]) for link in ("http://a.b", "http://c.d"))
    assert changed_columns(one, other) == (2, 4)
    assert changed_columns(one, Strip([Segment("ab"), Segment("cd", Style(link="http://a.b"))])) == (4, 4)


async def test_the_mouse_on_a_link_has_nothing_painted(monkeypatch: pytest.MonkeyPatch) -> None:
    async with stage(NoticeEntry("see https://a.example/b there")) as (app, pilot):
        x, y = app.at("https")
        painted: list[str] = []

        def render_line(_: Chat, y: int) -> Strip:
            painted.append(str(y))
            return Strip([])

        monkeypatch.setattr(Chat, "render_line", render_line)
        await pilot.hover(Chat, offset=(x + 2, y))
        await settled(pilot)
        await pilot.hover(Chat, offset=(0, y + 2))
        await settled(pilot)
        assert painted == []
