"""Chips: words in the prompt, such as ``[paste 1: 213 lines]``, that stand for a large paste or a picture.

In the text a chip begins with a character of its own and ends with `CLOSE`. Both are private characters that the
screen shows as brackets; text from outside that has any such character is made a chip itself, so that none in the
text means anything else.
"""

import re
from dataclasses import dataclass, field

from panto.messages import Image
from panto.tui.writing.written import Written

IN_PLACE = "\ufffc"
"""What stands in place of a chip where only what was typed counts. It is no part of any word."""
MOST_LINES = 10
MOST_CHARACTERS = 1_000
"""What is pasted is a chip if it is longer than this."""
_FIRST = 0x100000
CLOSE = "\U0010fffd"
_OPEN = f"{chr(_FIRST)}-\U0010fffc"
_CHIP = re.compile(rf"[{_OPEN}][^{_OPEN}{CLOSE}]*{CLOSE}")
_PRIVATE = re.compile(rf"[{_OPEN}{CLOSE}]")
_UNKEPT = re.compile(rf"[{_OPEN}{CLOSE}\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")
"""Characters that would not be kept in the editor: its own, and those that it takes for line ends."""


def shown_bracket(character: str) -> str:
    """A character of the text as the screen shows it: a bracket at each end of a chip."""
    return character if _PRIVATE.fullmatch(character) is None else "]" if character == CLOSE else "["


def has_brackets(text: str) -> bool:
    """Whether there is any chip in a text."""
    return _PRIVATE.search(text) is not None


def is_editable(text: str) -> bool:
    """Whether the editor would keep a text as it is."""
    return _UNKEPT.search(text) is None


def is_large(text: str) -> bool:
    """Whether a text that is pasted would fill the prompt."""
    return len(text) > MOST_CHARACTERS or text.count("\n") >= MOST_LINES


@dataclass(frozen=True)
class Chip:
    """A word that stands for something. ``text`` is what it stands for; of a picture, that is its file's path."""

    mark: str
    """The word as it stands in the text, with its private characters."""
    text: str
    image: Image | None = None
    name: str = ""
    """Of a picture: its file's name, safe to show."""

    @property
    def label(self) -> str:
        """The word as it is shown."""
        return f"[{self.mark[1:-1]}]"

    @property
    def sent(self) -> str:
        """What a text that is sent has in its place."""
        return self.text if self.image is None else self.label

    @property
    def can_open(self) -> bool:
        """Whether what it stands for can be edited in its place."""
        return self.image is None and is_editable(self.text)


@dataclass
class Chips:
    """The chips of one prompt. They are known until the prompt is sent, so that one that is undone can come back."""

    _known: dict[str, Chip] = field(default_factory=dict[str, Chip])
    _pastes: int = 0
    _images: int = 0

    def clear(self) -> None:
        """Forget them all: another text is begun."""
        self._known.clear()
        self._pastes = self._images = 0

    def taken_in(self, text: str) -> str:
        """A text from outside as it is put into the editor: itself, or a chip if it is large or can't be kept."""
        return self.paste(text) if is_large(text) or not is_editable(text) else text

    def paste(self, text: str) -> str:
        """A new chip for a text, as it stands in the editor."""
        self._pastes += 1
        lines = text.count("\n") + (not text.endswith("\n"))
        size = f"{lines} lines" if lines > 1 else f"{len(text)} characters"
        return self._add(f"paste {self._pastes}: {size}", text)

    def image(self, path: str, name: str, image: Image) -> str:
        """A new chip for a picture, as it stands in the editor. ``name`` is safe to show and has no line end."""
        self._images += 1
        size = file_size(len(image.data))
        return self._add(f"image {self._images}: {_PRIVATE.sub('?', name)} {size}", path, image, name)

    def at(self, line: str) -> list[tuple[int, int, Chip]]:
        """The chips in a line of the editor, with the columns at which they begin and end."""
        found = ((match.start(), match.end(), self._known.get(match[0][0])) for match in _CHIP.finditer(line))
        return [(start, end, chip) for start, end, chip in found if chip is not None and chip.mark == line[start:end]]

    def written(self, text: str) -> Written:
        """The editor's text with all that its chips stand for."""
        if not has_brackets(text):
            return Written(text)
        whole, end = Written(), 0
        for start, stop, chip in self.at(text):
            pastes = ((0, len(chip.text)),) if chip.image is None else ()
            whole = whole + Written(text[end:start]) + Written(chip.text, pastes)
            end = stop
        return whole + Written(text[end:])

    def folded(self, written: Written) -> str:
        """A text as it is put into the editor, with chips for its large pastes and for what can't be kept."""
        pieces: list[str] = []
        end = 0
        for start, stop in written.pastes:
            pieces += [self._kept(written.text[end:start]), self.paste(written.text[start:stop])]
            end = stop
        return "".join((*pieces, self._kept(written.text[end:])))

    def said(self, text: str) -> tuple[str, tuple[Image, ...]]:
        """What is sent: the text with its pastes, pictures named where they stood, and the pictures."""
        if not has_brackets(text):
            return text, ()
        pieces: list[str] = []
        images: list[Image] = []
        end = 0
        for start, stop, chip in self.at(text):
            pieces += [text[end:start], chip.sent]
            if chip.image is not None:
                images.append(chip.image)
            end = stop
        return "".join((*pieces, text[end:])), tuple(images)

    def typed(self, text: str) -> str | None:
        """The text with one character in place of each chip; None if there is none."""
        pieces: list[str] = []
        end = 0
        for start, stop, _ in self.at(text):
            pieces += [text[end:start], IN_PLACE]
            end = stop
        return "".join((*pieces, text[end:])) if pieces else None

    def found_again(self, here: str, whole: str) -> str:
        """A whole text as it is put into the editor, with those chips of the editor's text that are still in it.

        A chip whose text was changed is not: it can be read in its place.
        """
        pieces: list[str] = []
        end = 0
        for _, _, chip in self.at(here):
            at = whole.find(chip.text, end) if chip.text else -1
            if at >= 0:
                pieces += [self._kept(whole[end:at]), chip.mark]
                end = at + len(chip.text)
        return "".join((*pieces, self._kept(whole[end:])))

    def _kept(self, text: str) -> str:
        return text if is_editable(text) else self.paste(text)

    def _add(self, words: str, text: str, image: Image | None = None, name: str = "") -> str:
        opening = chr(_FIRST + len(self._known))
        chip = Chip(f"{opening}{words}{CLOSE}", text, image, name)
        self._known[opening] = chip
        return chip.mark


def file_size(size: int) -> str:
    """A number of bytes for people."""
    if size < 1_000:
        return f"{size} B"
    return f"{size / 1_000:.0f} kB" if size < 1_000_000 else f"{size / 1_000_000:.1f} MB"
