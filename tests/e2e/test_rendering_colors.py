"""The screen on terminals with many, few and no colours: nothing else is written, and all of it can be read."""

import re
from collections.abc import Mapping

import pytest

from tests.e2e.conftest import World, say
from tests.support.llm_server import Call, LLMServer, Reply
from tests.support.terminal import Cell, Terminal
from tests.tui.test_fewer_colors import SHADES
from tests.tui.test_palette import contrast

DEPTHS: dict[str, Mapping[str, str | None]] = {
    "true": {},
    "256": {"COLORTERM": None},
    "16": {"COLORTERM": None, "TERM": "xterm"},
    "dumb": {"COLORTERM": None, "TERM": "dumb"},
    "wished": {"NO_COLOR": "1"},
}
FOREIGN = {
    "true": re.compile(r"[34]8;5;"),
    "256": re.compile(r"[34]8;2;|^(?:3[0-7]|4[0-7]|9[0-7]|10[0-7])(?:;|$)"),
    "16": re.compile(r"[34]8;[25];"),
    "none": re.compile(r"(?:^|;)(?:3[0-8]|4[0-8]|9[0-7]|10[0-7])(?:;|$)"),
}
"""What must not be asked of a terminal with so many colours."""
HUES = ("black", "red", "green", "brown", "blue", "magenta", "cyan", "white")
NAMED = dict(zip([*HUES, *(f"bright{hue}" for hue in HUES)], SHADES["xterm"].split(), strict=True))
DECORATION = set("─│╭╮╰╯┼━┃▏▌▔▁▂▃▄▅▆▇█")
ANSWER = """# Heading

Some **bold** text with `code`, a [link](https://example.com) and

> a quote.

```python
@decorated
def total(items: list[Item]) -> int:  # all of them
    return sum(item.price for item in items) + 12 + len("text")
```

- item

| a | b |
|---|---|
| 1 | 2 |
"""
COLUMNS, ROWS = 100, 50


def show(world: World, server: LLMServer, env: Mapping[str, str | None], theme: str) -> Terminal:
    """A screen with calls that went well and badly, an answer, and an open list."""
    world.configure(server)
    world.write("a.txt", "one\ntwo\n")
    terminal = world.start("--theme", theme, columns=COLUMNS, rows=ROWS, env=env)
    say(terminal, "show me all")
    terminal.wait_for(" out ─")
    terminal.type_text("/mod")
    terminal.wait_for("change what may happen without asking")
    return terminal


SCRIPT = [
    Reply(
        thinking="First I look.",
        tool_calls=[
            Call("std_read", {"path": "a.txt"}),
            Call("std_edit", {"path": "a.txt", "old": "two", "new": "zwei"}),
            Call("std_read", {"path": "none.txt"}),
        ],
    ),
    Reply(ANSWER),
]


def shades(cell: Cell) -> tuple[str, str]:
    """Text and ground of a cell as hex."""
    front, back = (NAMED.get(color, color) for color in (cell.foreground, cell.background))
    return (f"#{back}", f"#{front}") if cell.reverse else (f"#{front}", f"#{back}")


def cells(terminal: Terminal) -> list[Cell]:
    """All that is written on the screen."""
    found = (terminal.cell(x, y) for y in range(ROWS) for x in range(COLUMNS))
    return [cell for cell in found if cell.text.strip() and cell.text not in DECORATION]


def asked(terminal: Terminal) -> set[str]:
    """All that the program asked for in the way of colours and attributes."""
    return set(re.findall(r"\x1b\[([\d;:]*)m", terminal.raw.decode(errors="replace")))


@pytest.mark.parametrize("theme", ["panto-dark", "panto-light"])
@pytest.mark.parametrize("depth", ["true", "256", "16"])
def test_all_texts_can_be_read_in_the_colours_that_there_are(world: World, depth: str, theme: str) -> None:
    with LLMServer(SCRIPT) as server:
        terminal = show(world, server, DEPTHS[depth], theme)
        assert {codes for codes in asked(terminal) if FOREIGN[depth].search(codes)} == set()
        faint = {(cell.text, *shades(cell)) for cell in cells(terminal) if contrast(*shades(cell)) < 4.5}
        assert faint == set()
        assert len({cell.foreground for cell in cells(terminal)}) >= 4


@pytest.mark.parametrize("depth", ["dumb", "wished"])
def test_without_colours_marks_and_weight_tell_the_rest(world: World, depth: str) -> None:
    with LLMServer(SCRIPT) as server:
        terminal = show(world, server, DEPTHS[depth], "panto-dark")
        assert {codes for codes in asked(terminal) if FOREIGN["none"].search(codes)} == set()
        assert {(cell.foreground, cell.background) for cell in cells(terminal)} == {("default", "default")}
        for text in ("Heading", "bold", "code"):
            place = terminal.find(text)
            assert place is not None
            assert terminal.cell(*place).bold
        assert re.search(r"● read +a\.txt", terminal.screen_text())
        assert re.search(r"✗ read +none\.txt", terminal.screen_text())
        chosen = terminal.find("/mode ")
        other = terminal.find("/model ")
        assert chosen is not None
        assert other is not None
        assert terminal.cell(*chosen).reverse
        assert not terminal.cell(*other).reverse
        caret = terminal.find("│ /mod")
        assert caret is not None
        assert terminal.cell(caret[0] + len("│ /mod"), caret[1]).reverse
