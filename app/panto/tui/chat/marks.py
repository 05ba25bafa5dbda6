"""What is marked on the rows of the view: matches, the selection, the cursor's bar, and the time at the right."""

import time
from collections.abc import Iterable, Iterator

from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from panto.tui.chat.finding import Finding
from panto.tui.chat.places import Stretch, row_starts
from panto.tui.palette import Palette
from panto.tui.transcript import Entry
from panto.tui.transcript.rows import Mark
from panto.tui.transcript.viewport import Place, ShownRow, Viewport

_BAR = "▌"
_REVERSED = Style(reverse=True)


def marks_on(shown: ShownRow, viewport: Viewport, finding: Finding | None, selection: Stretch | None) -> Iterator[Mark]:
    """The marks on a row: all matches, the selection, and on top the match that the user is at."""
    place = shown.place
    entry = viewport.entries[place.entry]
    rows = entry.blocks(viewport.width)[place.block].rows(viewport.width, viewport.palette)
    number = place.row - entry.above(place.block)
    begin = next(start for row, start in enumerate(row_starts(rows)) if row == number)
    for stretch, style in _stretches(place, viewport.palette, finding, selection):
        start, end = stretch.within(place.entry, place.block)
        stop = len(rows[number].text) if end is None else end - begin
        if stop > max(0, start - begin):
            yield Mark(max(0, start - begin), stop, style)


def _stretches(
    place: Place, palette: Palette, finding: Finding | None, selection: Stretch | None
) -> Iterable[tuple[Stretch, Style]]:
    matches = finding.in_block(place.entry, place.block) if finding is not None else ()
    yield from ((match, palette.style("muted") + _REVERSED) for match in matches)
    if selection is not None:
        yield selection, palette.style("accent") + _REVERSED
    here = finding.match if finding is not None else None
    if here is not None and here in matches:
        yield here, palette.style("warning", bold=True) + _REVERSED


def cursor_bar(palette: Palette) -> Segment:
    """What stands in the left margin of the entry that the cursor is on."""
    return Segment(_BAR, palette.style("accent"))


def bar_alone(palette: Palette, width: int) -> Strip:
    """An empty row with the cursor's bar."""
    return Strip([cursor_bar(palette), Segment(" " * (width - 1), palette.base)], width)


def with_time(strip: Strip, entry: Entry, margin: int, palette: Palette) -> Strip:
    """A strip of an entry with the time at its right, if that is known and there is room."""
    if entry.came is None:
        return strip
    text = time.strftime("  %H:%M:%S", time.localtime(entry.came))
    start, width = strip.cell_length - margin - len(text), strip.cell_length
    if start < 0 or not strip.crop(start, width).text.isspace():
        return strip
    stamp = Strip([Segment(text, palette.style("muted"))], len(text))
    return Strip.join([strip.crop(0, start), stamp, strip.crop(start + len(text), width)])
