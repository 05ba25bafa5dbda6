"""What is on the screen is what was said: whole, in its place, and nothing else, whatever happens to the window."""

import re
import signal
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from panto.tui.palette import built_in_palettes
from tests.e2e.conftest import World, say, wait_ready
from tests.support.llm_server import Call, Gate, LLMServer, Reply
from tests.support.terminal import Terminal

CLEARS = (b"\x1b[2J", b"\x1b[3J", b"\x1bc")
BUILD = "─ build "
PASTED = re.compile(r"row \d99 of it|\[paste 1")


def recorded(world: World, columns: int, rows: int, *, sync: bool = True) -> Terminal:
    """The program in a terminal that keeps every picture."""
    program = str(Path(sys.executable).with_name("panto-py"))
    return world.stack.enter_context(
        Terminal.start(
            [program], cwd=world.project, home=world.home, columns=columns, rows=rows, sync=sync, record=True
        )
    )


def numbered(count: int) -> str:
    """An answer of so many lines that can be told apart."""
    return "\n\n".join(f"row {number:03} of it" for number in range(count))


def rows_in_view(terminal: Terminal) -> list[int]:
    """The numbers of the lines that are in view."""
    return [int(number) for number in re.findall(r"row (\d{3}) of it", terminal.screen_text())]


def read_through(terminal: Terminal, last: int) -> list[int]:
    """Every line from the beginning to the last, a view after the other."""
    terminal.press("ctrl+home")
    terminal.wait_for(lambda terminal: rows_in_view(terminal)[:1] == [0])
    seen = rows_in_view(terminal)
    while seen[-1] < last:
        before = rows_in_view(terminal)
        terminal.press("pagedown")
        terminal.wait_for(lambda terminal, before=before: rows_in_view(terminal) != before)
        seen += [number for number in rows_in_view(terminal) if number > seen[-1]]
    return seen


def is_drawn(terminal: Terminal, columns: int, rows: int) -> bool:
    """Whether the screen has been drawn in this size: the prompt's frame is at its end, and as wide."""
    return any(line.startswith(f" ╰{BUILD}") and len(line) == columns - 1 for line in terminal.lines()[rows - 3 :])


def bars(terminal: Terminal, first: str, last: str) -> list[list[int]]:
    """The columns of the bars in each row of a table, from the row with one text to the row with another."""
    start, end = (place[1] for place in (terminal.find(first), terminal.find(last)) if place)
    width = len(terminal.screen_text().split("\n")[0]) + 60
    return [[x for x in range(min(width, 60)) if terminal.cell(x, y).text in ("│", "┼")] for y in range(start, end + 1)]


def test_a_resize_while_it_streams_loses_no_line_and_clears_nothing(world: World) -> None:
    gates = [Gate() for _ in range(5)]
    parts = [f"{part}\n\n" for part in numbered(300).split("\n\n")]
    pieces = [piece for number, gate in enumerate(gates) for piece in (*parts[number * 60 : number * 60 + 60], gate)]
    with LLMServer([Reply(pieces)]) as server:
        world.configure(server)
        terminal = world.start(columns=80, rows=24)
        say(terminal, "count")
        for gate, (columns, rows) in zip(gates, [(100, 30), (52, 18), (120, 40), (60, 9), (80, 24)], strict=True):
            gate.wait_reached()
            terminal.resize(columns, rows)
            gate.open()
        terminal.wait_for(" out ─")
        terminal.wait_for("row 299 of it")
        assert read_through(terminal, 299) == list(range(300))
        assert not any(code in terminal.raw for code in CLEARS)


def test_a_terminal_without_synchronised_updates_is_never_wiped(world: World) -> None:
    with LLMServer([Reply(numbered(120))]) as server:
        world.configure(server)
        terminal = recorded(world, 80, 24, sync=False)
        wait_ready(terminal)
        say(terminal, "count")
        before = len(terminal.pictures)
        terminal.wait_for(" out ─")
        assert not any(code in terminal.raw for code in CLEARS)
        assert all(BUILD in picture for picture in terminal.pictures[before:])


