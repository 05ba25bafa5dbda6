"""The prompt: a box that grows with its text, sends on Enter, and never sends on a paste."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Region
from textual.message import Message
from textual.strip import Strip
from textual.timer import Timer
from textual.widgets import TextArea

from panto.messages import Image
from panto.tui.frame import with_hints
from panto.tui.safe_text import cell_width, truncate
from panto.tui.terminal_keys import NEWLINE_KEYS
from panto.tui.writing.area import WritingArea
from panto.tui.writing.chips import has_brackets, is_editable
from panto.tui.writing.company import Completer, Keeper
from panto.tui.writing.pictures import NoPictureError, pictures_in
from panto.tui.writing.recall import Recall
from panto.tui.writing.sent_chips import SentChips
from panto.tui.writing.vi import ViKeys
from panto.tui.writing.written import Written

_JOINERS = ("\u200c", "\u200d")
"""What Textual takes for no text: they make one character of several, or keep two apart."""
DRAFT_SECONDS = 0.3
"""How long after a change the text that is not sent yet is kept."""


class Prompt(WritingArea):
    """A multi-line editor. Enter posts `Submitted`; a trailing backslash or a newline key makes a new line.

    Up on the first line and Down on the last walk through what was sent before. A large paste, or the path of a
    picture, becomes a chip.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "submit", "send"),
        Binding(",".join(NEWLINE_KEYS), "newline", "new line"),
        Binding("ctrl+c", "app.interrupt", "clear, stop, twice quits"),
        Binding("ctrl+d", "app.leave", "quit from an empty prompt"),
    ]

    completer: Completer | None = None
    """What the text is completed by, if anything."""
    keeper: Keeper | None = None
    """Where what is written is kept, if anywhere."""
    vi: ViKeys | None = None
    """The keys of vi, if they are wanted."""
    _hints: Sequence[str] = ()

    @dataclass
    class Submitted(Message):
        """The user wants this text sent."""

        text: str
        images: tuple[Image, ...] = ()
        typed: str | None = None
        """The text without its large pastes, which nobody has read; None if it has none."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's own name for it
        self.recall = Recall()
        self._keeping: Timer | None = None
        self._sent = SentChips()
        super().__init__(id=id)
        self.last_key = 0.0
        """When the last key of an unfinished text was typed, by the monotonic clock; 0 once it is sent."""

    def show_hints(self, hints: Sequence[str]) -> None:
        """Say in the frame, at the bottom right, what may be typed. Those at the end are left out first."""
        if hints != self._hints:
            self._hints = hints
            self.refresh()

    def use_vi(self, wanted: bool) -> None:
        """Have the keys of vi, in the mode to type in, or not."""
        if wanted or self.vi is not None:
            self.vi = ViKeys(self) if wanted else None
            self.refresh()

    def remember(self, text: str) -> None:
        """Add a text, as it stands here, to those that Up brings back."""
        written = self.chips.written(text)
        if self.recall.add(written) and self.keeper is not None:
            self.keeper.remember(written)

    def replace_text(self, text: str | Written) -> None:
        """Put a text in place of what is there, with the caret behind it."""
        self.load_written(text if isinstance(text, Written) else Written(text))
        self.move_cursor(self.document.end)

    def give_back(self, text: str) -> None:
        """Put a text that was not sent before what is there, with its pictures."""
        here = self.text
        if not here.strip():
            self.replace_text("")
        back = self._sent.again(self.chips, text) + ("\n" if here.strip() else "")
        self.replace(back, (0, 0), (0, 0), maintain_selection_offset=False)
        self.move_cursor(self.document.end)

    def restore(self, written: Written) -> None:
        """Put in a text that was left here unsent. If another has been begun, Up leads to it."""
        if written.text.strip():
            if self.text:
                self.recall.add(written)
            else:
                self.replace_text(written)

    def type_ahead(self, text: str) -> None:
        """Take text that was typed before the prompt was there: each whole line was meant to be sent."""
        *lines, rest = "".join(c for c in text if c == "\n" or c.isprintable()).split("\n")
        for line in lines:
            self.replace_text(line)
            self.action_submit()
        self.replace_text(rest)

    def action_submit(self) -> None:
        """Send the text, unless it ends in a backslash, which asks for a new line."""
        row, column = self.cursor_location
        if column and self.document.get_line(row)[column - 1 : column] == "\\":
            self.replace("\n", (row, column - 1), (row, column))
            return
        here = self.text
        if here.strip():
            self.remember(here)
            text, images = self.chips.said(here)
            typed = self.chips.typed(here)
            self._sent.add(self.chips, here)
            self.text = ""
            self.use_vi(self.vi is not None)
            self.last_key = 0.0
            self.keep_draft()
            self.post_message(self.Submitted(text, images, typed))

    def action_newline(self) -> None:
        """Begin a new line."""
        start, end = self.selection
        self.replace("\n", *sorted((start, end)))

    def action_cursor_up(self, select: bool = False) -> None:
        """Move up, or from the first line to what was sent before."""
        if select or not self.cursor_at_first_line:
            super().action_cursor_up(select)
        elif (before := self.recall.back(self.written)) is not None:
            self.replace_text(before)

    def action_cursor_down(self, select: bool = False) -> None:
        """Move down, or from the last line to what was sent after."""
        if select or not self.cursor_at_last_line:
            super().action_cursor_down(select)
        elif (behind := self.recall.forth()) is not None:
            self.replace_text(behind)

    def action_cursor_right(self, select: bool = False) -> None:
        """Move right; a hint behind the caret stays a hint."""
        if not self.suggestion:
            super().action_cursor_right(select)

    def load_written(self, written: Written) -> None:
        """Put in a text that was not typed, which is not completed."""
        super().load_written(written)
        self._keep_draft_soon()
        if self.completer is not None:
            self.completer.dismiss()

    def update_suggestion(self) -> None:
        """After each edit: complete what is there, and show what may stand behind it."""
        self._keep_draft_soon()
        self.look()
        hint = "" if self.completer is None else self.completer.hint()
        self.suggestion = truncate(hint, self.wrap_width - cell_width(self.text)) if hint else ""

    def watch_selection(self) -> None:
        """After each move of the caret."""
        self.look()

    def watch_has_focus(self, _has_focus: bool) -> None:
        """Keys go to the prompt now, or do no more."""
        super().watch_has_focus(_has_focus)
        self.look()

    def render_lines(self, crop: Region) -> list[Strip]:
        """The box, with the hints in its frame."""
        strips = super().render_lines(crop)
        bottom = self.outer_size.height - 1
        hints = self._hints_now()
        if hints and self.styles.border_bottom[0] and crop.y <= bottom < crop.bottom:
            whole = super().render_lines(Region(0, bottom, self.outer_size.width, 1))[0]
            framed = with_hints(whole, hints, self._hint_style())
            strips = [*strips[: bottom - crop.y], framed.crop(crop.x, crop.right), *strips[bottom - crop.y + 1 :]]
        return strips

    def _hint_style(self) -> Style:
        """The hints' colours, as far as the terminal has them: the frame that they are written into is done already."""
        around, _ = self.background_colors
        hint = Strip([Segment("/", Style.from_color(self.styles.border_subtitle_color.rich_color, around.rich_color))])
        for line_filter in self.get_line_filters():
            hint = hint.apply_filter(line_filter, around)
        return next(segment.style for segment in hint) or Style()

    def _hints_now(self) -> list[str]:
        """The hints, and before them those for what is here now."""
        vi = ["vi normal"] if self.vi is not None and self.vi.normal else []
        chips = self.chips.at(self.text) if has_brackets(self.text) else []
        paste = ["Ctrl+X opens the paste"] if any(chip.image is None for _, _, chip in chips) else []
        return [*vi, *paste, *self._hints]

    def look(self) -> None:
        """Complete what is there, as far as it is to be completed now."""
        if self.completer is not None:
            self.completer.look()

    async def _on_key(self, event: events.Key) -> None:
        """Take all keys that do something here in the order in which they came.

        A binding would be looked at later or earlier than keys that are still on their way here: half of what was
        typed would be sent, or a letter deleted that came after.
        """
        action = _ACTIONS.get(event.key)
        if event.key != "enter":
            self.last_key = time.monotonic()
        if action is None or "kill" not in action:
            self.kills.end()
        if (self.completer is not None and self.completer.press(event.key)) or self._is_vi(event):
            event.stop()
            event.prevent_default()
        elif action is not None:
            event.stop()
            event.prevent_default()
            await self.run_action(action)
        elif event.character is not None and (event.character in _JOINERS or has_brackets(event.character)):
            event.stop()
            event.prevent_default()
            self.type_in(self.chips.taken_in(event.character))
        else:
            await super()._on_key(event)

    async def _on_paste(self, event: events.Paste) -> None:
        """Insert a paste whole, in one step: every byte that is text, with line ends as the editor keeps them."""
        event.stop()
        event.prevent_default()
        was_open = self.completer is not None and self.completer.is_open
        text = event.text.replace("\r\n", "\n").replace("\r", "\n")
        pictures = await self._pictures(text)
        self.type_in(pictures or self.chips.taken_in(text))
        if self.completer is not None and not was_open:
            self.completer.dismiss()

    async def _pictures(self, text: str) -> str:
        """Chips for the pictures whose paths a paste is; nothing if it is another text, or one can't be read."""
        try:
            pictures = await pictures_in(text) if is_editable(text) else []
        except NoPictureError as error:
            self.post_message(self.Told(str(error)))
            return ""
        return " ".join(self.chips.image(each.path, each.name, each.image) for each in pictures)

    def _is_vi(self, event: events.Key) -> bool:
        """Whether vi's keys have a use for a key."""
        if self.vi is None:
            return False
        before = self.vi.normal
        taken = self.vi.press(event.key, event.character)
        if self.vi.normal != before:
            self.refresh()
        return taken

    def _keep_draft_soon(self) -> None:
        if self.keeper is not None and self._keeping is None and self.is_attached:
            self._keeping = self.set_timer(DRAFT_SECONDS, self.keep_draft)

    def keep_draft(self) -> None:
        """Keep the text that is not sent, as it is now."""
        if self._keeping is not None:
            self._keeping.stop()
            self._keeping = None
        if self.keeper is not None:
            self.keeper.keep_draft(self.written)


_ACTIONS = {
    key: binding.action
    for bound in (TextArea.BINDINGS, WritingArea.BINDINGS, Prompt.BINDINGS)
    for binding in bound
    if isinstance(binding, Binding)
    for key in binding.key.split(",")
}
"""What each key that the prompt takes for itself does."""
