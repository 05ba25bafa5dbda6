"""What tokens do to the screen, and what the terminal answers."""

import pytest
from hypothesis import given, strategies as st

from tests.support.tty.interpreter import Interpreter
from tests.support.tty.parser import Parser
from tests.support.tty.screen import Cell, Screen


class Desk:
    """A terminal without a program."""

    def __init__(self, columns: int = 12, rows: int = 4, *, clusters: bool = True, kitty: bool = False) -> None:
        self.replies: list[str] = []
        self.screen = Screen(columns, rows, clusters=clusters)
        self.parser = Parser()
        self.interpreter = Interpreter(self.screen, self.replies.append, kitty=kitty)

    def show(self, *texts: str) -> list[str]:
        """Write texts, each as bytes that arrive by themselves; the rows afterwards."""
        for text in texts:
            for token in self.parser.feed(text.encode("utf-8", "surrogateescape")):
                self.interpreter.play(token)
        return [self.screen.row(y) for y in range(self.screen.lines)]


def test_what_pyte_alone_would_print_or_misread_is_neither() -> None:
    odd = (
        "\x1b[<u\x1b[=1u\x1b[>4;2m\x1b[?2026$p\x1bPq#0\x1b\\\x1b_Gx\x1b\\\x1b[58;2;1;2;3m\x1b[?6n\x1b[1 q\x1b[!p\x1b F"
    )
    desk = Desk()
    assert desk.show(odd + "text")[0] == "text"
    assert desk.screen.cell(0, 0) == Cell("t", "default", "default", False, False, False, False, False)


@pytest.mark.parametrize(
    ("code", "foreground", "background"),
    [
        ("38;2;1;2;255", "0102ff", "default"),
        ("38:2::1:2:255", "0102ff", "default"),
        ("38:2:1:2:255;48;5;16", "0102ff", "000000"),
        ("48:5:231", "default", "ffffff"),
        ("31;44", "red", "blue"),
    ],
)
def test_colours_however_they_are_written(code: str, foreground: str, background: str) -> None:
    desk = Desk()
    desk.show(f"\x1b[{code}mx")
    cell = desk.screen.cell(0, 0)
    assert (cell.foreground, cell.background) == (foreground, background)


def test_attributes() -> None:
    desk = Desk()
    desk.show("\x1b[1;3;4:3;7;9ma\x1b[4:0;22mb\x1b[mc")
    assert desk.screen.cell(0, 0)[3:] == (True, True, True, True, True)
    assert desk.screen.cell(1, 0)[3:] == (False, True, False, True, True)
    assert desk.screen.cell(2, 0)[3:] == (False,) * 5


WIDE = "日x👩‍🔧y❤️z"


def test_wide_characters_stand_in_two_cells() -> None:
    desk = Desk()
    assert desk.show(WIDE)[0] == WIDE
    assert [desk.screen.cell_text(x, 0) for x in range(10)] == ["日", "", "x", "👩‍🔧", "", "y", "❤️", "", "z", " "]
    assert desk.screen.find("y") == (5, 0)
    assert desk.screen.find("❤️z") == (6, 0)
    assert desk.screen.find("w") is None


def test_an_old_terminal_takes_each_code_point_by_itself() -> None:
    desk = Desk(clusters=False)
    desk.show("👩‍🔧y")
    assert [desk.screen.cell_text(x, 0) for x in range(6)] == ["👩\u200d", "", "🔧", "", "y", " "]


def test_a_cluster_that_arrives_in_parts_is_one_character() -> None:
    desk = Desk()
    assert desk.show("👩", "\u200d", "🔧", "e", "\u0301", "!")[0] == "👩‍🔧e\u0301!"
    assert desk.screen.cursor.x == 4


def test_half_a_wide_character_is_blank() -> None:
    assert Desk().show("日本\x1b[1;2Hx")[0] == " x本"
    assert Desk().show("日本\x1b[1;1Hx")[0] == "x 本"


def test_wide_characters_at_the_edge() -> None:
    assert Desk(3, 2).show("ab日") == ["ab", "日"]
    assert Desk(3, 2).show("\x1b[?7lab日") == ["a日", ""]
    assert Desk(4, 2).show("ab日c") == ["ab日", "c"]


def test_the_alternate_screen_leaves_the_main_one_as_it_was() -> None:
    desk = Desk()
    desk.show("main\x1b[2;3H\x1b[?1049h\x1b[Hother")
    assert desk.screen.row(0) == "other"
    assert desk.screen.alternate
    desk.screen.set_size(8, 3)
    assert desk.show("\x1b[?1049l!") == ["main", "  !", ""]
    assert not desk.screen.alternate


