"""Diffs on the screen: unified, or side by side where there is room, with the words that changed underlined."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, zip_longest
from pathlib import PurePath
from typing import TypeAlias, TypeVar

from rich.segment import Segment
from rich.style import Style

from panto.tui.palette import Palette
from panto.tui.safe_text import cell_width, safe_line, safe_text, truncate
from panto.tui.transcript.block import Block, estimated_rows
from panto.tui.transcript.diff_lines import Change, ChangeKind, changes, counterparts, run_end
from panto.tui.transcript.highlight import Highlighter, Piece
from panto.tui.transcript.rows import LINE_END, Row, Span, chop, indented
from panto.tui.transcript.word_changes import word_changes

LINES_IN_BLOCK = 100
SIDE_BY_SIDE = 130
"""From this width on the two sides stand beside each other."""
_ENOUGH = 20
"""With fewer columns beside them, the numbers are left out."""
_CHANGED = Style(underline=True)
"""Marks changed words: seen in any theme, and without colours."""
_SIGN_OF: dict[ChangeKind, str] = {"added": "+", "removed": "-"}
_GROUNDS: dict[ChangeKind, str] = {"added": "added-ground", "removed": "removed-ground"}
_LANGUAGES = {"yml": "yaml", "h": "c", "hpp": "cpp", "cc": "cpp", "kt": "kotlin", "cs": "csharp", "htm": "html"}

T = TypeVar("T")
Pair: TypeAlias = tuple["Line | None", "Line | None"]
"""What stands side by side."""


class Side:
    """One of the two texts that a file's part of a diff is made of, in the colours of its language."""

    def __init__(self, language: str) -> None:
        self._language = language
        self._lines: list[str] = []

    def add(self, text: str) -> int:
        """One more line; gives its place."""
        self._lines.append(text)
        return len(self._lines) - 1

    def pieces(self, place: int) -> Sequence[Piece]:
        """A line, in parts with their roles."""
        text = self._lines[place]
        pieces = self._highlighter.line(place) or ()
        return pieces if "".join(piece for _, piece in pieces) == text else [("foreground", text)]

    @cached_property
    def _highlighter(self) -> Highlighter:
        return Highlighter(LINE_END.join(self._lines), self._language)


@dataclass(frozen=True)
class Line:
    """A line as it is shown: what it is, the text that replaced it or that it replaced, and where its colours are."""

    change: Change
    text: str
    counterpart: str
    side: Side
    place: int

    def spans(self, palette: Palette) -> list[Span]:
        """The text in its colours, with what changed in it marked."""
        ground = _GROUNDS.get(self.change.kind, "background")
        parts = word_changes(self.text, self.counterpart) if self.counterpart else [(self.text, False)]
        pieces = self.side.pieces(self.place)
        ends = sorted({*accumulate(len(text) for text, _ in parts), *accumulate(len(text) for _, text in pieces)})
        spans: list[Span] = []
        start = 0
        for end in ends:
            style = palette.style(_at(start, [(len(text), role) for role, text in pieces], "foreground"), on=ground)
            changed = _at(start, [(len(text), changed) for text, changed in parts], False)
            spans.append(Segment(self.text[start:end], style + _CHANGED if changed else style))
            start = end
        return spans

    def head(self, digits: int, palette: Palette) -> Segment:
        """The number, if there is room for it, and the sign."""
        kind = self.change.kind
        number = f"{self.change.number or '':>{digits}} " if digits else ""
        role = kind if kind in _SIGN_OF else "muted"
        return Segment(f"{number}{_SIGN_OF.get(kind, ' ')} ", palette.style(role, on=_GROUNDS.get(kind, "background")))