def test_a_resumed_session_shows_all_that_was_said(world: World) -> None:
    answer = "```\n" + "\n".join(f"line {number:04}" for number in range(3000)) + "\n```"
    with LLMServer([Reply([answer])]) as server:
        world.configure(server)
        terminal = world.start(columns=80, rows=24)
        say(terminal, "count far")
        terminal.wait_for("line 2999")
        terminal.wait_for(" out ─")
        terminal.press("ctrl+d")
        terminal.wait_exit()
        again = world.start("--continue", columns=80, rows=24)
        again.wait_for("line 2999")
        for _ in range(50):
            before = again.screen_text()
            again.press("pageup")
            again.wait_for(lambda terminal, before=before: terminal.screen_text() != before)
        again.press("ctrl+home")
        again.wait_for("count far")
        again.wait_for("line 0000")


def test_a_resize_while_it_is_suspended_is_drawn_when_it_comes_back(world: World) -> None:
    world.write_config('model = "demo/panto-demo"\n')
    terminal = world.start(columns=80, rows=24)
    wait_ready(terminal)
    terminal.send_signal(signal.SIGSTOP)
    terminal.resize(60, 20)
    terminal.resize(97, 30)
    terminal.send_signal(signal.SIGCONT)
    terminal.wait_for(lambda terminal: is_drawn(terminal, 97, 30))
    assert terminal.screen_text().count(BUILD) == 1


def test_a_character_that_comes_in_pieces_is_whole_in_the_end(world: World) -> None:
    gates = [Gate(), Gate()]
    pieces = ["Who: 👩", gates[0], "\u200d💻| and 🇫", gates[1], "🇷| end"]
    with LLMServer([Reply(pieces)]) as server:
        world.configure(server)
        terminal = world.start(columns=80, rows=24)
        say(terminal, "go")
        gates[0].wait_reached()
        terminal.wait_for("Who: 👩")
        gates[0].open()
        terminal.wait_for("Who: 👩\u200d💻| and")
        gates[1].open()
        terminal.wait_for("Who: 👩\u200d💻| and 🇫🇷| end")
        x, y = terminal.find("Who:") or (0, 0)
        assert [terminal.cell(x + column, y).text for column in (5, 7, 13, 15)] == ["👩\u200d💻", "|", "🇫🇷", "|"]


def test_a_long_prompt_can_be_read_whole_after_a_resize(world: World) -> None:
    with LLMServer([Reply("Read.")]) as server:
        world.configure(server)
        terminal = world.start(columns=80, rows=24)
        wait_ready(terminal)
        terminal.paste("\n".join(f"row {number:03} of it" for number in range(500)))
        terminal.wait_for(PASTED)
        terminal.press("enter")
        terminal.wait_for("Read.")
        terminal.resize(46, 30)
        terminal.resize(110, 20)
        terminal.wait_for(lambda terminal: is_drawn(terminal, 110, 20))
        terminal.wait_for("Read.")
        assert read_through(terminal, 499) == list(range(500))


def test_of_two_sizes_that_come_at_once_the_last_counts(world: World) -> None:
    world.write_config('model = "demo/panto-demo"\n')
    terminal = world.start(columns=80, rows=24)
    wait_ready(terminal)
    for columns in range(100, 110):
        terminal.resize(46, 30)
        terminal.resize(columns, 20)
        terminal.wait_for(lambda terminal, columns=columns: is_drawn(terminal, columns, 20))


