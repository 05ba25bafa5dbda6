"""What can be opened on the rows of a transcript: below the mouse, or in an entry."""

from collections.abc import Iterator

from panto.tui.chat.selection import Ground
from panto.tui.transcript.links import File, Target, found_in, link_at
from panto.tui.transcript.viewport import ShownRow


def target_at(ground: Ground, shown: ShownRow, column: int) -> Target | None:
    """What a cell of the view leads to, its column counted behind the margin; None if to nothing."""
    if shown.row is None or column < 0:
        return None
    place = shown.place
    entry = ground.entries[place.entry]
    rows = entry.blocks(ground.width)[place.block].rows(ground.width, ground.palette)
    number = place.row - entry.above(place.block)
    return link_at(rows, number, column) if 0 <= number < len(rows) else None


def first_target(ground: Ground, index: int) -> Target | None:
    """What the key opens of an entry: the first place in a file that is written there, or else the first address."""
    found = list(_targets(ground, index))
    return next((target for target in found if isinstance(target, File)), found[0] if found else None)


def _targets(ground: Ground, index: int) -> Iterator[Target]:
    """All targets in an entry as far as it is unfolded, up to the first place in a file."""
    for number in range(len(ground.entries[index].blocks(ground.width))):
        for found in found_in(ground.text(index, number)):
            yield found.target
            if isinstance(found.target, File):
                return
