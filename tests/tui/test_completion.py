"""The list of slash commands: what it finds and in which order, and what keys do while it is open."""

from collections.abc import AsyncGenerator, Iterable
from contextlib import asynccontextmanager

import pytest
from hypothesis import given, strategies as st
from textual import events
from textual.app import App, ComposeResult
from textual.pilot import Pilot
from textual.widgets import Static

from panto.offers import Command, Registry
from panto.offers.commands import command_registry
from panto.tui.completion import CommandList, Completion
from panto.tui.completion.search import Candidate, candidates, search, word_at
from panto.tui.fit import Fit
from panto.tui.palette import built_in_palettes
from panto.tui.prompt import Prompt
from tests.tui.transcript.test_snapshots import SnapCompare


async def nothing(_arguments: str) -> None:
    """A command that does nothing."""


def command(name: str, hint: str = "", aliases: tuple[str, ...] = (), description: str = "") -> Command:
    """A command."""
    return Command(name, description or f"does {name}", nothing, hint=hint, aliases=aliases)


def registry(commands: Iterable[Command]) -> Registry[Command]:
    """The place where these are."""
    made = command_registry()
    for each in commands:
        made.add(each)
    return made


CORE = (
    command("help", aliases=("keys", "?")),
    command("model", hint="provider/name"),
    command("mode", hint="plan | ask | build"),
    command("new", aliases=("clear",)),
    command("quit", aliases=("exit", "q")),
    command("git:commit-all"),
    command("skill:remodel"),
)


def found(word: str, commands: Iterable[Command] = CORE) -> list[str]:
    """The names that a word finds, in order."""
    return [match.name for match in search(word, candidates(registry(commands)))]


@pytest.mark.parametrize(
    ("word", "names"),
    [
        ("mode", ["mode", "model", "skill:remodel"]),  # exact, prefix, scattered
        ("MODE", ["mode", "model", "skill:remodel"]),
        ("q", ["q"]),  # an alias, exact, goes before the name that it begins
        ("cl", ["clear", "git:commit-all"]),
        ("com", ["git:commit-all"]),
        ("all", ["git:commit-all"]),
        ("re", ["skill:remodel"]),
        ("gca", ["git:commit-all"]),
        ("xyz", []),
        ("", ["git:commit-all", "help", "mode", "model", "new", "quit", "skill:remodel"]),
    ],
)
def test_the_likeliest_command_comes_first(word: str, names: list[str]) -> None:
    assert found(word) == names


def test_word_starts_go_before_scattered_letters_and_ties_by_name() -> None:
    names = ("b:run", "a-run", "x.run", "grumpy-ant", "prune", "run-b", "run-a")
    expected = ["run-a", "run-b", "a-run", "b:run", "x.run", "grumpy-ant", "prune"]
    assert found("run", map(command, names)) == expected


NAMES = st.text("abAB:-.ßİé1", min_size=1, max_size=12)


@given(st.lists(NAMES, unique=True, max_size=12), st.text("abAB:-.ßİé1", max_size=5))
def test_a_match_shows_where_the_typed_letters_are_and_better_ones_come_first(names: list[str], word: str) -> None:
    matches = search(word, [Candidate(command(name), (name,)) for name in names])
    assert [match.fit for match in matches] == sorted(match.fit for match in matches)
    for match in matches:
        assert list(match.places) == sorted(set(match.places))
        assert [match.name[place].lower() for place in match.places] == [letter.lower() for letter in word]
    assert {match.name for match in matches} >= {name for name in names if name.startswith(word)}
    if word in names:
        assert matches[0].fit is Fit.EXACT


def test_what_cannot_be_called_is_not_offered() -> None:
    assert found("", [command("two words"), command("fine"), command("1st", aliases=("first",)), command("a/b")]) == [
        "fine",
        "first",
    ]


