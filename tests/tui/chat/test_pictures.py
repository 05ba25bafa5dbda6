"""Reading back, as a picture: the cursor, a selection, what is found; wide and narrow, dark and light."""

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Protocol

import pytest
from textual.app import App, ComposeResult
from textual.pilot import Pilot

import panto.tui.app
from panto.tui.chat import Chat, ChatBox
from panto.tui.chat.places import Spot, Stretch
from panto.tui.palette import built_in_palettes
from panto.tui.transcript import AnswerEntry, ToolEntry, TurnEndEntry, UserEntry

ANSWER = """The **loop** leaves out the last item, see `total`:

```python
def total(items: list[Item]) -> int:
    return sum(item.price for item in items[:-1])  # a loop
```

| file | loops |
|---|--:|
| cart.py | 2 |
| 割引.py | 1 |"""


class SnapCompare(Protocol):
    """The fixture that compares an app's picture with the one that was approved."""

    def __call__(
        self, app: App[None], *, terminal_size: tuple[int, int], run_before: Callable[[Pilot[None]], Awaitable[None]]
    ) -> bool:
        """Whether they are the same."""
        ...


class Picture(App[None]):
    """The box alone."""

    CSS_PATH = Path(panto.tui.app.__file__).with_name("app.tcss")
    ENABLE_COMMAND_PALETTE = False
    AUTO_FOCUS = None

    def __init__(self, theme: str) -> None:
        super().__init__()
        for palette in built_in_palettes().values():
            self.register_theme(palette.theme())
        self.theme = theme

    def compose(self) -> ComposeResult:
        """The box."""
        yield ChatBox(id="chat")

    def on_mount(self) -> None:
        """Some of a conversation."""
        chat = self.query_one(Chat)
        call = ToolEntry("std.grep", "loop", quiet=True)
        call.finish("done", "cart.py:1: loop", result="3 matches")
        answer = AnswerEntry(ANSWER)
        answer.finish()
        for entry in (UserEntry("Why does the loop end early?"), call, answer, TurnEndEntry("3 s")):
            entry.came = None
            chat.add(entry)


async def walking(pilot: Pilot[None]) -> None:
    """The cursor is on the answer."""
    await pilot.pause()
    pilot.app.query_one(Chat).focus()
    await pilot.pause()


async def selecting(pilot: Pilot[None]) -> None:
    """From the question into the table."""
    pilot.app.query_one(Chat).select(Stretch(Spot(0, 0, 8), Spot(2, 2, 17)))
    await pilot.pause()


async def finding(pilot: Pilot[None]) -> None:
    """A text that stands at several places."""
    await pilot.app.query_one(ChatBox).find()
    await pilot.press(*"loop")
    await pilot.app.workers.wait_for_complete()  # pyright: ignore[reportUnknownMemberType] - whatever the workers give
    await pilot.pause()


@pytest.mark.parametrize("theme", ["panto-dark", "panto-light"])
@pytest.mark.parametrize("width", [60, 100, 160])
@pytest.mark.parametrize("state", [walking, selecting, finding])
def test_the_picture(
    snap_compare: SnapCompare, theme: str, width: int, state: Callable[[Pilot[None]], Awaitable[None]]
) -> None:
    assert snap_compare(Picture(theme), terminal_size=(width, 22), run_before=state)
