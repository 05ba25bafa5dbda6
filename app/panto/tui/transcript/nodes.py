"""The blocks of a piece of Markdown, to rows. Nothing is ever wider than the width."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from rich.segment import Segment

from panto.tui.palette import Palette
from panto.tui.safe_text import safe_text
from panto.tui.transcript.code import code_rows
from panto.tui.transcript.inline import inline_spans
from panto.tui.transcript.rows import Row, Span, indented, wrap
from panto.tui.transcript.table import table_rows

if TYPE_CHECKING:
    from markdown_it.tree import SyntaxTreeNode

_NARROWEST = 8
"""What is nested so deep that less would be left is not indented any more."""
_BOXES = {"[ ] ": "☐", "[x] ": "☑", "[X] ": "☑"}
_BULLETS = ("•", "◦", "▪")


@dataclass(frozen=True)
class Setting:
    """What a node's rows depend on, beside the node.

    ``lines`` is the source. ``number`` is what the first item of a list has in place of its own number. ``plain`` keeps
    code from being coloured, for it may not be whole yet.
    """

    lines: Sequence[str]
    width: int
    palette: Palette
    plain: bool = False
    role: str = "foreground"
    number: int | None = None
    depth: int = 0

    def narrower(self, columns: int) -> Setting | None:
        """For what is nested behind some columns; None if that leaves too little room."""
        return replace(self, width=self.width - columns) if self.width - columns >= _NARROWEST else None


def node_rows(nodes: Iterable[SyntaxTreeNode], setting: Setting, *, compact: bool = False) -> list[Row]:
    """The rows of some blocks: apart, or, if they shall be compact, only where their source has an empty line."""
    rows: list[Row] = []
    for node in nodes:
        if rows and (not compact or _is_apart(node, setting)):
            rows.append(Row(()))
        rows += _RENDERERS.get(node.type, _as_text)(node, setting)
    return rows


def _is_apart(node: SyntaxTreeNode, setting: Setting) -> bool:
    start = node.map[0] if node.map else 0
    return start > 0 and not setting.lines[start - 1].strip(" \t>")


def _paragraph(node: SyntaxTreeNode, setting: Setting) -> list[Row]:
    return wrap(inline_spans(node, setting.palette.style(setting.role), setting.palette), setting.width)


def _heading(node: SyntaxTreeNode, setting: Setting) -> list[Row]:
    level = int(node.tag[1:])
    style = setting.palette.style("heading", bold=level <= 3, underline=level == 1, italic=level > 3)
    return wrap(inline_spans(node, style, setting.palette), setting.width)


def _code(node: SyntaxTreeNode, setting: Setting) -> list[Row]:
    return code_rows(node.content, node.info.strip(), setting.width, setting.palette, plain=setting.plain)


def _quote(node: SyntaxTreeNode, setting: Setting) -> list[Row]:
    inner = setting.narrower(2)
    rows = node_rows(node.children, replace(inner or setting, role="quote"))
    bar = [Segment("▏ ", setting.palette.style("border"))] if inner else []
    return indented(rows, bar, bar)


def _list(node: SyntaxTreeNode, setting: Setting) -> list[Row]:
    first = int(node.attrs.get("start", 1)) if node.type == "ordered_list" else None
    if first is not None and setting.number is not None:
        first = setting.number
    inner = replace(setting, number=None, depth=setting.depth + 1)
    rows: list[Row] = []
    for number, item in enumerate(node.children):
        if rows and _is_apart(item, setting):
            rows.append(Row(()))
        mark = _BULLETS[setting.depth % len(_BULLETS)] if first is None else f"{first + number}."
        rows += _item(item, mark, inner)
    return rows


def _item(item: SyntaxTreeNode, mark: str, setting: Setting) -> list[Row]:
    inner = setting.narrower(len(mark) + 1)
    rows = node_rows(item.children, inner or setting, compact=True) or [Row(())]
    box = _box(rows[0])
    edge = [Segment(f"{box or mark} ", setting.palette.style("muted" if mark[0].isdigit() else "accent"))]
    return indented(rows, edge, [Segment(" " * len(edge[0].text), setting.palette.base)]) if inner else rows


def _box(row: Row) -> str:
    """The box of a task, taken off its first row; empty if there is none."""
    box = _BOXES.get(row.text[:4], "")
    left = 4 if box else 0
    kept: list[Span] = []
    for span in row.spans:
        cut = min(left, len(span.text))
        left -= cut
        kept.append(Segment(span.text[cut:], span.style))
    row.spans = kept
    return box


def _rule(_node: SyntaxTreeNode, setting: Setting) -> list[Row]:
    return [Row.drawn([Segment("─" * setting.width, setting.palette.style("border"))])]


def _table(node: SyntaxTreeNode, setting: Setting) -> list[Row]:
    return table_rows(node, setting.width, setting.palette)


def _as_text(node: SyntaxTreeNode, setting: Setting) -> list[Row]:
    return wrap([Segment(safe_text(node.content.rstrip("\n")), setting.palette.style(setting.role))], setting.width)


_RENDERERS: dict[str, Callable[[SyntaxTreeNode, Setting], list[Row]]] = {
    "paragraph": _paragraph,
    "heading": _heading,
    "fence": _code,
    "code_block": _code,
    "blockquote": _quote,
    "bullet_list": _list,
    "ordered_list": _list,
    "table": _table,
    "hr": _rule,
}