def test_a_resize_leaves_no_ghosts_of_a_question(world: World) -> None:
    script = [Reply(tool_calls=[Call("std_shell", {"command": "echo asked"})]), Reply("Well then.")]
    with LLMServer(script) as server:
        world.configure(server)
        terminal = world.start(columns=80, rows=24)
        say(terminal, "do it")
        terminal.wait_for("1. Yes, once")
        for columns, rows in [(60, 20), (100, 12), (44, 30), (120, 13), (80, 24)]:
            terminal.resize(columns, rows)
            terminal.wait_for(lambda terminal, size=(columns, rows): is_drawn(terminal, *size))
            terminal.wait_for("1. Yes, once")
            terminal.wait_for(lambda terminal: terminal.screen_text().count("╭") == 2)
            assert terminal.screen_text().count("1. Yes, once") == 1
        terminal.press("1")
        terminal.wait_for("Well then.")
        terminal.wait_gone("Yes, once")
        assert terminal.screen_text().count("╭") == terminal.screen_text().count("╰") == 1
        terminal.press("ctrl+d")
        terminal.wait_exit()
        assert not any("╭" in line or "Yes, once" in line for line in terminal.lines())


def test_a_question_can_be_answered_in_eight_rows_while_the_window_is_pulled_about(world: World) -> None:
    script = [Reply(tool_calls=[Call("std_shell", {"command": "echo one; echo two"})]), Reply("Well then.")]
    with LLMServer(script) as server:
        world.configure(server)
        terminal = world.start(columns=80, rows=8)
        say(terminal, "do it")
        terminal.wait_for("1. Yes, once")
        for columns in (78, 80) * 5:
            terminal.resize(columns, 8)
            terminal.wait_for("1. Yes, once")
        terminal.press("1")
        terminal.wait_for("Well then.")
        assert not any(code in terminal.raw for code in CLEARS)


def test_all_answers_are_in_view_in_a_window_of_any_size(world: World) -> None:
    command = "\n".join(f"echo {number}" for number in range(30))
    script = [Reply(tool_calls=[Call("std_shell", {"command": command})]), Reply("Well then.")]
    with LLMServer(script) as server:
        world.configure(server)
        terminal = world.start(columns=80, rows=24)
        say(terminal, "do it")
        terminal.wait_for("1. Yes, once")
        for columns, rows in [(20, 5), (80, 7), (60, 11), (100, 12), (44, 23), (80, 24), (120, 40)]:
            terminal.resize(columns, rows)
            terminal.wait_for(re.compile(r"  echo 0\b[^+]*> 1\. Yes, once[^+]*  2\. Yes[^+]*  3\. No"))
        terminal.press("1")
        terminal.wait_for("Well then.")


def test_a_paste_of_many_lines_is_a_few_pictures(world: World) -> None:
    world.write_config('model = "demo/panto-demo"\n')
    terminal = recorded(world, 80, 24)
    wait_ready(terminal)
    terminal.wait_for("/ command")
    before = len(terminal.pictures)
    terminal.paste("\n".join(f"row {number:03} of it" for number in range(200)))
    terminal.wait_for(PASTED)
    assert len(terminal.pictures) - before <= 3


EMOJI = """Before.

| Who | What | Where |
|:--|:-:|--:|
| 👩‍💻 coder | writes a lot of programs all day and all night long | 🇫🇷 |
| 👍🏽 | ⚙️ gears | é and e\u0301 |
| 🧑‍🧑‍🧒‍🧒 family | x | 🏴‍☠️ |
| last | row | here |
"""
JAPANESE = """Before.

| 名前 | 説明 | Price |
|:-----|:----:|------:|
| りんご | 赤くて丸い果物で、秋になると木から落ちてくることもあります。 | 120 |
| 梨 | pear | 80 |
| last | row | here |
"""


@pytest.mark.parametrize(("table", "first"), [(EMOJI, "Who"), (JAPANESE, "名前")], ids=["emoji", "japanese"])
def test_the_bars_of_a_table_stand_in_line_at_sixty_columns(world: World, table: str, first: str) -> None:
    with LLMServer([Reply(table)]) as server:
        world.configure(server)
        terminal = world.start(columns=60, rows=30)
        say(terminal, "go")
        terminal.wait_for(" out ─")
        places = bars(terminal, first, "last")
        assert len(places) > 5
        assert len(places[0]) == 2
        assert all(place == places[0] for place in places)
        assert "[38;" not in terminal.screen_text()


