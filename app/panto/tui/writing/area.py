"""The editor that the prompt is: a text area whose text may hold chips, and that kills and yanks as shells do."""

from dataclasses import dataclass
from typing import ClassVar, cast

from rich.text import Text
from textual.app import App
from textual.binding import Binding, BindingType
from textual.document._document import EditResult, Location, Selection  # where Textual keeps what its editor works on
from textual.document._document_navigator import DocumentNavigator  # the two that every new text gets
from textual.document._edit import Edit
from textual.document._wrapped_document import WrappedDocument
from textual.message import Message
from textual.widgets import TextArea

from panto.tui import caret
from panto.tui.shown_document import ShownDocument
from panto.tui.writing.chips import Chip, Chips
from panto.tui.writing.kills import Kills
from panto.tui.writing.words import blank_before, word_end_after, word_start_before
from panto.tui.writing.written import Written


class WritingArea(TextArea):
    """A text area in which a chip is one character for the caret, for every change and for undo."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+left,alt+left,alt+b", "cursor_word_left", show=False),
        Binding("ctrl+right,alt+right,alt+f", "cursor_word_right", show=False),
        Binding("ctrl+k", "kill_to_end", show=False),
        Binding("ctrl+u,super+backspace", "kill_to_start", show=False),
        Binding("ctrl+w", "kill_to_blank", show=False),
        Binding("alt+backspace,ctrl+backspace", "kill_word_left", show=False),
        Binding("alt+d,alt+delete,ctrl+delete", "kill_word_right", show=False),
        Binding("ctrl+y", "yank", "put back what was deleted with Ctrl+K, U or W"),
        Binding("ctrl+z,super+z,ctrl+underscore", "undo", "undo"),
        Binding("alt+z,ctrl+shift+z,super+shift+z", "redo", "redo"),
        Binding("ctrl+x,super+x", "cut", "open a paste; cut"),
    ]
    COMPONENT_CLASSES: ClassVar[set[str]] = {"text-area--chip"}

    @dataclass
    class Told(Message):
        """Something that the user should know, in few words."""

        text: str

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's own name for it
        self.chips = Chips()
        self.kills = Kills()
        super().__init__(
            id=id,
            soft_wrap=True,
            show_line_numbers=False,
            compact=True,
            highlight_cursor_line=False,
            tab_behavior="focus",
        )
        self.cursor_blink = False

    @property
    def written(self) -> Written:
        """The text with all that its chips stand for."""
        return self.chips.written(self.text)

    @property
    def selected_text(self) -> str:
        """What is marked, with all that its chips stand for."""
        return self.chips.written(self.document.get_text_range(*sorted(self.selection))).text

    def load_text(self, text: str) -> None:
        """Put in a text that was not typed."""
        self.load_written(Written(text))

    def load_written(self, written: Written) -> None:
        """Put in a text that was not typed, as it was written. What was there before can't be undone to."""
        self.chips.clear()
        super().load_text(self.chips.folded(written))

    def rewrite(self, written: Written) -> None:
        """Put a text in place of what is there, in one step that can be undone, with the caret behind it."""
        self.replace(self.chips.folded(written), (0, 0), self.document.end, maintain_selection_offset=False)

    def rewrite_with_chips(self, text: str) -> None:
        """Do the same with a text that the one that is here was made to: its chips stay chips."""
        known = self.chips.found_again(self.text, text)
        self.replace(known, (0, 0), self.document.end, maintain_selection_offset=False)

    def type_in(self, text: str) -> None:
        """Put a text, as it stands in the editor, in place of what is marked."""
        self.replace(text, *sorted(self.selection), maintain_selection_offset=False)

    def edit(self, edit: Edit) -> EditResult:
        """Change the text. A chip goes as a whole, and nothing is put into one."""
        if edit.top != edit.bottom:
            edit.from_location, edit.to_location = self._edge(edit.top, 0), self._edge(edit.bottom, 1)
        else:
            edit.from_location = edit.to_location = self._edge(edit.top, 1)
        return super().edit(edit)

    def get_line(self, line_index: int) -> Text:
        """A line as it is shown."""
        line = super().get_line(line_index)
        for start, end, _ in self._chips_in(line_index):
            line.stylize(self.get_component_rich_style("text-area--chip", partial=True), start, end)
        return line

    def get_cursor_left_location(self) -> Location:
        """Where one step to the left leads: over a whole character, or a chip."""
        row, column = self.cursor_location
        for start, end, _ in self._chips_in(row):
            if start < column <= end:
                return row, start
        return (row, caret.before(self.document[row], column)) if column else super().get_cursor_left_location()

    def get_cursor_right_location(self) -> Location:
        """Where one step to the right leads: over a whole character, or a chip."""
        row, column = self.cursor_location
        for start, end, _ in self._chips_in(row):
            if start <= column < end:
                return row, end
        line = self.document[row]
        return (row, caret.after(line, column)) if column < len(line) else super().get_cursor_right_location()

    def action_cut(self) -> None:
        """Cut what is marked. With nothing marked: open the paste that is nearest, or cut the line."""
        chip = self._chip_to_open() if self.selection.is_empty else None
        if chip is not None:
            self._open(*chip)
            return
        start, end = sorted(self.selection)
        if start == end:
            row = start[0]
            last = row == self.document.line_count - 1
            start, end = (row, 0), self.document.end if last else (row + 1, 0)
        text = self.chips.written(self.document.get_text_range(start, end)).text
        if text:
            self.delete(start, end, maintain_selection_offset=False)
            self._app_here.copy_to_clipboard(text)

    def action_paste(self) -> None:
        """Paste what was copied here last."""
        self.type_in(self.chips.taken_in(self._app_here.clipboard))

    def action_kill_to_end(self) -> None:
        """Kill what is behind the caret in its line, or the line's end."""
        row, column = self.cursor_location
        length = len(self.document[row])
        last = row == self.document.line_count - 1
        self._kill((row + 1, 0) if column == length and not last else (row, length))

    def action_kill_to_start(self) -> None:
        """Kill what is before the caret in its line, or the end of the line above."""
        row, column = self.cursor_location
        self._kill((row, 0) if column else self.get_cursor_left_location())

    def action_kill_to_blank(self) -> None:
        """Kill what is before the caret, to a blank."""
        row, column = self.cursor_location
        self._kill((row, blank_before(self.document[row], column)) if column else self.get_cursor_left_location())

    def action_kill_word_left(self) -> None:
        """Kill the word before the caret."""
        self._kill(self.get_cursor_word_left_location())

    def action_kill_word_right(self) -> None:
        """Kill the word behind the caret."""
        self._kill(self.get_cursor_word_right_location())

    def action_yank(self) -> None:
        """Put in what was killed last."""
        if self.kills.last.text:
            self.type_in(self.chips.folded(self.kills.last))

    def get_cursor_word_left_location(self) -> Location:
        """Where the word begins before the caret."""
        row, column = self.cursor_location
        return (row, word_start_before(self.document[row], column)) if column else self.get_cursor_left_location()

    def get_cursor_word_right_location(self) -> Location:
        """Where the word ends behind the caret."""
        row, column = self.cursor_location
        line = self.document[row]
        return (row, word_end_after(line, column)) if column < len(line) else self.get_cursor_right_location()

    def take_out(self, start: Location, end: Location, *, forward: bool = True) -> None:
        """Kill what is between two places."""
        start, end = self._edge(start, 0), self._edge(end, 1)
        text = self.document.get_text_range(start, end)
        if text:
            self.kills.add(self.chips.written(text), forward=forward)
            self.delete(start, end, maintain_selection_offset=False)

    @property
    def _app_here(self) -> App[object]:
        return cast("App[object]", self.app)  # pyright: ignore[reportUnknownMemberType] - the type of an app's result

    def _kill(self, to: Location) -> None:
        """Kill what is marked, or what is between the caret and another place."""
        start, end = sorted(self.selection if not self.selection.is_empty else (self.cursor_location, to))
        self.take_out(start, end, forward=to >= self.cursor_location)

    def _chips_in(self, row: int) -> list[tuple[int, int, Chip]]:
        document = self.document
        if isinstance(document, ShownDocument) and 0 <= row < document.line_count:
            return self.chips.at(document.typed_line(row))
        return []

    def _edge(self, location: Location, side: int) -> Location:
        """A place, or if it is within a chip, the chip's beginning (0) or end (1)."""
        row, column = location
        for start, end, _ in self._chips_in(row):
            if start < column < end:
                return row, (start, end)[side]
        return location

    def _validate_selection(self, selection: Selection) -> Selection:
        """No end of what is marked is within a chip: it goes on the way that the caret went."""
        start, end = super()._validate_selection(selection)
        return Selection(*(self._edge(place, place > self.selection.end) for place in (start, end)))

    def _chip_to_open(self) -> tuple[Location, Location, Chip] | None:
        """The paste at the caret, else the last before it, else the first behind it."""
        caret_at = self.cursor_location
        found = [
            ((row, start), (row, end), chip)
            for row in range(self.document.line_count)
            for start, end, chip in self._chips_in(row)
            if chip.image is None
        ]
        at_it = next((each for each in found if each[0] <= caret_at <= each[1]), None)
        before = [each for each in found if each[1] < caret_at]
        return at_it or (before[-1] if before else found[0] if found else None)

    def _open(self, start: Location, end: Location, chip: Chip) -> None:
        if chip.can_open:
            self.replace(chip.text, start, end, maintain_selection_offset=False)
        else:
            self.post_message(self.Told(f"{chip.label} has characters that can't be edited here"))

    def _recompute_cursor_offset(self) -> None:
        """Not while lines are taken back and the caret is still where they were: it is placed right behind that."""
        if self.cursor_location[0] < self.document.line_count:
            super()._recompute_cursor_offset()

    def _set_document(self, text: str, language: str | None) -> None:
        """Hold a text that is shown safely, whatever was pasted."""
        super()._set_document(text, language)
        self.document = ShownDocument(text)
        self.wrapped_document = WrappedDocument(self.document, tab_width=self.indent_width)
        self.navigator = DocumentNavigator(self.wrapped_document)
        self._rewrap_and_refresh_virtual_size()
