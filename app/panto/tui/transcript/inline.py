"""The inside of a Markdown paragraph: emphasis, code, links, breaks."""

from collections.abc import Iterable

from markdown_it.token import Token
from rich.segment import Segment
from rich.style import Style

from panto.tui.palette import Palette
from panto.tui.safe_text import safe_text

_OPEN = {"strong_open": Style(bold=True), "em_open": Style(italic=True), "s_open": Style(strike=True)}
_CLOSE = {"strong_close", "em_close", "s_close", "link_close"}


def inline_spans(tokens: Iterable[Token], base: Style, palette: Palette) -> list[Segment]:
    """Styled text of inline tokens. A link's address follows its text, unless it is the text."""
    spans: list[Segment] = []
    styles = [base]
    link = ""
    link_start = 0
    for token in tokens:
        kind = token.type
        if kind in _OPEN:
            styles.append(styles[-1] + _OPEN[kind])
        elif kind == "link_open":
            link, link_start = str(token.attrGet("href") or ""), len(spans)
            styles.append(styles[-1] + palette.style("link", underline=True))
        elif kind in _CLOSE:
            styles.pop()
            if kind == "link_close":
                spans += _address(link, spans[link_start:], palette)
        elif kind in ("softbreak", "hardbreak"):
            spans.append(Segment("\n" if kind == "hardbreak" else " ", styles[-1]))
        elif kind == "code_inline":
            spans.append(Segment(safe_text(token.content), styles[-1] + palette.style("code")))
        elif kind == "image":
            spans.append(Segment(safe_text(f"[image: {token.content}]"), styles[-1] + palette.style("muted")))
            spans += _address(str(token.attrGet("src") or ""), [], palette)
        else:
            spans.append(Segment(safe_text(token.content), styles[-1]))
    return spans


def _address(address: str, text: Iterable[Segment], palette: Palette) -> list[Segment]:
    shown = "".join(segment.text for segment in text)
    if not address or address.removeprefix("mailto:") == shown:
        return []
    return [Segment(f" ({safe_text(address)})", palette.style("muted"))]
