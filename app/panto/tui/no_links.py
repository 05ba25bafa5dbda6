"""For terminals that don't know links, and would show what tells them of one."""

from collections.abc import Mapping, Sequence

from rich.segment import Segment
from textual.color import Color
from textual.filter import LineFilter

_WITHOUT = frozenset({"", "dumb", "linux", "cons25", "vt52", "vt100", "vt220"})


def knows_links(environment: Mapping[str, str]) -> bool:
    """Whether a terminal takes a link or at least leaves it out, by its name."""
    return environment.get("TERM", "").lower() not in _WITHOUT


class NoLinks(LineFilter):
    """Lines without the addresses that their texts carry."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        """The same segments, without links."""
        return [
            Segment(text, style.update_link(None) if style is not None and style.link else style, control)
            for text, style, control in segments
        ]


_NO_LINKS = NoLinks()


def filters_for(environment: Mapping[str, str]) -> Sequence[LineFilter]:
    """What lines go through before they are written to the terminal that the environment tells of."""
    return () if knows_links(environment) else (_NO_LINKS,)
