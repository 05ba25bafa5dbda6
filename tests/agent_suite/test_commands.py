"""``agent.commands``: which files are commands, by which names, and what is said of those that are not."""

import os
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

from panto import AppStart, Command, SessionStart
from panto.tui.commands import parse_command
from panto_agent import commands
from panto_agent.commands import _catalogue, _walk
from tests.support.extension_host import Stage, on_stage


class Place:
    """A project and a home, with a place for each layer's commands."""

    def __init__(self, directory: Path) -> None:
        self.project = directory / "shop"
        self.home = directory / "home"
        self.project.mkdir()
        self.home.mkdir()
        self.base = self.home / ".local/share/panto/agent/commands"
        self.user = self.home / ".config/panto/commands"
        self.own = self.project / ".panto/commands"

    @asynccontextmanager
    async def stage(self, tables: dict[str, dict[str, object]] | None = None, **more: bool) -> AsyncGenerator[Stage]:
        """The extension, switched on, and the program up."""
        async with on_stage(commands, self.project, self.home, tables, **more) as stage:
            await stage.bus.emit(AppStart(self.project))
            await stage.bus.settle()
            yield stage


def put(path: Path, text: str | bytes) -> Path:
    """Write a file and its directories."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def names(stage: Stage) -> list[str]:
    """The names of the commands that are offered, besides the one that lists them."""
    return [command.name for command in stage.shell.offers.commands.all() if command.name != "commands"]


async def said(stage: Stage, name: str, arguments: str = "") -> str:
    """What a command says to the model."""
    result = await stage.command(name, arguments)
    assert result.prompt is not None, stage.notices
    return result.prompt.text


@pytest.fixture
def place(tmp_path: Path) -> Place:
    """An empty project and an empty home."""
    return Place(tmp_path)


async def test_without_any_files_nothing_is_said(place: Place) -> None:
    async with place.stage() as stage:
        assert names(stage) == []
        assert stage.notices == []
        assert (await stage.command("commands")).text.startswith("No commands")


async def test_later_places_win_and_the_others_are_listed_as_shadowed(place: Place) -> None:
    claude, agents = (place.project / name / "commands" for name in (".claude", ".agents"))
    places = [place.base, place.user, claude, agents, place.own]
    for number, directory in enumerate(places):
        put(directory / "same.md", f"from {number}")
        put(directory / f"only{number}.md", "x")
    async with place.stage() as stage:
        assert names(stage) == ["only0", "only1", "only2", "only3", "only4", "same"]
        assert await said(stage, "same") == "from 4"
        text = (await stage.command("commands")).text
        places_shadowed = [line.strip() for line in text.splitlines() if "shadows" in line]
        assert places_shadowed == [f"shadows `{directory}/same.md`" for directory in reversed(places[:-1])]
        assert stage.notices == []
    for directory, label in zip(
        reversed(places), ("project", "project .agents", "project .claude", "user", "base"), strict=True
    ):
        async with place.stage() as stage:
            assert f"**/same** ({label}): from {places.index(directory)}" in (await stage.command("commands")).text
        (directory / "same.md").unlink()


async def test_compat_false_leaves_out_claude_alone(place: Place) -> None:
    put(place.project / ".claude/commands/one.md", "x")
    put(place.project / ".agents/commands/two.md", "x")
    async with place.stage({"commands": {"compat": False}}) as stage:
        assert names(stage) == ["two"]


async def test_directories_are_namespaces(place: Place) -> None:
    put(place.user / "a/b/c.md", "deep")
    put(place.user / "a/b.md", "shallow")
    put(place.user / "a/readme.txt", "no command")
    put(place.user / ".git/x.md", "not looked into")
    async with place.stage() as stage:
        assert names(stage) == ["a:b", "a:b:c"]
        assert await said(stage, "a:b:c") == "deep"
        assert stage.notices == []


@pytest.mark.parametrize("name", ["1st", "two words", "-dash", "é", "a/b c", "ns/ok", "grüß", "a.b-c_d", "A/B", "x\ny"])
async def test_a_name_is_what_the_prompt_takes_for_one(place: Place, name: str) -> None:
    path = put(place.user / f"{name}.md", "x")
    async with place.stage() as stage:
        called = name.replace("/", ":")
        parsed = parse_command(f"/{called}", stage.shell.offers.commands)
        if isinstance(parsed, tuple):
            assert parsed[0].name == called
            assert stage.notices == []
        else:
            assert names(stage) == []
            (notice,) = stage.notices
            assert "is no name for a command" in notice
            assert str(path).replace("\n", "\\n") in notice
            assert "\n" not in notice


async def test_a_name_that_is_taken_is_told_and_the_rest_load(place: Place) -> None:
    taken = put(place.user / "help.md", "x")
    own = put(place.user / "commands.md", "x")
    put(place.user / "fine.md", "x")

    async def show_help(_arguments: str) -> str:
        return "help"

    async with on_stage(commands, place.project, place.home) as stage:
        stage.shell.offers.commands.add(Command("h", "help", show_help, aliases=("help",)))
        await stage.bus.emit(SessionStart("s", "new"))
        await stage.bus.emit(AppStart(place.project))
        await stage.bus.settle()
        assert [command.name for command in stage.shell.offers.commands.all()] == ["commands", "fine", "h"]
        assert sorted(stage.notices) == [
            f"commands: {own}: there is a command /commands already",
            f"commands: {taken}: there is a command /help already",
        ]
        text = (await stage.command("commands")).text
        assert f"refused: `{taken}`: there is a command /help already" in text
        assert "**/help**" not in text


async def test_no_name_is_taken_before_all_extensions_have_theirs(place: Place) -> None:
    put(place.own / "rules.md", "x")
    async with on_stage(commands, place.project, place.home) as stage:
        assert names(stage) == []
        await stage.bus.emit(AppStart(place.project))
        assert names(stage) == ["rules"]


async def test_what_can_not_be_read_is_one_warning_each_and_the_rest_load(place: Place) -> None:
    put(place.user / "good.md", "x")
    put(place.user / "latin.md", b"caf\xe9")
    put(place.user / "large.md", b"x" * (256 * 1024 + 1))
    put(place.user / "just.md", b"x" * (256 * 1024))
    put(place.user / "open.md", "---\ndescription: x\n")
    put(place.user / "broken.md", "---\ndescription: x\nallowed-tools: Bash(ls\n---\nx")
    (place.user / "gone.md").symlink_to(place.user / "nowhere.md")
    os.mkfifo(place.user / "pipe.md")
    async with place.stage() as stage:
        assert names(stage) == ["good", "just"]
        prefix = f"commands: {place.user}/"
        reasons = {where: why for where, _, why in (n.removeprefix(prefix).partition(": ") for n in stage.notices)}
        assert len(reasons) == len(stage.notices) == 6
        assert reasons["latin.md"] == "it is no UTF-8 text"
        assert reasons["large.md"] == "it has more than 256 KiB"
        assert "never closed" in reasons["open.md:1"]
        assert "allowed-tools" in reasons["broken.md:3"]
        assert "no such file" in reasons["gone.md"]
        assert "not a regular file" in reasons["pipe.md"]
        text = (await stage.command("commands")).text
        assert f"refused: `{place.user}/broken.md`, line 3: its front matter can't be read" in text


async def test_the_file_of_a_lower_place_stands_in_for_a_broken_one(place: Place) -> None:
    put(place.user / "x.md", "the user's")
    put(place.own / "x.md", b"\xff")
    async with place.stage() as stage:
        assert await said(stage, "x") == "the user's"
        assert len(stage.notices) == 1


async def test_a_directory_that_is_none_is_told(place: Place) -> None:
    put(place.user, "a file")
    async with place.stage() as stage:
        (notice,) = stage.notices
        assert str(place.user) in notice


async def test_many_faults_are_counted(place: Place) -> None:
    for number in range(30):
        put(place.user / f"x{number}.md", b"\xff")
    async with place.stage() as stage:
        assert len(stage.notices) == 21
        assert "10 more" in stage.notices[-1]
        assert (await stage.command("commands")).text.count("refused") == 30


async def test_the_walk_ends_at_loops_depth_and_number(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    put(place.user / "a/x.md", "x")
    (place.user / "a/up").symlink_to(place.user)
    (place.user / "self").symlink_to(place.user / "self")
    put(place.base / _deep(8), "x")
    put(place.base / _deep(9), "x")
    async with place.stage() as stage:
        assert names(stage) == [":".join([*"abcdefgh", "x"]), "a:x"]
        (deeper,) = (notice for notice in stage.notices if str(place.base) in notice)
        assert "nest deeper than 8" in deeper
    monkeypatch.setattr(_walk, "MOST_ENTRIES", 10)
    for number in range(20):
        put(place.own / f"x{number:02}.md", "x")
        put(place.own / f"sub/y{number:02}.md", "x")
    async with place.stage() as stage:
        assert len([name for name in names(stage) if name[0] in "xs"]) <= 10
        (many,) = (notice for notice in stage.notices if str(place.own) in notice)
        assert "more than 10 files" in many


def _deep(depth: int) -> str:
    return "/".join([*"abcdefghi"[:depth], "x.md"])


async def test_a_link_out_of_the_project_counts_only_if_it_is_trusted(place: Place, tmp_path: Path) -> None:
    put(tmp_path / "secret.md", "SECRET")
    put(tmp_path / "dir/other.md", "OTHER")
    put(place.own / "fine.md", "x")
    (place.own / "leak.md").symlink_to(tmp_path / "secret.md")
    (place.own / "dir").symlink_to(tmp_path / "dir")
    put(place.user / "x.md", "x").with_name("mine.md").symlink_to(tmp_path / "secret.md")
    async with place.stage() as stage:
        assert names(stage) == ["fine", "mine", "x"]
        assert len([notice for notice in stage.notices if "leads out of the project" in notice]) == 2
        assert await said(stage, "mine") == "SECRET"
        assert "SECRET" not in "".join(stage.notices)
    async with place.stage(trusts_project=True) as stage:
        assert await said(stage, "leak") == "SECRET"
        assert await said(stage, "dir:other") == "OTHER"


async def test_what_the_front_matter_says_is_shown(place: Place) -> None:
    put(place.user / "a.md", "---\ndescription: What it does\nargument-hint: [file] `x`\nowner: me\n---\nBody\n")
    put(place.user / "b.md", "\ufeff\r\n# A heading\r\nmore\r\n")
    put(place.user / "c.md", "---\ndescription: >\n  Over\n  lines\n---\nx")
    put(place.user / "d.md", "---\nmodel: a/b\n---\n\n" + "long " * 100)
    async with place.stage() as stage:
        found = {command.name: command for command in stage.shell.offers.commands.all()}
        assert (found["a"].description, found["a"].hint) == ("What it does", "[file] 'x'")
        assert found["b"].description == "# A heading"
        assert found["c"].description == "Over lines"
        assert found["d"].description.endswith("…")
        assert len(found["d"].description) < 200
        assert await said(stage, "a") == "Body"
        assert await said(stage, "b") == "# A heading\nmore"
        assert stage.notices == []


HOSTILE = (
    "# x",
    "x](http://evil.example) **bold** `code <b>",
    "- item\u2028- item",
    "\x1b[31mred\x1b[0m",
    "a\x0b- b",
    "![x](y)",
    "| a | b |",
    "&lt;b&gt;",
    "\\",
)


@pytest.mark.parametrize("text", HOSTILE)
async def test_no_description_breaks_the_list(place: Place, text: str) -> None:
    put(place.user / "a.md", f"{text}\n- second")
    put(place.user / "b.md", "---\nargument-hint: '" + text.replace("'", "") + "'\n---\n")
    put(place.user / "z`z.md", "x")
    async with place.stage() as stage:
        listed = (await stage.command("commands")).text
    lines = listed.split("\n")
    assert [line[:2] for line in lines] == ["- ", "  ", "- ", "  ", "- "]
    assert all(character.isprintable() or character == "\n" for character in listed)
    parsed = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"]).parse(listed)
    kinds = [token.type for token in parsed]
    assert kinds.count("list_item_open") == 3
    assert not {"heading_open", "table_open", "html_block", "blockquote_open", "fence"} & set(kinds)
    inline = [child for token in parsed for child in token.children or ()]
    assert not {"link_open", "image", "em_open", "html_inline", "s_open"} & {child.type for child in inline}
    assert [child.content for child in inline if child.type == "code_inline"] == [
        str(place.user / name) for name in ("a.md", "b.md", "z`z.md")
    ]


def test_the_name_pattern_is_that_of_the_prompt() -> None:
    from panto.tui import commands as prompt  # noqa: PLC0415 - the one test that looks inside

    assert _catalogue.NAME.pattern == prompt.NAME
