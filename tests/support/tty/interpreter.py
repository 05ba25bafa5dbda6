"""What tokens do: to the screen, and as answers to a program that asks its terminal something."""

import base64
import binascii
import re
from collections.abc import Callable

import pyte

from tests.support.tty.parser import Control, Csi, Escape, String, Token
from tests.support.tty.screen import SYNCHRONISED, Screen

KNOWN_MODES = {1, 6, 7, 25, 47, 1000, 1002, 1003, 1004, 1006, 1015, 1047, 1049, 2004}

DEVICE_ATTRIBUTES = {"": "\x1b[?62;22c", ">": "\x1b[>41;390;0c"}
CELL_SIZE = (20, 10)
"""Height and width of a cell in pixels."""

COLOURS = {"10": "rgb:d0d0/d0d0/d0d0", "11": "rgb:1010/1010/1010", "12": "rgb:d0d0/d0d0/d0d0"}

_UNDERLINE_STYLE = re.compile(r"^4:(\d+)$")
_PALETTE = re.compile(r"^([345]8):5:(\d+)$")
_DIRECT = re.compile(r"^([345]8):2:(?:\d*:)?(\d+):(\d+):(\d+)$")


class Interpreter:
    """Plays tokens on a screen.

    `reply` takes what the terminal answers. `synchronised`: whether it says that it knows synchronised updates.
    `kitty`: whether it speaks the kitty keyboard protocol.
    """

    def __init__(
        self, screen: Screen, reply: Callable[[str], None], *, synchronised: bool = True, kitty: bool = False
    ) -> None:
        self.screen = screen
        self.clipboard = ""
        self._reply = reply
        self._known_modes = KNOWN_MODES | ({SYNCHRONISED} if synchronised else set[int]())
        self._kitty = kitty
        self._kitty_flags = [0]

    @property
    def kitty_flags(self) -> int:
        """How keys are to be sent, in the kitty keyboard protocol's bits."""
        return self._kitty_flags[-1]

    def play(self, token: Token) -> None:
        """Do what the token says; what no terminal need know is passed over."""
        match token:
            case str():
                self.screen.draw(token)
            case Control(char):
                self._control(char)
            case Escape("", final) if final in pyte.Stream.escape:
                getattr(self.screen, pyte.Stream.escape[final])()
            case Escape("(" | ")" as slot, final):
                self.screen.define_charset(final, slot)
            case Csi():
                self._csi(token)
            case String("]", text):
                self._operating_system_command(text)
            case String("P", text):
                self._device_control(text)
            case _:
                pass

    def _control(self, char: str) -> None:
        if char in pyte.Stream.basic:
            getattr(self.screen, pyte.Stream.basic[char])()

    def _csi(self, token: Csi) -> None:
        match token.prefix, token.intermediates, token.final:
            case "", "", "m":
                self.screen.select_graphic_rendition(*_plain_attributes(token.parameters))
            case "", "", final:
                self._plain_sequence(final, token.numbers())
            case "?", "", "h":
                self.screen.set_private(token.numbers())
            case "?", "", "l":
                self.screen.reset_private(token.numbers())
            case "?", "", "J" | "K" as final:
                self._erase(final, token.numbers())
            case "?", "", "n" if token.numbers() == [6]:
                self._reply_position("?")
            case "?", "$", "p":
                self._reply_mode(token.numbers()[0] if token.parameters else 0)
            case ">", "", "c":
                self._reply(DEVICE_ATTRIBUTES[">"])
            case ">", "", "q":
                self._reply("\x1bP>|XTerm(390)\x1b\\")
            case _, "", "u" if self._kitty:
                self._kitty_keyboard(token.prefix, token.numbers())
            case _:
                pass

    def _plain_sequence(self, final: str, numbers: list[int]) -> None:
        count = max(1, numbers[0] if numbers else 1)
        match final:
            case "S":
                self.screen.scroll(count)
            case "T":
                self.screen.scroll(-count)
            case "b":
                self.screen.repeat(count)
            case "s":
                self.screen.save_cursor()
            case "u":
                self.screen.restore_cursor()
            case "c":
                self._reply(DEVICE_ATTRIBUTES[""])
            case "n" if numbers == [5]:
                self._reply("\x1b[0n")
            case "n" if numbers == [6]:
                self._reply_position("")
            case "t":
                self._reply_size(numbers[0] if numbers else 0)
            case "J" | "K":
                self._erase(final, numbers)
            case _ if final in pyte.Stream.csi and final not in "cn":
                getattr(self.screen, pyte.Stream.csi[final])(*numbers[: _ARGUMENTS.get(final, 1)])
            case _:
                pass

    def _erase(self, final: str, numbers: list[int]) -> None:
        how = numbers[0] if numbers else 0
        if final == "J" and how <= 3:
            self.screen.erase_in_display(how)
        elif final == "K" and how <= 2:
            self.screen.erase_in_line(how)

    def _reply_position(self, prefix: str) -> None:
        cursor = self.screen.cursor
        self._reply(f"\x1b[{prefix}{cursor.y + 1};{min(cursor.x, self.screen.columns - 1) + 1}R")

    def _reply_mode(self, number: int) -> None:
        state = 0
        if number in self._known_modes:
            state = 1 if number in self.screen.private_modes else 2
        self._reply(f"\x1b[?{number};{state}$y")

    def _reply_size(self, wish: int) -> None:
        rows, columns = self.screen.lines, self.screen.columns
        height, width = CELL_SIZE
        answers = {14: (4, rows * height, columns * width), 16: (6, height, width), 18: (8, rows, columns)}
        if wish in answers:
            self._reply(f"\x1b[{';'.join(map(str, answers[wish]))}t")

    def _kitty_keyboard(self, prefix: str, numbers: list[int]) -> None:
        first = numbers[0] if numbers else 0
        match prefix:
            case ">":
                self._kitty_flags.append(first)
            case "<":
                del self._kitty_flags[max(1, len(self._kitty_flags) - max(1, first)) :]
            case "=":
                how = numbers[1] if len(numbers) > 1 else 1
                now = self._kitty_flags[-1]
                self._kitty_flags[-1] = {1: first, 2: now | first, 3: now & ~first}.get(how, now)
            case _:
                self._reply(f"\x1b[?{self.kitty_flags}u")

    def _operating_system_command(self, text: str) -> None:
        code, _, rest = text.partition(";")
        if code in ("0", "2"):
            self.screen.set_title(rest)
        elif code in COLOURS and rest == "?":
            self._reply(f"\x1b]{code};{COLOURS[code]}\x1b\\")
        elif code == "52":
            data = rest.partition(";")[2]
            if data != "?":  # no terminal tells a program what is on the clipboard unless it is set up to
                self.clipboard = _decoded(data)

    def _device_control(self, text: str) -> None:
        if text.startswith("+q"):
            self._reply("\x1bP0+r\x1b\\")
        elif text.startswith("$q"):
            self._reply("\x1bP0$r\x1b\\")


