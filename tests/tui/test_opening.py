"""Opening: where an address goes, and what the user is told."""

from pathlib import Path

import pytest
from rich.segment import Segment
from rich.style import Style
from textual.app import App
from textual.color import Color

from panto.tui.editor import EditorError
from panto.tui.no_links import NoLinks, filters_for
from panto.tui.opening import can_browse, open_target
from panto.tui.transcript.links import File, Web


@pytest.mark.parametrize(
    ("environment", "platform", "can"),
    [
        ({"DISPLAY": ":0"}, "linux", True),
        ({"WAYLAND_DISPLAY": "wayland-0"}, "linux", True),
        ({}, "linux", False),
        ({"SSH_CONNECTION": "a"}, "linux", False),
        ({"SSH_CONNECTION": "a", "DISPLAY": "localhost:10"}, "linux", True),
        ({}, "darwin", True),
        ({"SSH_CONNECTION": "a"}, "darwin", False),
    ],
)
def test_a_browser_is_asked_only_where_the_user_sees_it(environment: dict[str, str], platform: str, can: bool) -> None:
    assert can_browse(environment, platform) is can


@pytest.mark.parametrize("address", ["javascript:x", "file:///etc/passwd", "--help", "https://a@b.example"])
async def test_an_address_is_looked_at_again_before_it_is_followed(address: str, tmp_path: Path) -> None:
    with pytest.raises(EditorError, match="no address to follow"):
        await open_target(App[str](), Web(address), tmp_path)


async def test_without_a_browser_the_address_is_copied(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("sys.platform", "linux")
    app = App[str]()
    address = "https://a.example/" + "x" * 100
    said = await open_target(app, Web(address), tmp_path)
    assert app.clipboard == address
    assert said.startswith("there is no browser here: copied https://a.example/x")
    assert len(said) < 80


async def test_a_file_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(EditorError, match="no such file"):
        await open_target(App[str](), File("none.py", 3), tmp_path)


@pytest.mark.parametrize(("term", "count"), [("xterm-256color", 0), ("tmux", 0), ("linux", 1), ("dumb", 1), ("", 1)])
def test_terminals_that_know_no_links_are_told_of_none(term: str, count: int) -> None:
    assert len(filters_for({"TERM": term})) == count


def test_a_line_without_links_is_otherwise_the_same() -> None:
    style = Style(bold=True, color="red")
    segments = [Segment("a", style + Style(link="http://a.b")), Segment("b", style), Segment("c")]
    assert NoLinks().apply(segments, Color(0, 0, 0)) == [Segment("a", style), Segment("b", style), Segment("c")]
