"""The conversation's transcript, with what is marked in it, and the keys that walk through it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual import events
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.strip import Strip

from panto.tui.chat.copying import copied
from panto.tui.chat.marks import bar_alone, cursor_bar, marks_on, with_time
from panto.tui.chat.mouse import Mouse
from panto.tui.chat.places import Stretch, row_starts
from panto.tui.chat.searching import Searching
from panto.tui.chat.selection import Ground
from panto.tui.steady import SteadyTranscript
from panto.tui.transcript import Entry, TurnEndEntry, UserEntry
from panto.tui.transcript.links import Target, first_target, link_at
from panto.tui.transcript.viewport import Place, ShownRow, Viewport


class Chat(SteadyTranscript):
    """A transcript that can be selected from, copied and searched, with a cursor on entries while it has the focus."""

    FOCUS_ON_CLICK = False  # who clicks to read goes on typing into the prompt
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("j", "move(1)", "move"),
        Binding("k", "move(-1)", "move"),
        Binding("g", "first", "first, last", show=False),
        Binding("G", "last", "first, last", show=False),
        Binding("ctrl+d", "half_page(1)", "half a page", show=False),
        Binding("ctrl+u", "half_page(-1)", "half a page", show=False),
        Binding("enter", "fold", "fold"),
        Binding("y", "copy", "copy"),
        Binding("Y", "copy_code", "copy code"),
        Binding("o", "open", "open"),
        Binding("e", "edit", "edit"),
        Binding("slash", "find", "find", key_display="/"),
        Binding("n", "match(1)", "next match", show=False),
        Binding("N", "match(-1)", "match before", show=False),
        Binding("t", "times", "times"),
        Binding("escape,i", "leave", "back"),
    ]

    @dataclass
    class Copied(Message):
        """The user wants this text in the clipboard; ``what`` it is, in a few words."""

        text: str
        what: str

    @dataclass
    class Edited(Message):
        """The user wants to say this otherwise."""

        text: str

    @dataclass
    class Opened(Message):
        """The user wants to go where a link or a path leads; None if there is none."""

        target: Target | None

    class FindWanted(Message):
        """The user wants to look for something."""

    class Found(Message):
        """More is known of what is looked for, or the user is at another match."""

    class Left(Message):
        """The user wants to go back to the prompt."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's own name for it
        super().__init__(id=id)
        self.selection: Stretch | None = None
        """What is selected."""
        self.searching = Searching(self)
        """What is looked for."""
        self._mouse = Mouse(self)
        self._cursor: int | None = None
        self._copied_code = (-1, -1)
        self._times = False

    @property
    def ground(self) -> Ground:
        """The entries as they are laid out now."""
        return Ground(self._viewport.entries, self._viewport.width, self.palette)

    @property
    def margin(self) -> int:
        """Columns at the left of every entry."""
        return self._margin

    @property
    def viewport(self) -> Viewport:
        """The entries, and what of them is in view."""
        return self._viewport

    @property
    def shown(self) -> Sequence[ShownRow]:
        """The rows in view: fewer than it has where the entries end above its end."""
        return self._viewport.shown

    @property
    def current(self) -> Entry | None:
        """The entry that the cursor is on."""
        return None if self._cursor is None else self._viewport.entries[self._cursor]

    @property
    def selected_text(self) -> str:
        """What copying the selection gives."""
        ground = self.ground
        return copied(ground.entries, self.selection, ground.width, ground.palette) if self.selection else ""

    def select(self, stretch: Stretch | None) -> None:
        """Have this selected, and nothing else."""
        if stretch != self.selection:
            self.selection = stretch
            self._show()

    def scroll_rows(self, rows: int) -> None:
        """Move the view down by some rows, or up if there are fewer than none."""
        self._scroll(rows)

    def clear(self) -> None:
        """Take all entries away, and what was marked in them."""
        finding, self.searching.finding = self.searching.finding, None
        self.selection = self._cursor = None
        super().clear()
        if finding is not None:
            self.look_for(finding.text)

    def toggle_fold(self, entry: Entry) -> None:
        """Fold or unfold an entry. A selection may stand in what goes."""
        self.selection = None
        entry.set_folded(not entry.folded)

    def on_resize(self) -> None:
        """Lay out anew, and look again for what is looked for."""
        if self._viewport.width != self._text_width:
            self.searching.width_changed()
        super().on_resize()

    def watch_has_focus(self, _has_focus: bool) -> None:
        """Show the cursor, or no more: on the last entry in view, unless it is in view already."""
        super().watch_has_focus(_has_focus)
        if _has_focus:
            self._viewport.settle()
            seen = self._seen()
            if self._cursor not in seen:
                self._cursor = seen[-1] if seen else None
        self._show()

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """A drag may begin."""
        if event.button == 1:
            self._mouse.press(event)

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Select while the button is held."""
        self._mouse.move(event)

    def on_mouse_up(self) -> None:
        """The drag is over."""
        self._mouse.release()

    def on_click(self, event: events.Click) -> None:
        """Fold, or select a word or a line."""
        if event.button == 1:
            self._mouse.click(event)

    def action_move(self, by: int) -> None:
        """To the next entry, or to the one before; from the view's own if the cursor is out of it."""
        seen = self._seen()
        if self._cursor is not None and self._cursor in seen:
            self._go(self._stop(self._cursor + by, by))
        elif seen:
            self._go(seen[0] if by > 0 else seen[-1])

    def action_first(self) -> None:
        """To the first entry."""
        self._go(self._stop(0, 1))

    def action_last(self) -> None:
        """To the last entry, and follow what comes."""
        self._cursor = self._stop(len(self._viewport.entries) - 1, -1)
        self.follow()

    def action_half_page(self, by: int) -> None:
        """Half a view down or up."""
        self._scroll(by * max(1, self._viewport.height // 2))

    def action_fold(self) -> None:
        """Fold or unfold the entry."""
        if self.current is not None and self.current.foldable:
            self.toggle_fold(self.current)

    def action_copy(self) -> None:
        """Copy what is selected, or else the whole entry."""
        if self.selection is not None:
            self.post_message(self.Copied(self.selected_text, "the selection"))
        elif self.current is not None:
            self.post_message(self.Copied(self.current.source.strip("\r\n"), "the entry"))

    def action_copy_code(self) -> None:
        """Copy the entry's code: the first block, and with each further key the next."""
        if self.current is None or self._cursor is None:
            return
        blocks = self.current.code()
        last, number = self._copied_code
        number = (number + 1) % len(blocks) if blocks and last == self._cursor else 0
        self._copied_code = self._cursor, number
        what = "the code" if len(blocks) < 2 else f"block {number + 1} of {len(blocks)}"
        self.post_message(self.Copied(blocks[number] if blocks else "", what))

    def action_open(self) -> None:
        """Open the first file, or else the first address, that is written in the selection or in the entry."""
        text = self.selected_text
        if not text and self._cursor is not None and self.current is not None:
            text = f"{self.ground.text(self._cursor, 0)}\n{self.current.source}"
        self.post_message(self.Opened(first_target(text)))

    def target_at(self, shown: ShownRow, column: int) -> Target | None:
        """Where a cell leads, its column counted behind the margin; None if nowhere."""
        place, view = shown.place, self._viewport
        entry = view.entries[place.entry]
        rows = entry.blocks(view.width)[place.block].rows(view.width, view.palette)
        return link_at(rows, place.row - entry.above(place.block), column)

    def action_edit(self) -> None:
        """Take what the user said back into the prompt, to say it otherwise."""
        if isinstance(self.current, UserEntry):
            self.post_message(self.Edited(self.current.source))

    def action_find(self) -> None:
        """Look for something."""
        self.post_message(self.FindWanted())

    def action_times(self) -> None:
        """Show when each entry came, or stop showing it."""
        self._times = not self._times
        self._show()

    def action_leave(self) -> None:
        """Take the marks away; if there are none, go back to the prompt."""
        if self.selection is not None:
            self.select(None)
        elif self.searching.finding is not None:
            self.look_for("")
        else:
            self.post_message(self.Left())

    def action_match(self, by: int) -> None:
        """To the next match, or to the one before, round about."""
        self.searching.step(by)

    def look_for(self, text: str) -> None:
        """Mark all places where a text is written, and go to the nearest, upwards from the view's end; none for ""."""
        self.searching.look_for(text)
        self._show()

    def show_match(self) -> None:
        """Have the row in view in which the match begins, and the cursor on its entry."""
        match, view = self.searching.match, self._viewport
        if match is None:
            return
        index, block = match.start.entry, match.start.block
        entry = view.entries[index]
        rows = entry.blocks(view.width)[block].rows(view.width, view.palette)
        row = max(number for number, begin in enumerate(row_starts(rows)) if begin <= match.start.offset)
        self._cursor = index
        view.show_place(Place(index, block, entry.above(block) + row))
        self._show()
        self.post_message(self.Found())

    def _entry_changed(self, entry: Entry, news: bool) -> None:
        self.searching.entry_changed(entry)
        super()._entry_changed(entry, news)

    def _show(self) -> None:
        super()._show()
        self.searching.painted()

    def _strip(self, shown: ShownRow, width: int, blank: Strip) -> Strip:
        """A row with what is marked in it."""
        view, index = self._viewport, shown.place.entry
        is_here = self.has_focus and index == self._cursor
        if shown.row is None:
            return bar_alone(self.palette, width) if is_here and shown.place.block else blank
        finding = self.searching.finding
        is_marked = finding is not None or self.selection is not None
        marks = list(marks_on(shown, view, finding, self.selection)) if is_marked else []
        bar = cursor_bar(self.palette) if is_here else None
        if marks or bar is not None:
            strip = shown.row.marked(marks, bar, self._margin, width, self.palette)
        else:
            strip = super()._strip(shown, width, blank)
        entry = view.entries[index]
        if self._times and shown.place.block == 0 and shown.place.row == entry.gap:
            strip = with_time(strip, entry, self._margin, self.palette)
        return strip

    def _seen(self) -> Sequence[int]:
        """The entries in view on which the cursor can be."""
        indexes = dict.fromkeys(shown.place.entry for shown in self._viewport.shown if shown.row is not None)
        return [index for index in indexes if self._is_stop(index)]

    def _is_stop(self, index: int) -> bool:
        return not isinstance(self._viewport.entries[index], TurnEndEntry)

    def _stop(self, index: int, by: int) -> int | None:
        """The nearest entry on which the cursor can be, from one on, in a direction."""
        while 0 <= index < len(self._viewport.entries):
            if self._is_stop(index):
                return index
            index += by
        return None

    def _go(self, index: int | None) -> None:
        if index is not None:
            self._cursor = index
            self._viewport.bring(index)
            self._show()
