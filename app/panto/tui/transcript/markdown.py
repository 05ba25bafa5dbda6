"""A closed piece of Markdown, to lines. HTML and math are text; nothing is ever wider than the width."""

from collections.abc import Callable, Iterable, Sequence
from functools import cache

from markdown_it import MarkdownIt
from markdown_it.token import Token
from markdown_it.tree import SyntaxTreeNode
from rich.segment import Segment

from panto.tui.palette import Palette
from panto.tui.safe_text import safe_text
from panto.tui.transcript.code import highlighted
from panto.tui.transcript.inline import inline_spans
from panto.tui.transcript.spans import Line, chop, indented, wrap
from panto.tui.transcript.table import table_lines

_NARROWEST = 6
"""What is nested so deep that less would be left is no longer indented."""


@cache
def _parser() -> MarkdownIt:
    return MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])


def markdown_lines(source: str, width: int, palette: Palette) -> list[Line]:
    """The lines of a Markdown text."""
    root = SyntaxTreeNode(_parser().parse(source))
    return _blocks(root.children, width, palette)


def code_lines(code: str, language: str, width: int, palette: Palette) -> list[Line]:
    """The lines of a code block: indented, with its language above."""
    label = [[Segment(f"  {safe_text(language)}", palette.style("muted"))]] if language else []
    body = chop(highlighted(code.removesuffix("\n"), language, palette), width - 2)
    return [*chop(label[0], width), *indented(body, _TWO, _TWO)] if label else indented(body, _TWO, _TWO)


def _blocks(nodes: Iterable[SyntaxTreeNode], width: int, palette: Palette, *, tight: bool = False) -> list[Line]:
    lines: list[Line] = []
    for node in nodes:
        if lines and not tight:
            lines.append([])
        lines += _RENDERERS.get(node.type, _as_text)(node, width, palette)
    return lines


def _paragraph(node: SyntaxTreeNode, width: int, palette: Palette) -> list[Line]:
    return wrap(_inline(node, palette, "foreground"), width)


def _heading(node: SyntaxTreeNode, width: int, palette: Palette) -> list[Line]:
    return wrap(_inline(node, palette, "heading", bold=True, underline=node.tag == "h1"), width)


def _inline(node: SyntaxTreeNode, palette: Palette, role: str, **extra: bool) -> list[Segment]:
    base = palette.style(role, **extra)
    return [span for child in node.children for span in inline_spans(_tokens(child), base, palette)]


def _tokens(node: SyntaxTreeNode) -> Sequence[Token]:
    return node.token.children or () if node.token is not None else ()


def _code(node: SyntaxTreeNode, width: int, palette: Palette) -> list[Line]:
    return code_lines(node.content, node.info.split(maxsplit=1)[0] if node.info.strip() else "", width, palette)


def _quote(node: SyntaxTreeNode, width: int, palette: Palette) -> list[Line]:
    bar = [Segment("▏ ", palette.style("quote"))] if width > _NARROWEST else []
    return indented(_blocks(node.children, width - 2 if bar else width, palette), bar, bar)


def _list(node: SyntaxTreeNode, width: int, palette: Palette) -> list[Line]:
    first = int(node.attrs.get("start", 1)) if node.type == "ordered_list" else None
    tight = all(child.hidden for item in node.children for child in item.children if child.type == "paragraph")
    markers = [f"{first + n}." if first is not None else "•" for n in range(len(node.children))]
    indent = max(map(len, markers), default=1) + 1
    lines: list[Line] = []
    for item, marker in zip(node.children, markers, strict=True):
        if lines and not tight:
            lines.append([])
        room = width - indent
        body = _blocks(item.children, room if room > _NARROWEST else width, palette, tight=tight) or [[]]
        task = _task(body)
        shown = Segment(f"{task or marker:<{indent}}", palette.style("accent" if first is None else "muted"))
        rest = Segment(" " * indent)
        lines += indented(body, [shown], [rest]) if room > _NARROWEST else indented(body, [], [])
    return lines


def _task(body: list[Line]) -> str:
    """The box of a task list's item, taken off its first line; empty if it is none."""
    if not body or not body[0]:
        return ""
    first = body[0]
    text = "".join(segment.text for segment in first)
    boxes = {"[ ] ": "☐", "[x] ": "☑", "[X] ": "☑"}
    if text[:4] not in boxes:
        return ""
    left = 4
    kept: Line = []
    for segment in first:
        cut = min(left, len(segment.text))
        left -= cut
        if segment.text[cut:]:
            kept.append(Segment(segment.text[cut:], segment.style))
    body[0] = kept
    return boxes[text[:4]]


def _rule(_node: SyntaxTreeNode, width: int, palette: Palette) -> list[Line]:
    return [[Segment("─" * width, palette.style("border"))]]


def _as_text(node: SyntaxTreeNode, width: int, palette: Palette) -> list[Line]:
    return wrap([Segment(safe_text(node.content.rstrip("\n")), palette.style("foreground"))], width)


_TWO = [Segment("  ")]
_RENDERERS: dict[str, Callable[[SyntaxTreeNode, int, Palette], list[Line]]] = {
    "paragraph": _paragraph,
    "heading": _heading,
    "fence": _code,
    "code_block": _code,
    "blockquote": _quote,
    "bullet_list": _list,
    "ordered_list": _list,
    "table": table_lines,
    "hr": _rule,
}
