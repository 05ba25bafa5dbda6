"""``agent.commands``: the files that a body mentions."""

import os
from pathlib import Path

import pytest

from panto import parse_rule
from panto.permissions.approval import Approval
from panto.permissions.gate import Gate, Rules
from tests.agent_suite.test_commands import Place, put, said
from tests.support.extension_host import Stage


@pytest.fixture
def place(tmp_path: Path) -> Place:
    """An empty project and an empty home."""
    return Place(tmp_path)


def forbid(stage: Stage, place: Place, *rules: str, ask: bool = False) -> None:
    """Put rules of the user's in force."""
    parsed = tuple(map(parse_rule, rules))
    stage.shell.guard.gate = Gate(place.project, "build", Rules(ask=parsed) if ask else Rules(deny=parsed))


async def expansion(place: Place, body: str, arguments: str = "") -> str:
    """What a user's command of that body says."""
    put(place.user / "x.md", body)
    async with place.stage() as stage:
        return await said(stage, "x", arguments)


async def test_a_file_goes_along_once_behind_the_text(place: Place) -> None:
    put(place.project / "src/a.py", "a = 1\n")
    put(place.project / "b.md", "B $1 @src/a.py !`touch x`\r\n")
    text = await expansion(place, "Look at @src/a.py, (@b.md) and @./src/../b.md. Again: @src/a.py", "extra")
    assert text == (
        "Look at @src/a.py, (@b.md) and @./src/../b.md. Again: @src/a.py\n\nextra\n\n"
        "contents of src/a.py:\n\na = 1\n\ncontents of b.md:\n\nB $1 @src/a.py !`touch x`"
    )
    assert not (place.project / "x").exists()


@pytest.mark.parametrize(
    ("body", "path"),
    [
        ("@$1", "a b.md"),
        ("see @dir/$1.", "dir/a b.md"),
        ("@$ARGUMENTS", "'a b.md'"),
        ("'@app/[id]/(x).ts'", "app/[id]/(x).ts"),
        ("(see @app/[id]/(x).ts)", "app/[id]/(x).ts"),
        ("@a.md?!", "a.md"),
        ("(see @copy(1))", "copy(1)"),
        ("“@a.md”", "a.md"),
        ("x\n@a.md:", "a.md"),
        (r"@a\$1.md", "a$1.md"),
    ],
)
async def test_where_a_mention_ends(place: Place, body: str, path: str) -> None:
    put(place.project / path, "TEXT")
    text = await expansion(place, body, "'a b.md'" if "$" in body else "")
    assert f"contents of {path}:\n\nTEXT" in text


@pytest.mark.parametrize(
    "body", ["me@a.md", "`@a.md`", "@b.md", "@", "@@a.md", "@..", "@a.md/x", f"@{'a' * 5000}", "@a\0b"]
)
async def test_what_is_no_mention_or_not_there_stays_as_it_is(place: Place, body: str) -> None:
    put(place.project / "a.md", "TEXT")
    assert await expansion(place, body) == body


async def test_large_empty_and_binary_files(place: Place) -> None:
    put(place.project / "large", "x" + "é" * 40_000)
    put(place.project / "just", "x" * 65_536)
    put(place.project / "empty", "")
    put(place.project / "nul", b"a\0b")
    put(place.project / "latin", b"caf\xe9")
    put(place.project / "late", b"x" * 65_535 + b"\xff" + b"x" * 10)
    os.mkfifo(place.project / "pipe")
    text = await expansion(place, "@large @just @empty @nul @latin @late @pipe")
    sections = dict(part.split(":\n\n", 1) for part in text.split("contents of ")[1:])
    assert sections["large"] == "x" + "é" * 32_767 + "\n\n[cut here: 65536 of 80001 bytes]\n\n"
    assert sections["just"] == "x" * 65_536 + "\n\n"
    assert sections["empty"].strip() == "[an empty file]"
    assert sections["nul"].strip() == "[a binary file of 3 bytes]"
    assert sections["latin"].strip() == "[a binary file of 4 bytes]"
    assert sections["late"].strip() == "[a binary file of 65546 bytes]"
    assert sections["pipe"] == "[not read: not a regular file]"


async def test_a_directory_gives_its_names(place: Place) -> None:
    put(place.project / "src/b.py", "")
    put(place.project / "src/a/c.py", "")
    put(place.project / "src/new\nline", "")
    for number in range(250):
        put(place.project / f"many/{number:03}", "")
    (place.project / "none").mkdir()
    text = await expansion(place, "@src/ @many @none")
    assert "contents of src/:\n\na/\nb.py\nnew\\nline\n" in text
    assert "\n199\n[and 50 more]" in text
    assert "\n200\n" not in text
    assert "contents of none:\n\n[an empty directory]" in text


async def test_many_mentions_are_cut(place: Place) -> None:
    for number in range(60):
        put(place.project / f"f{number}", "x")
    text = await expansion(place, " ".join(f"@f{number}" for number in range(60)))
    assert text.count("contents of") == 50
    assert text.endswith("[more than 50 files are mentioned: the rest is left out]")


async def test_outside_of_the_project_only_for_the_users_own_or_a_trusted_project(place: Place) -> None:
    secret = put(place.home / "notes.md", "SECRET")
    (place.project / "link").symlink_to(secret)
    put(place.project.parent / "shop-evil/x.md", "SECRET")
    body = f"@~/notes.md @{secret} @link @../home/notes.md @../shop-evil/x.md"
    put(place.own / "x.md", body)
    put(place.user / "y.md", body)
    async with place.stage() as stage:
        text = await said(stage, "x")
        assert "SECRET" not in text
        assert text.count("[not read: it lies outside of the project") == 2  # each real file once
        assert (await said(stage, "y")).count("SECRET") == 2
    async with place.stage(trusts_project=True) as stage:
        assert (await said(stage, "x")).count("SECRET") == 2
    (place.project / "in").symlink_to(put(place.project / "a.md", "INSIDE"))
    put(place.own / "x.md", "@in")
    async with place.stage() as stage:
        assert "INSIDE" in await said(stage, "x")


async def test_reading_is_permitted_like_any_other(place: Place) -> None:
    put(place.project / ".env", "SECRET")
    (place.project / "link").symlink_to(place.project / ".env")
    put(place.user / "x.md", "@.env @link @$1")
    put(place.own / "y.md", "fine")
    (place.own / "z.md").symlink_to(place.project / ".env")
    async with place.stage() as stage:
        forbid(stage, place, "fs.read(**/.env)")
        text = await said(stage, "x", ".env")
        assert "SECRET" not in text
        assert "contents of .env:\n\n[not read: Denied: a rule of the user's denies it: fs.read(**/.env)]" in text
        assert await said(stage, "y") == "fine"
        await stage.command("z")
        await stage.bus.settle()
        assert "/z was not run" in stage.notices[-1]
        assert "a rule of the user's denies it" in stage.notices[-1]
        assert "SECRET" not in "".join(stage.notices)
        forbid(stage, place, "fs.read(**/.env)", ask=True)
        stage.user.answer = Approval("no")
        text = await said(stage, "x")
        assert "[not read: The user does not want this to run]" in text
        (request,) = stage.user.asked
        assert (request.title, request.needs[0].subject) == ("/x", str(place.project / ".env"))
