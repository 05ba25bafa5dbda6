"""The README's own code: the files that a chapter shows, by the names it gives them."""

import re
from pathlib import Path

README = Path(__file__).parents[2] / "README.md"
_FILE = re.compile(r"^`(?P<name>[\w./-]+)`:\n\n```\w+\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)


def chapter(title: str) -> str:
    """The text below a heading of the second level. Raises `ValueError` if there is none."""
    text = README.read_text(encoding="utf-8")
    begin = text.index(f"\n## {title}\n")
    end = text.find("\n## ", begin + 1)
    return text[begin:end]


def files_in(text: str) -> dict[str, str]:
    """The files that a chapter shows."""
    return {match["name"]: match["text"] for match in _FILE.finditer(text)}
