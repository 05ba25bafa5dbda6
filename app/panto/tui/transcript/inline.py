"""The inside of a Markdown paragraph: emphasis, code, links, breaks."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from rich.segment import Segment
from rich.style import Style

from panto.tui.palette import Palette
from panto.tui.safe_text import safe_line, safe_text
from panto.tui.transcript.links import addresses, is_plain, web_address, with_link
from panto.tui.transcript.rows import Span

if TYPE_CHECKING:
    from markdown_it.token import Token
    from markdown_it.tree import SyntaxTreeNode

_OPEN = {"strong_open": Style(bold=True), "em_open": Style(italic=True), "s_open": Style(strike=True)}
_CLOSE = frozenset(("strong_close", "em_close", "s_close", "link_close"))
_BREAK = re.compile(r"<br ?/?>", re.IGNORECASE)


def inline_spans(node: SyntaxTreeNode, base: Style, palette: Palette, *, in_table: bool = False) -> list[Span]:
    """The styled text of a paragraph, a heading or a cell. In a table ``<br>`` is the only way to break a line."""
    tokens = [token for child in node.children if child.token for token in child.token.children or ()]
    return list(_spans(tokens, base, palette, in_table=in_table))


def _spans(tokens: Iterable[Token], base: Style, palette: Palette, *, in_table: bool) -> Iterator[Span]:
    styles = [base]
    link = shown = ""
    for token in tokens:
        kind, style = token.type, styles[-1]
        if kind in _OPEN:
            styles.append(style + _OPEN[kind])
        elif kind == "link_open":
            link, shown = str(token.attrGet("href") or ""), ""
            address = web_address(link)
            look = style + palette.style("link", underline=True)
            styles.append(with_link(look, address) if address else look)
        elif kind in _CLOSE:
            styles.pop()
            if kind == "link_close":
                yield from _address(link, shown, palette)
                link = ""
        elif kind in ("softbreak", "hardbreak"):
            yield Segment("\n" if kind == "hardbreak" else " ", style)
        elif kind == "image":
            yield Segment(f"[image: {safe_line(token.content)}]", style + palette.style("muted"))
            yield from _address(str(token.attrGet("src") or ""), "", palette)
        elif token.content:
            shown += token.content
            yield from _text(token, style, palette, is_link=bool(link), in_table=in_table)


def _text(token: Token, style: Style, palette: Palette, *, is_link: bool, in_table: bool) -> Iterator[Span]:
    text = token.content
    if token.type == "code_inline":
        yield Segment(safe_line(text), style + palette.style("code"))
        return
    if in_table and "<" in text:
        text = _BREAK.sub("\n", text)
    text = safe_text(text)
    place = 0
    for start, end, address in () if is_link else addresses(text):
        yield Segment(text[place:start], style)
        yield Segment(text[start:end], with_link(style + palette.style("link", underline=True), address))
        if not is_plain(address):
            yield from _address(address, text[start:end], palette)
        place = end
    yield Segment(text[place:] if place else text, style)


def _address(address: str, shown: str, palette: Palette) -> Iterator[Span]:
    """A link's address behind its text, unless it is the text."""
    if address and shown not in (address, address.removeprefix("mailto:")):
        yield Segment(f" ({safe_line(address)})", palette.style("muted"))