def test_bytes_that_are_no_text_end_nothing_and_the_session_goes_on(world: World) -> None:
    with LLMServer([Reply("Heard."), Reply("Again.")]) as server:
        world.configure(server)
        terminal = world.start()
        wait_ready(terminal)
        terminal.send("a\udc80b\udcff\udc83c\udced\udca0\udc80d")
        terminal.wait_for(re.compile(r"a\ufffd+b\ufffd+c\ufffd+d"))
        terminal.press("enter")
        terminal.wait_for("Heard.")
        say(terminal, "and on")
        terminal.wait_for("Again.")
        (said, again) = server.requests[1].user_texts
        assert re.fullmatch(r"a\ufffd+b\ufffd+c\ufffd+d", said)
        assert again == "and on"


def test_what_is_typed_keeps_whole_characters(world: World) -> None:
    with LLMServer([Reply("Heard.")]) as server:
        world.configure(server)
        terminal = world.start()
        wait_ready(terminal)
        terminal.send("a👩\u200d💻b🇫🇷\x7f")
        terminal.wait_for("│ a👩\u200d💻b ")
        terminal.press("left")
        terminal.press("backspace")
        terminal.wait_for("│ ab ")
        terminal.send("می\u200cخواهم 👩\u200d💻")
        terminal.wait_for("👩\u200d💻b")
        terminal.press("enter")
        terminal.wait_for("Heard.")
        assert server.requests[0].user_texts == ["aمی\u200cخواهم 👩\u200d💻b"]


NOISY = """
import logging, os, subprocess, sys, threading, warnings

from panto import Command, Host


def make_noise() -> None:
    print("noise one")
    print("noise two", file=sys.stderr)
    os.write(1, b"noise three\\n")
    os.write(2, b"noise four\\n")
    subprocess.run(["sh", "-c", "echo noise five; echo noise six >&2"], check=True)
    warnings.warn("noise seven", stacklevel=1)
    logging.getLogger("library").error("noise eight")
    threading.Thread(target=lambda: 1 / 0).start()


def activate(host: Host) -> None:
    async def noise(text: str) -> str:
        make_noise()
        return "quiet now"

    host.add_command(Command("noise", "make some", noise))
"""


def test_what_libraries_and_their_children_print_goes_to_the_log(world: World) -> None:
    file = world.home / ".config/panto/extensions/my/noisy.py"
    file.parent.mkdir(parents=True)
    file.write_text(NOISY)
    world.write_config('model = "demo/panto-demo"\n')
    terminal = world.start()
    wait_ready(terminal)
    say(terminal, "/noise")
    terminal.wait_for("quiet now")
    terminal.press("ctrl+d")
    terminal.wait_exit()
    assert b"noise " not in terminal.raw.replace(b"make noise ", b"")
    assert b"ZeroDivisionError" not in terminal.raw
    (log,) = world.home.rglob("*.log")
    assert {"noise four", "noise six", "noise eight"} <= set(re.findall(r"noise \w+", log.read_text()))


def by_key(terminal: Terminal) -> None:
    """Leave by a key."""
    terminal.press("ctrl+d")


def by_command(terminal: Terminal) -> None:
    """Leave by a command."""
    say(terminal, "/quit")


@pytest.mark.parametrize("leave", [by_key, by_command])
def test_the_terminal_is_left_as_it_was_found(world: World, leave: Callable[[Terminal], None]) -> None:
    world.write_config('model = "demo/panto-demo"\n')
    terminal = world.start()
    wait_ready(terminal)
    leave(terminal)
    assert terminal.wait_exit() == 0
    assert terminal.cursor.visible
    assert (terminal.alternate, terminal.title) == (False, "")
    assert terminal.modes == {7, 25}
    assert not any(line.strip() for line in terminal.lines())


def colors_of(theme: str) -> set[str]:
    """A theme's colours, as a screen names them."""
    return {color.removeprefix("#") for color in built_in_palettes()[theme].colors.values()}


def colors_in(terminal: Terminal) -> set[str]:
    """All colours on the screen."""
    cells = [terminal.cell(x, y) for y in range(30) for x in range(0, 100, 3)]
    return {color for cell in cells for color in (cell.foreground, cell.background)}