class DiffBlock(Block):
    """Some lines of a diff, with numbers that take ``digits`` columns."""

    def __init__(self, lines: Sequence[Line], digits: int) -> None:
        super().__init__()
        self._lines = lines
        self._digits = digits

    def render(self, width: int, palette: Palette) -> list[Row]:
        """Number, sign and text of each line; what does not fit goes on below the text."""
        if width >= SIDE_BY_SIDE:
            return [row for pair in _pairs(self._lines) for row in self._beside(pair, width, palette)]
        return [row for line in self._lines for row in self._below(line, width, palette)]

    def estimate(self, width: int) -> int:
        """By the number of characters."""
        return sum(estimated_rows(line.text, width) for line in self._lines)

    def _below(self, line: Line, width: int, palette: Palette) -> list[Row]:
        """A line of the unified form."""
        if line.change.kind in ("file", "skipped", "remark"):
            return [_note(line.change, self._digits, width, palette)]
        digits = self._digits if width >= self._digits + _ENOUGH else 0
        edge = [Segment("  ", palette.base)] if digits else []
        head = line.head(digits, palette)
        rest = Segment(" " * len(head.text), head.style)
        room = width - len(head.text) - sum(len(part.text) for part in edge)
        rows = indented(chop(line.spans(palette), room), [*edge, head], [*edge, rest])
        for row in rows:
            row.fill = head.style
        return rows

    def _beside(self, pair: Pair, width: int, palette: Palette) -> list[Row]:
        """A row, or more, with the old line at the left and the new one at the right.

        What copying gives is the new line, or the old one where there is no new one.
        """
        left, right = pair
        only = left or right
        if only is None or only.change.kind in ("file", "skipped", "remark"):
            return [_note(only.change, self._digits, width, palette)] if only is not None else []
        half = (width - 5) // 2
        lefts, rights = (self._cells(line, half, palette) for line in pair)
        bar = [Segment(" │ ", palette.style("border"))]
        rows: list[Row] = []
        for number, (old, new) in enumerate(zip_longest(lefts, rights)):
            before, after = (old or _blank(half, palette)), (new or _blank(half, palette))
            head_left, text_left, pad_left = before
            head_right, text_right, pad_right = after
            spans = [*text_left, pad_left, *bar, head_right, *text_right, pad_right]
            kept = range(len(text_left)) if right is None else range(len(text_left) + 3, len(spans) - 1)
            instead = {at: "" for at in range(len(spans)) if at not in kept}
            joint = LINE_END if number == 0 else ""
            rows.append(Row(spans, joint, [Segment("  ", palette.base), head_left], instead=instead))
        return rows

    def _cells(self, line: Line | None, width: int, palette: Palette) -> list[tuple[Span, Sequence[Span], Span]]:
        """One side's rows: the head, the text, and the empty rest."""
        if line is None:
            return []
        head = line.head(self._digits, palette)
        rest = Segment(" " * len(head.text), head.style)
        room = width - len(head.text)
        cells: list[tuple[Span, Sequence[Span], Span]] = []
        for number, row in enumerate(chop(line.spans(palette), room)):
            used = sum(cell_width(span.text) for span in row.spans)
            cells.append((rest if number else head, row.spans, Segment(" " * (room - used), head.style)))
        return cells


def diff_blocks(diff: str) -> list[Block]:
    """A diff as blocks. A file is named only if there are several."""
    found = list(changes(diff))
    files = sum(change.kind == "file" for change in found)
    digits = len(str(max((change.number for change in found), default=0)))
    lines = [line for line in _lines(found) if files > 1 or line.change.kind != "file"]
    return [DiffBlock(lines[start : start + LINES_IN_BLOCK], digits) for start in range(0, len(lines), LINES_IN_BLOCK)]


def _lines(found: Sequence[Change]) -> Iterator[Line]:
    old = new = Side("")
    for change, counterpart in zip(found, counterparts(found), strict=True):
        if change.kind == "file":
            language = _language(change.text)
            old, new = Side(language), Side(language)
        text = safe_text(change.text).replace(LINE_END, "")
        if change.kind == "same":
            old.add(text)
        side = old if change.kind == "removed" else new
        place = side.add(text) if change.kind in ("added", "removed", "same") else -1
        yield Line(change, text, safe_text(counterpart), side, place)


def _language(name: str) -> str:
    suffix = PurePath(name).suffix[1:].lower()
    return _LANGUAGES.get(suffix, suffix)


def _pairs(lines: Sequence[Line]) -> Iterator[Pair]:
    """What stands side by side: the same lines, and those removed beside those that were added in their place."""
    found = [line.change for line in lines]
    start = 0
    while start < len(lines):
        middle = run_end(found, start, "removed")
        end = run_end(found, middle, "added")
        if end == start:
            yield lines[start], lines[start]
            start += 1
            continue
        yield from zip_longest(lines[start:middle], lines[middle:end])
        start = end


def _note(change: Change, digits: int, width: int, palette: Palette) -> Row:
    """What stands between lines: the name of a file, or that something is left out."""
    is_file = change.kind == "file"
    indent = 2 if is_file or width < digits + _ENOUGH else digits + 5
    style = palette.style("heading" if is_file else "muted", bold=is_file)
    text = truncate(safe_line(change.text), width - indent)
    return Row.drawn([Segment(" " * indent, palette.base), Segment(text, style)])


def _at(place: int, stretches: Iterable[tuple[int, T]], otherwise: T) -> T:
    """What stands at a place, of stretches with their lengths."""
    for length, what in stretches:
        if place < length:
            return what
        place -= length
    return otherwise


def _blank(width: int, palette: Palette) -> tuple[Span, Sequence[Span], Span]:
    return Segment("", palette.base), (), Segment(" " * width, palette.base)
