"""What copying gives: the source of whole entries, the plain text of parts; nothing that was only drawn."""

from collections.abc import Iterator, Sequence

from panto.tui.chat.places import Spot, Stretch
from panto.tui.palette import Palette
from panto.tui.transcript import Entry
from panto.tui.transcript.rows import LINE_END, text_of


def copied(entries: Sequence[Entry], stretch: Stretch, width: int, palette: Palette) -> str:
    """The text of a stretch. Of an entry with something folded away, only what is seen."""
    pieces: list[str] = []
    for index in range(stretch.start.entry, min(stretch.end.entry + 1, len(entries))):
        entry = entries[index]
        text = entry.source.strip("\r\n") if _is_whole(entry, index, stretch, width, palette) else None
        if text is None:
            text = "".join(_parts(entry, index, stretch, width, palette))
        if pieces:
            pieces.append(LINE_END * (1 + entry.gap))
        pieces.append(text)
    return "".join(pieces)


def _is_whole(entry: Entry, index: int, stretch: Stretch, width: int, palette: Palette) -> bool:
    if entry.folded or stretch.start > Spot(index, 0, 0):
        return False
    if stretch.end.entry > index:
        return True
    blocks = entry.blocks(width)
    last = next((number for number in reversed(range(len(blocks))) if blocks[number].rows(width, palette)), 0)
    end = len(text_of(blocks[last].rows(width, palette))) if blocks else 0
    return stretch.end >= Spot(index, last, end)


def _parts(entry: Entry, index: int, stretch: Stretch, width: int, palette: Palette) -> Iterator[str]:
    """The text of an entry's blocks as far as the stretch goes, and what stands between them."""
    begun = False
    for number, block in enumerate(entry.blocks(width)):
        start, end = stretch.within(index, number)
        rows = [row for row in block.rows(width, palette) if not row.is_drawn]
        if end == 0 or not rows:
            continue
        if begun:
            yield LINE_END * (1 + block.gap) if rows[0].joint == LINE_END else rows[0].joint
        begun = True
        yield text_of(rows)[start:end]
