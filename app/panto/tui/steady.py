"""A transcript that shares its room with what comes and goes beside it."""

from textual.geometry import Region
from textual.strip import Strip

from panto.tui.transcript import Transcript


class SteadyTranscript(Transcript):
    """Lays itself out before it is first painted in a new size.

    Textual tells of a new size only behind that picture, in which the old rows would be seen in the wrong place.
    """

    def render_lines(self, crop: Region) -> list[Strip]:
        """The view, in the size that it has now."""
        if (self._viewport.width, self._viewport.height) != (self._text_width, self._size_in_cells[1]):
            self.on_resize()
        return super().render_lines(crop)