_ARGUMENTS = {"H": 2, "f": 2, "r": 2, "h": 16, "l": 16}
"""How many parameters the screen's methods take, where it is not one."""


def _plain_attributes(parameters: str) -> list[int]:
    """Display attributes without sub-parameters or the underline's own colour, which pyte does not know."""
    numbers: list[int] = []
    parts = parameters.split(";")
    while parts:
        part = parts.pop(0)
        if found := _UNDERLINE_STYLE.match(part):
            numbers.append(24 if found.group(1) == "0" else 4)
        elif found := _PALETTE.match(part) or _DIRECT.match(part):
            kind, *values = map(int, found.groups())
            numbers += [kind, 5 if len(values) == 1 else 2, *values] if kind != 58 else []
        elif part == "58":
            del parts[: {"5": 2, "2": 4}.get(parts[0] if parts else "", 0)]
        elif part.isdigit() or not part:
            numbers.append(int(part or 0))
            if part in ("38", "48"):
                taken = {"5": 2, "2": 4}.get(parts[0] if parts else "", 0)
                numbers += [int(value or 0) for value in parts[:taken] if value.isdigit() or not value]
                del parts[:taken]
    return numbers


def _decoded(data: str) -> str:
    try:
        return base64.b64decode(data).decode(errors="replace")
    except binascii.Error:
        return ""
