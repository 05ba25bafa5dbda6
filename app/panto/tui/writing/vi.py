"""The keys of vi in the prompt: a mode to type in, and one in which letters move and change."""

from collections.abc import Callable

from panto.tui.writing.area import WritingArea
from panto.tui.writing.words import vi_before, vi_end, vi_next
from panto.tui.writing.written import Written


class ViKeys:
    """Which mode it is, and what keys do in it."""

    def __init__(self, area: WritingArea) -> None:
        self.normal = False
        self._area = area
        self._pending = ""
        self._keys: dict[str, Callable[[], None]] = {
            "h": self._left,
            "l": self._right,
            " ": self._right,
            "k": self._up,
            "j": self._down,
            "0": self._to_start,
            "$": self._to_end,
            "w": self._word,
            "b": self._word_back,
            "e": self._word_end,
            "x": self._delete_character,
            "dd": self._delete_line,
            "D": self._delete_to_end,
            "C": self._change_to_end,
            "i": self._insert,
            "a": self._append,
            "I": self._insert_at_start,
            "A": self._append_at_end,
            "o": self._open_below,
            "O": self._open_above,
            "u": self._undo,
            "p": self._put,
        }

    def press(self, key: str, character: str | None) -> bool:
        """Take a key, if it is vi's. In normal mode no letter is typed, whether it means something or not."""
        if not self.normal:
            if key != "escape":
                return False
            self._leave_insert()
            return True
        if character is None or not character.isprintable():
            self._pending = ""
            return False
        typed, self._pending = self._pending + character, ""
        if typed == "d":
            self._pending = typed
        elif typed in self._keys:
            self._keys[typed]()
            if self.normal:
                self._stay_on_a_character()
        return True

    def _leave_insert(self) -> None:
        self.normal = True
        if self._area.cursor_location[1]:
            self._area.move_cursor(self._area.get_cursor_left_location())

    def _stay_on_a_character(self) -> None:
        row, column = self._area.cursor_location
        if column and column == len(self._area.document[row]):
            self._area.move_cursor(self._area.get_cursor_left_location())

    @property
    def _at(self) -> tuple[int, int, str]:
        """The caret's row and column, and its line."""
        row, column = self._area.cursor_location
        return row, column, self._area.document[row]

    def _left(self) -> None:
        if self._at[1]:
            self._area.move_cursor(self._area.get_cursor_left_location())

    def _right(self) -> None:
        _, column, line = self._at
        if column < len(line):
            self._area.move_cursor(self._area.get_cursor_right_location())

    def _up(self) -> None:
        self._area.action_cursor_up()

    def _down(self) -> None:
        self._area.action_cursor_down()

    def _to_start(self) -> None:
        self._area.move_cursor((self._at[0], 0))

    def _to_end(self) -> None:
        row, _, line = self._at
        self._area.move_cursor((row, len(line)))

    def _word(self) -> None:
        row, column, line = self._at
        to = vi_next(line, column)
        lines = self._area.document
        while to is None and row < lines.line_count - 1:
            row += 1
            to = vi_next(lines[row], -1)
        self._area.move_cursor((row, len(lines[row]) if to is None else to))

    def _word_back(self) -> None:
        row, column, line = self._at
        to = vi_before(line, column)
        lines = self._area.document
        while to is None and row:
            row -= 1
            to = vi_before(lines[row], len(lines[row]))
        self._area.move_cursor((row, to or 0))

    def _word_end(self) -> None:
        row, column, line = self._at
        to = vi_end(line, column)
        lines = self._area.document
        while to is None and row < lines.line_count - 1:
            row += 1
            to = vi_end(lines[row], -1)
        self._area.move_cursor((row, len(lines[row]) if to is None else to))

    def _delete_character(self) -> None:
        row, column, line = self._at
        if column < len(line):
            self._area.kills.end()
            self._area.take_out((row, column), self._area.get_cursor_right_location())

    def _delete_line(self) -> None:
        row, _, line = self._at
        lines = self._area.document
        self._area.kills.end()
        self._area.take_out((row, 0), (row, len(line)))
        self._area.kills.last = (self._area.kills.last if line else Written()) + Written("\n")
        if row < lines.line_count - 1:
            self._area.delete((row, 0), (row + 1, 0))
        elif row:
            self._area.delete((row - 1, len(lines[row - 1])), (row, 0))
        self._area.move_cursor((min(row, lines.line_count - 1), 0))

    def _delete_to_end(self) -> None:
        row, column, line = self._at
        self._area.kills.end()
        self._area.take_out((row, column), (row, len(line)))

    def _change_to_end(self) -> None:
        self._delete_to_end()
        self.normal = False

    def _insert(self) -> None:
        self.normal = False

    def _append(self) -> None:
        self._right()
        self.normal = False

    def _insert_at_start(self) -> None:
        self._to_start()
        self.normal = False

    def _append_at_end(self) -> None:
        self._to_end()
        self.normal = False

    def _open_below(self) -> None:
        self._to_end()
        self._area.type_in("\n")
        self.normal = False

    def _open_above(self) -> None:
        self._to_start()
        self._area.type_in("\n")
        self._area.move_cursor((self._at[0] - 1, 0))
        self.normal = False

    def _undo(self) -> None:
        self._area.undo()

    def _put(self) -> None:
        killed = self._area.kills.last
        if not killed.text.endswith("\n"):
            self._right()
            self._area.action_yank()
            return
        row, _, line = self._at
        line_put = Written("\n") + Written(killed.text[:-1], killed.pastes)
        self._area.move_cursor((row, len(line)))
        self._area.type_in(self._area.chips.folded(line_put))
        self._area.move_cursor((row + 1, 0))
