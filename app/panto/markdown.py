"""Text from outside put into Markdown, so that it shows as it is and nothing of it is markup."""

import re

_SIGNS = re.compile(r"[\\`*_\[\]<>&~|$!#]")


def plain(text: str) -> str:
    """One line of text as Markdown that shows just that: blanks and line ends become one blank each."""
    return _SIGNS.sub(lambda sign: f"&#{ord(sign[0])};", " ".join(text.split()))


def code_span(text: str) -> str:
    """One line of text as a code span, whatever backticks it holds; empty for an empty text."""
    text = " ".join(text.split("\n"))
    fence = "`" * (max(map(len, re.findall("`+", text)), default=0) + 1)
    pad = " " if text[:1] in ("`", " ") or text[-1:] in ("`", " ") else ""
    return f"{fence}{pad}{text}{pad}{fence}" if text else ""