def test_another_theme_leaves_none_of_the_old_colours(world: World) -> None:
    with LLMServer([Reply("```python\nx = 1  # one\n```\n\n| a | b |\n|--|--|\n| 1 | 2 |\n")]) as server:
        world.configure(server)
        terminal = world.start()
        say(terminal, "show")
        terminal.wait_for(" out ─")
        dark = colors_of("panto-dark")
        assert len(colors_in(terminal) & dark) > 4
        world.configure(server, extra='theme = "panto-light"')
        say(terminal, "/reload")
        terminal.wait_for(lambda terminal: terminal.cell(0, 0).background == "fbfbf9")
        terminal.wait_for("x = 1  # one")
        terminal.wait_for(lambda terminal: not colors_in(terminal) & dark)


def test_a_light_theme_that_is_asked_for_is_there_from_the_first_picture(world: World) -> None:
    world.write_config('model = "demo/panto-demo"\n')
    terminal = world.start("--theme", "panto-light")
    wait_ready(terminal)
    assert b"22;24;29" not in terminal.raw


def test_a_new_session_shows_nothing_of_the_old_one(world: World) -> None:
    with LLMServer([Reply(numbered(60))]) as server:
        world.configure(server)
        terminal = world.start(columns=80, rows=24)
        say(terminal, "count to sixty")
        terminal.wait_for(" out ─")
        say(terminal, "/new")
        terminal.wait_gone("row 0")
        terminal.wait_gone("/new")
        assert "count to sixty" not in terminal.screen_text()
        terminal.press("ctrl+home")
        terminal.resize(90, 26)
        terminal.wait_for(lambda terminal: is_drawn(terminal, 90, 26))
        assert not rows_in_view(terminal)
        assert not any("█" in line or "▁" in line for line in terminal.lines())


HOSTILE = (
    "tab\there \x1b[31mred\x1b[0m \x9b2J \u202etrap\u202c \u200bthin \ufeffmark [/red] [bold]x[/bold] \x07"
    "שלום עולם e\u0301 👩‍💻 end"
)
SHOWN = ("tab ", "‹U+202E›trap‹U+202C› ‹U+200B›thin ‹U+FEFF›mark [/red] [bold]x[/bold]", "שלום עולם", "👩‍💻 end")


def test_hostile_text_shows_the_same_live_and_after_a_resume(world: World) -> None:
    world.write("evil.txt", HOSTILE + "\n")
    reply = Reply(f"Said: {HOSTILE}", tool_calls=[Call("std_shell", {"command": "cat evil.txt"})])
    with LLMServer([reply, Reply("Still whole.")]) as server:
        world.configure(server)
        terminal = world.start(columns=170, rows=40)
        wait_ready(terminal)
        terminal.paste(f"Mine: {HOSTILE}")
        terminal.wait_for("Mine:")
        terminal.press("enter")
        terminal.wait_for("1. Yes, once")
        terminal.press("1")
        terminal.wait_for("Still whole.")
        live = [line for line in terminal.lines() if "here" in line]
        assert len(live) == 3
        for line in live:
            assert [shown for shown in SHOWN if shown not in line] == []
            assert not re.search("[\u202a-\u202e\u2066-\u2069\u200b\ufeff\x00-\x1f\x7f-\x9f]", line)
        terminal.press("ctrl+d")
        terminal.wait_exit()
        for raw in (terminal.raw, resumed(world, live)):
            assert not any(code.encode() in raw for code in ("\x1b[31mred", "\x9b", "\u202e", "\u200b", "\ufeff"))
            assert b"\x1b[2J" not in raw


def resumed(world: World, lines: list[str]) -> bytes:
    """What the program writes when it goes on with a session that shows these lines."""
    again = world.start("--continue", columns=170, rows=40)
    again.wait_for("Still whole.")
    again.wait_for(lambda terminal: [line for line in terminal.lines() if "here" in line] == lines)
    return again.raw
