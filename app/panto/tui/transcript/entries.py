"""The kinds of entries that hold text: what the user said, answers, thinking, notices, errors, ends of turns."""

from typing import ClassVar, Literal, TypeAlias

from rich.segment import Segment

from panto.tui.palette import Palette
from panto.tui.safe_text import safe_line, safe_text
from panto.tui.transcript.entry import Entry
from panto.tui.transcript.markdown import markdown_lines
from panto.tui.transcript.spans import Line, indented, wrap
from panto.tui.transcript.stream import MarkdownStream

Severity: TypeAlias = Literal["info", "warning", "error"]


class UserEntry(Entry):
    """What the user said, behind a bar."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self._text = text

    @property
    def source(self) -> str:
        """The text as it was typed."""
        return self._text

    def render(self, width: int, palette: Palette) -> list[Line]:
        """The text, as typed, behind a bar."""
        bar = [Segment("┃ ", palette.style("user"))]
        text = wrap([Segment(safe_text(self._text), palette.style("foreground", bold=True))], width - 2)
        return indented(text, bar, bar)


class AnswerEntry(Entry):
    """An answer in Markdown, whole or still streaming."""

    def __init__(self, text: str = "") -> None:
        super().__init__()
        self._markdown = MarkdownStream(text)

    @property
    def source(self) -> str:
        """The Markdown as the model wrote it."""
        return self._markdown.source

    def append(self, text: str) -> None:
        """More of it has come."""
        self._markdown.append(text)
        self.changed()

    def finish(self) -> None:
        """No more will come."""
        self._markdown.finish()
        self.changed()

    def render(self, width: int, palette: Palette) -> list[Line]:
        """The Markdown's lines."""
        return self._markdown.render(width, palette)


class ThinkingEntry(Entry):
    """A model's reasoning: to be read while it comes, one line when it is done."""

    def __init__(self, text: str = "", *, done: bool = False) -> None:
        super().__init__()
        self._pieces = [text]
        self._done = done
        self._folded = done

    @property
    def source(self) -> str:
        """The reasoning as it came."""
        return "".join(self._pieces)

    @property
    def foldable(self) -> bool:
        """It can always be folded."""
        return True

    def set_folded(self, folded: bool) -> None:
        """Show one line, or all."""
        if folded != self._folded:
            self._folded = folded
            self.changed()

    def append(self, text: str) -> None:
        """More of it has come."""
        self._pieces.append(text)
        self.changed()

    def finish(self) -> None:
        """No more will come: it folds."""
        self._done = self._folded = True
        self.changed()

    def render(self, width: int, palette: Palette) -> list[Line]:
        """One dim line when folded, else the dim text."""
        style = palette.style("thought", italic=True)
        text = self.source.strip()
        if self._folded:
            count = len(text.split())
            return wrap([Segment(f"▸ thought, {count} {'word' if count == 1 else 'words'}", style)], width)
        head = "▾ thought" if self._done else "▾ thinking"
        body = wrap([Segment(safe_text(text), style)], width - 2)
        return [[Segment(head, style)], *indented(body, [Segment("  ")], [Segment("  ")])]


class TextEntry(Entry):
    """What a command has to say, in Markdown."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self._text = text

    @property
    def source(self) -> str:
        """The text as it was given."""
        return self._text

    def render(self, width: int, palette: Palette) -> list[Line]:
        """The Markdown's lines."""
        return markdown_lines(self._text, width, palette)


class NoticeEntry(Entry):
    """Something the user should know, and what to do about it."""

    joins: ClassVar[bool] = True
    _MARKS: ClassVar[dict[Severity, tuple[str, str]]] = {
        "info": ("·", "note"),
        "warning": ("!", "warning"),
        "error": ("✗", "error"),
    }

    def __init__(self, text: str, severity: Severity = "info", hint: str = "") -> None:
        super().__init__()
        self._text = text
        self._severity: Severity = severity
        self._hint = hint

    @property
    def source(self) -> str:
        """The notice and its hint."""
        return f"{self._text}\n{self._hint}" if self._hint else self._text

    def render(self, width: int, palette: Palette) -> list[Line]:
        """A mark, the text, and the hint dim behind or below it."""
        mark, role = self._MARKS[self._severity]
        text = palette.style("foreground" if self._severity == "error" else role)
        spans = [Segment(safe_text(self._text), text)]
        if self._hint:
            spans.append(Segment(f"  {safe_text(self._hint)}", palette.style("muted")))
        return indented(wrap(spans, width - 2), [Segment(f"{mark} ", palette.style(role))], [Segment("  ")])


class TurnEndEntry(Entry):
    """The end of a turn: a thin line with what it took."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self._text = text

    @property
    def source(self) -> str:
        """What the turn took."""
        return self._text

    def render(self, width: int, palette: Palette) -> list[Line]:
        """The text, dim, and a line up to the edge."""
        text = safe_line(self._text)
        room = width - len(text) - 1
        rule = Segment(f" {'─' * room}", palette.style("border")) if room > 0 else Segment("")
        return (
            wrap([Segment(text, palette.style("muted"))], width)
            if room <= 0
            else [[Segment(text, palette.style("muted")), rule]]
        )