@pytest.mark.parametrize(
    ("line", "column", "word"),
    [
        ("/", 1, ""),
        ("/", 0, None),
        ("/he", 3, "he"),
        ("/he", 1, "he"),
        ("/he lp", 3, "he"),
        ("/he lp", 4, None),
        ("/etc/hosts", 4, None),
        ("/etc/", 5, None),
        ("//", 1, None),
        ("he", 1, None),
        (" /he", 3, None),
        ("", 0, None),
    ],
)
def test_a_name_is_being_typed_behind_the_first_slash_alone(line: str, column: int, word: str | None) -> None:
    assert word_at(line, column) == word


class Desk(App[None]):
    """A prompt with its list, in the program's own style sheet, and what was sent."""

    CSS_PATH = "../../app/panto/tui/app.tcss"

    def __init__(self, commands: Iterable[Command] = CORE, theme: str = "panto-dark", text: str = "") -> None:
        super().__init__()
        for palette in built_in_palettes().values():
            self.register_theme(palette.theme())
        self.theme = theme
        self.sent: list[str] = []
        self.stopped = 0
        self.held = False
        self._commands = registry(commands)
        self._text = text

    def compose(self) -> ComposeResult:
        """The column."""
        yield Static("What has been said.", id="body")
        yield CommandList(id="commands")
        yield Prompt(id="prompt")

    async def on_mount(self) -> None:
        """Put them together."""
        self.completion = Completion(self.prompt, self.shown, lambda: self.held)
        self.completion.offer(self._commands)
        self.prompt.show_hints(["/ command", "Ctrl+B panel"])
        self.prompt.border_subtitle = "build"
        self.prompt.focus()
        self.call_after_refresh(self.prompt.insert, self._text)

    def on_prompt_submitted(self, message: Prompt.Submitted) -> None:
        """Something was sent."""
        self.sent.append(message.text)

    def key_escape(self) -> None:
        """Esc came through."""
        self.stopped += 1

    @property
    def prompt(self) -> Prompt:
        """The prompt."""
        return self.query_one(Prompt)

    @property
    def shown(self) -> CommandList:
        """The list."""
        return self.query_one(CommandList)

    def rows(self) -> list[str]:
        """The rows of the list on the screen."""
        region = self.shown.content_region
        strips = self.screen._compositor.render_strips()  # pyright: ignore[reportPrivateUsage] - the picture itself
        cropped = [strips[y].crop(region.x, region.right).text.strip() for y in range(region.y, region.bottom)]
        return cropped if self.shown.display else []


@asynccontextmanager
async def desk(
    commands: Iterable[Command] = CORE, size: tuple[int, int] = (80, 24)
) -> AsyncGenerator[tuple[Desk, Pilot[None]]]:
    """The prompt, focused."""
    app = Desk(commands)
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        yield app, pilot


async def typed(pilot: Pilot[None], text: str) -> None:
    """Types a text."""
    names = {"/": "slash", " ": "space", ":": "colon"}
    await pilot.press(*(names.get(letter, letter) for letter in text))
    await pilot.pause()


async def test_a_slash_opens_the_list_and_typing_filters_it() -> None:
    async with desk() as (app, pilot):
        assert app.rows() == []
        await typed(pilot, "/")
        assert [row.split()[0] for row in app.rows()] == [f"/{name}" for name in found("")]
        await typed(pilot, "mo")
        assert [" ".join(row.split()) for row in app.rows()] == [
            "/mode plan | ask | build does mode",
            "/model provider/name does model",
            "/skill:remodel does skill:remodel",
        ]
        await typed(pilot, "x")
        assert app.rows() == []
        await pilot.press("backspace")
        await pilot.pause()
        assert len(app.rows()) == 3


async def test_the_list_stands_between_the_transcript_and_the_prompt_and_hides_neither() -> None:
    async with desk([command(f"c{number:03}") for number in range(300)]) as (app, pilot):
        await typed(pilot, "/")
        body, shown, prompt = (app.query_one(name).region for name in ("#body", "#commands", "#prompt"))
        assert body.height > 1
        assert body.bottom <= shown.y < shown.bottom == prompt.y
        assert prompt.bottom == 24
        assert shown.height == 8
        assert app.rows()[-1].endswith("↓ 292")
        await pilot.press("up")
        await pilot.pause()
        assert app.rows()[0].endswith("↑ 292")
        assert "/c299" in app.rows()[-1]