def test_scrolling_repeating_and_saving() -> None:
    assert Desk(3, 3).show("a\r\nb\r\nc\x1b[S") == ["b", "c", ""]
    assert Desk(3, 3).show("a\r\nb\r\nc\x1b[T") == ["", "a", "b"]
    assert Desk(3, 3).show("a\r\nb\r\nc\r\nd") == ["b", "c", "d"]
    assert Desk().show("ab\x1b[3b")[0] == "abbbb"
    assert Desk().show("a\x1b[sbc\x1b[uX")[0] == "aXc"


def test_box_drawing_by_character_set() -> None:
    assert Desk().show("\x1b(0lqk\x1b(Bq")[0] == "┌─┐q"


def test_modes_title_clipboard_and_bell_are_kept() -> None:
    desk = Desk()
    desk.show("\x1b[?1003;2004h\x1b[?25l\x1b]0;A title\x07\x1b]52;c;aMOp\x07\x1b]11;?\x07\x07")
    assert desk.screen.private_modes == {7, 1003, 2004}
    assert desk.screen.cursor.hidden
    assert (desk.screen.title, desk.interpreter.clipboard, desk.screen.bells) == ("A title", "hé", 1)
    desk.show("\x1bc")
    assert desk.screen.private_modes == {7, 25}


ANSWERS = {
    "\x1b[c": "\x1b[?62;22c",
    "\x1b[>c": "\x1b[>41;390;0c",
    "ab\r\n\x1b[6n": "\x1b[2;1R",
    "\x1b[?6n": "\x1b[?1;1R",
    "\x1b[5n": "\x1b[0n",
    "\x1b[?2026$p": "\x1b[?2026;2$y",
    "\x1b[?25$p": "\x1b[?25;1$y",
    "\x1b[?2048$p": "\x1b[?2048;0$y",
    "\x1b[18t": "\x1b[8;4;12t",
    "\x1b[>q": "\x1bP>|XTerm(390)\x1b\\",
    "\x1bP+q544e\x1b\\": "\x1bP0+r\x1b\\",
    "\x1b]11;?\x1b\\": "\x1b]11;rgb:1010/1010/1010\x1b\\",
}


@pytest.mark.parametrize(("query", "answer"), ANSWERS.items())
def test_answers_as_an_xterm_does(query: str, answer: str) -> None:
    desk = Desk()
    desk.show(query)
    assert desk.replies == [answer]


@pytest.mark.parametrize("query", ["\x1b[?u", "\x1b]52;c;?\x07", "\x1b_Gi=1,a=q;\x1b\\", "\x1b[?1049h"])
def test_answers_nothing_to_what_an_xterm_does_not_know(query: str) -> None:
    desk = Desk()
    desk.show(query)
    assert desk.replies == []


def test_the_kitty_keyboard_protocol_is_a_stack_of_flags() -> None:
    desk = Desk(kitty=True)
    flags: list[int] = []
    for text in ("\x1b[>25u", "\x1b[>1u", "\x1b[=2;2u", "\x1b[=1;3u", "\x1b[<u", "\x1b[<9u"):
        desk.show(text)
        flags.append(desk.interpreter.kitty_flags)
    assert flags == [25, 1, 3, 2, 25, 0]
    desk.show("\x1b[?u")
    assert desk.replies == ["\x1b[?0u"]
    plain = Desk()
    plain.show("\x1b[>25u")
    assert plain.interpreter.kitty_flags == 0


sequences = st.builds(
    "\x1b[{}{}{}{}".format,
    st.sampled_from(["", "?", ">", "<", "="]),
    st.text("0123456789;:", max_size=8) | st.lists(st.integers(0, 9)).map(lambda numbers: ";".join(map(str, numbers))),
    st.sampled_from(["", "$", " ", "!"]),
    st.characters(min_codepoint=0x40, max_codepoint=0x7E),
)
anything = st.lists(
    sequences | st.text(max_size=5) | st.sampled_from([WIDE, "\x1bc", "\x1b(0", "\x1b8", "\x1bM", "\x1b]0;"])
)


@given(texts=anything, columns=st.integers(1, 9), rows=st.integers(1, 5))
def test_no_output_breaks_it(texts: list[str], columns: int, rows: int) -> None:
    desk = Desk(columns, rows, kitty=True)
    for text in texts:
        desk.show(text.encode("utf-8", "surrogatepass").decode("utf-8", "surrogateescape"))
        assert 0 <= desk.screen.cursor.y < desk.screen.lines
    desk.screen.set_size(rows, columns)
    desk.show("x")
