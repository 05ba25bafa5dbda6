"""The screen of extensions as a picture: wide and narrow, high and low, dark and light."""

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

import pytest
from textual.app import App

import panto.tui.app
from panto.events import Notification
from panto.loader import Facts, State, Target
from panto.loader.facts import Cost, Registered
from panto.tui.extensions import ExtensionsScreen
from panto.tui.palette import built_in_palettes

HOSTILE = "\x1b[31m[bold red]markup[/] \u202eevil"


class SnapCompare(Protocol):
    """The fixture that compares an app's picture with the one that was approved."""

    def __call__(self, app: App[None], *, terminal_size: tuple[int, int], press: Sequence[str] = ()) -> bool:
        """Whether they are the same."""
        ...


def made(name: str, state: State = "on", layer: str = "built-in", **more: object) -> Facts:
    """An extension with something of everything."""
    suite, _, module = name.partition(".")
    values: dict[str, object] = {
        "id": name,
        "layer": layer,
        "state": state,
        "trusted": state != "untrusted",
        "file": Path(f"/usr/lib/panto_{suite}/{module}/__init__.py"),
        "why": "",
        "registered": (Registered("tool", name),) if state == "on" else (),
        "timings": {"load": Cost(1, 0.0012)} if state == "on" else {},
        "errors": 0,
        "last_error": "",
        "policy": 'allowed by "*"',
        "policy_origin": "default",
        **more,
    }
    return Facts(**values)  # pyright: ignore[reportArgumentType] - each by its name


RULES = made(
    "agent.rules",
    registered=(
        Registered("handler", "session_start"),
        Registered("handler", "tool_result"),
        Registered("command", "rules"),
    ),
    timings={"load": Cost(1, 0.0055), "session_start": Cost(2, 0.0062), "tool_result": Cost(12, 1.2345)},
    errors=2,
    last_error=f"tool_result: ValueError: {HOSTILE}",
)
WHY = "/home/me/.config/panto/extensions/my/broken.py:12: ModuleNotFoundError: No module named 'rhymes'"
FACTS = [
    RULES,
    made("agent.skill"),
    *(made(f"std.{name}") for name in ("edit", "glob", "grep", "list", "read")),
    made("std.shell", "denied", policy='denied by "std.sh*"', policy_origin="user: ~/.config/panto/config.toml:12"),
    made("std.write"),
    made("my.rhyme", "off", "user"),
    made(
        "my.broken",
        "broken",
        "user",
        why=WHY,
        errors=1,
        last_error=f"load: {WHY}",
    ),
    made("shop.deploy", "untrusted", "project"),
]
FILES: dict[Target, str] = {"user": "~/.config/panto/config.toml", "project": ".panto/config.toml"}
TOLD = Notification(
    "agent.rules is on now, and off again from the next start on: "
    'denied by "agent.*", project: ~/src/shop/.panto/config.toml:3',
    "warning",
    "choose the project's config.toml to change that",
)


class Picture(App[None]):
    """The screen alone."""

    CSS_PATH = Path(panto.tui.app.__file__).with_name("app.tcss")

    def __init__(self, theme: str) -> None:
        super().__init__()
        for palette in built_in_palettes().values():
            self.register_theme(palette.theme())
        self.theme = theme

    async def on_mount(self) -> None:
        """Open it, with something told below the list."""
        screen = ExtensionsScreen(FACTS, FILES)
        await self.push_screen(screen)
        screen.tell(TOLD)


@pytest.mark.parametrize("theme", ["panto-dark", "panto-light"])
@pytest.mark.parametrize(("columns", "rows"), [(60, 12), (60, 30), (100, 12), (100, 28), (160, 28)])
@pytest.mark.parametrize("press", [[], ["end", "up"]], ids=["on", "broken"])
def test_the_picture(snap_compare: SnapCompare, press: list[str], columns: int, rows: int, theme: str) -> None:
    assert snap_compare(Picture(theme), terminal_size=(columns, rows), press=press)