@pytest.mark.parametrize(("rows", "shown"), [(24, 8), (12, 4), (9, 3), (8, 2), (7, 0), (4, 0)])
async def test_a_small_screen_has_a_short_list_or_none(rows: int, shown: int) -> None:
    async with desk([command(f"c{number:03}") for number in range(300)], (60, rows)) as (app, pilot):
        await typed(pilot, "/")
        assert len(app.rows()) == shown
        assert app.completion.is_open == bool(shown)


async def test_the_list_follows_the_size_of_the_screen() -> None:
    async with desk([command(f"c{number:03}") for number in range(30)]) as (app, pilot):
        await typed(pilot, "/")
        await pilot.resize_terminal(60, 9)
        app.prompt.look()
        await pilot.pause()
        assert len(app.rows()) == 3


async def test_up_and_down_choose_and_leave_the_history_alone() -> None:
    async with desk() as (app, pilot):
        await pilot.press(*"said", "enter")
        await typed(pilot, "/mo")
        await pilot.press("down", "tab")
        assert app.prompt.text == "/model "
        await pilot.press("ctrl+u")
        assert app.prompt.text == ""
        await typed(pilot, "/mo")
        await pilot.press("up", "tab")
        assert app.prompt.text == "/skill:remodel"
        assert app.sent == ["said"]


async def test_tab_completes_the_name_in_front_of_what_stands_behind_it() -> None:
    async with desk() as (app, pilot):
        await typed(pilot, "/mod a")
        await pilot.press("left", "left", "left", "tab")
        assert (app.prompt.text, app.prompt.cursor_location) == ("/mode a", (0, 6))


@pytest.mark.parametrize(
    ("text", "keys", "sent", "left"),
    [
        ("/he", (), ["/help"], ""),  # the first is chosen, and needs nothing more
        ("/mod", (), [], "/mode "),  # it wants arguments
        ("/mode", (), ["/mode"], ""),  # exact: as it is
        ("/q", (), ["/q"], ""),  # an exact alias
        ("/mode", ("down",), [], "/model "),  # chosen by hand
        ("/nothing-like-it", (), ["/nothing-like-it"], ""),
        ("/etc/hosts", (), ["/etc/hosts"], ""),
        ("/he", ("escape",), ["/he"], ""),
        ("/model x", (), ["/model x"], ""),
    ],
)
async def test_enter_runs_what_is_exact_else_what_is_chosen(
    text: str, keys: tuple[str, ...], sent: list[str], left: str
) -> None:
    async with desk() as (app, pilot):
        await typed(pilot, text)
        await pilot.press(*keys, "enter")
        await pilot.pause()
        assert (app.sent, app.prompt.text) == (sent, left)
        assert app.rows() == []


async def test_esc_closes_only_the_list_until_another_text_is_begun() -> None:
    async with desk() as (app, pilot):
        await typed(pilot, "/he")
        await pilot.press("escape")
        await pilot.pause()
        assert (app.rows(), app.prompt.text, app.stopped) == ([], "/he", 0)
        await typed(pilot, "l")
        assert app.rows() == []
        await pilot.press("escape")
        await pilot.pause()
        assert app.stopped == 1
        await pilot.press("backspace", "backspace", "backspace", "backspace")
        await typed(pilot, "/he")
        assert len(app.rows()) == 1


async def test_pasted_and_recalled_text_opens_nothing() -> None:
    async with desk() as (app, pilot):
        app.prompt.post_message(events.Paste("/he"))
        await pilot.pause()
        assert (app.prompt.text, app.rows()) == ("/he", [])
        await pilot.press("enter")
        assert app.sent == ["/he"]
        await pilot.press("up")
        await pilot.pause()
        assert (app.prompt.text, app.rows()) == ("/he", [])
        app.prompt.give_back("/mo")
        await pilot.pause()
        assert app.rows() == []


async def test_only_the_first_word_of_the_first_line_counts() -> None:
    async with desk() as (app, pilot):
        await typed(pilot, "/he")
        await pilot.press("ctrl+j", "x")
        await pilot.pause()
        assert app.rows() == []
        await pilot.press("up")
        await pilot.pause()
        assert app.prompt.cursor_location == (0, 1)
        assert len(app.rows()) == 1


