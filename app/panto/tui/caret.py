"""Where the caret goes: from one character to the next as a reader sees them, never into the midst of one."""

from panto.tui.safe_text import clusters

_NEAR = 64
"""No more characters of a line than these are looked at on each side of the caret."""


def before(line: str, column: int) -> int:
    """The column at which the character begins that ends at a column; 0 at the beginning of the line."""
    start = max(0, column - _NEAR)
    edges = _edges(line[start : column + _NEAR])
    return max((start + edge for edge in edges if start + edge < column), default=0)


def after(line: str, column: int) -> int:
    """The column behind the character that begins at a column; the line's length at its end."""
    start = max(0, column - _NEAR)
    edges = _edges(line[start : column + _NEAR])
    return min((start + edge for edge in edges if start + edge > column), default=len(line))


def _edges(text: str) -> list[int]:
    edges = [0]
    for cluster, _ in clusters(text):
        edges.append(edges[-1] + len(cluster))
    return edges
