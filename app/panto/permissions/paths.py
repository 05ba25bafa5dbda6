"""Where a path really is: judged by what links lead to, not by how it is spelled."""

from pathlib import Path


def real(path: Path) -> Path:
    """The real place of a path: its deepest existing ancestor with links followed, and the rest as it is.

    A path in a circle of links stays as it is, and so does one that no system can have.
    """
    try:
        return path.resolve()
    except (OSError, RuntimeError, ValueError):
        return path


def is_inside(path: Path, directory: Path) -> bool:
    """Whether a path really lies in a directory, or is that directory."""
    return real(path).is_relative_to(real(directory))