async def test_a_click_takes_a_row() -> None:
    async with desk() as (app, pilot):
        await typed(pilot, "/")
        await pilot.click("#commands", offset=(4, 1))
        await pilot.pause()
        assert app.sent == ["/help"]
        await typed(pilot, "/mod")
        await pilot.click("#commands", offset=(4, 1))
        await pilot.pause()
        assert app.prompt.text == "/model "
        assert app.prompt.has_focus


async def test_a_dialog_keeps_the_keys() -> None:
    async with desk() as (app, pilot):
        await typed(pilot, "/mo")
        app.held = True
        app.prompt.look()
        await pilot.pause()
        assert app.rows() == []
        assert not app.completion.press("tab")
        app.held = False
        await typed(pilot, "d")
        assert len(app.rows()) == 3


async def test_the_list_is_there_while_the_prompt_has_the_keys() -> None:
    async with desk() as (app, pilot):
        await typed(pilot, "/mo")
        app.screen.set_focus(None)
        await pilot.pause()
        assert app.rows() == []
        app.prompt.focus()
        await pilot.pause()
        assert len(app.rows()) == 3


async def test_the_hint_is_shown_until_something_is_typed_and_is_never_text() -> None:
    async with desk() as (app, pilot):
        await typed(pilot, "/model")
        assert app.prompt.suggestion == ""
        await typed(pilot, " ")
        assert app.prompt.suggestion == "provider/name"
        await pilot.press("right")
        assert app.prompt.text == "/model "
        await typed(pilot, "x")
        assert app.prompt.suggestion == ""
        await pilot.press("backspace", "backspace")
        assert app.prompt.suggestion == ""
        await typed(pilot, " ")
        await pilot.press("enter")
        assert (app.sent, app.prompt.suggestion) == (["/model "], "")


async def test_keys_take_effect_in_the_order_in_which_they_come() -> None:
    async with desk() as (app, pilot):
        keys = ["slash", "h", "x", "backspace", "e", "tab", "enter", "a", "left", "b", "home", "c", "enter"]
        for key in keys:
            app.post_message(events.Key(key, "/" if key == "slash" else key if len(key) == 1 else None))
        await pilot.pause()
        await pilot.pause()
        assert app.sent == ["/help", "cba"]


HOSTILE = command("evil", "[red]\x1b[2J", description="one\ntwo\x1b]0;x\x07 [/b] \u202e日本語" * 9)


@pytest.mark.parametrize("width", [20, 37, 40, 60, 80])
async def test_hostile_text_is_one_safe_line(width: int) -> None:
    async with desk([HOSTILE, command("a" * 300), command("x" + "日本語" * 9)], (width, 24)) as (app, pilot):
        await typed(pilot, "/")
        rows = app.rows()
        assert len(rows) == 3
        assert not set("\x1b\x07\u202e\n") & set("".join(rows))
        assert any(row.startswith("/evil [red]") for row in rows)
        assert all(strip.cell_length == app.shown.content_size.width for strip in map(app.shown.render_line, range(3)))


async def test_a_text_that_is_no_command_costs_nothing() -> None:
    class Counting(Registry[Command]):
        def all(self) -> list[Command]:
            raise AssertionError("nobody asked")

    async with desk() as (app, pilot):
        app.completion.offer(Counting("command /", lambda each: (each.name,)))
        await typed(pilot, "x/he")
        assert app.prompt.text == "x/he"


@pytest.mark.parametrize("theme", ["panto-dark", "panto-light"])
@pytest.mark.parametrize(("columns", "rows"), [(60, 20), (100, 20)])
@pytest.mark.parametrize("text", ["/", "/mo", "/model "], ids=["all", "some", "hint"])
def test_the_picture(snap_compare: SnapCompare, text: str, columns: int, rows: int, theme: str) -> None:
    more = [
        command(f"skill:review-{number}", description="Review what was changed, file by file") for number in range(9)
    ]
    assert snap_compare(Desk([*CORE, *more], theme, text), terminal_size=(columns, rows))
