"""Changing a setting on disk: whole or not at all, and what others have there stays theirs."""

import stat
import tomllib
from pathlib import Path
from typing import Annotated

import pytest
from msgspec import Meta, Struct, field

from panto.config.edit import EditError, set_key, update_key
from panto.config.rewrite import Setting
from panto.config.source import MAX_BYTES, TomlValue
from tests.config.layers import TEXT, Layers


class Rules(Struct, frozen=True, kw_only=True):
    limit: Annotated[int, Meta(gt=0)] = 1
    names: dict[str, str] = field(default_factory=dict[str, str])


def refusal(file: Path, key: tuple[str, ...], value: Setting, within: Path | None = None) -> str:
    """Why the change is refused; nothing on disk may have changed."""
    before = contents_of(file.parent)
    with pytest.raises(EditError) as raised:
        set_key(file, key, value, within=within)
    assert contents_of(file.parent) == before
    assert raised.value.reason in str(raised.value)
    return raised.value.reason


def contents_of(directory: Path) -> dict[str, object]:
    return {each.name: each.read_bytes() if each.is_file() else None for each in directory.rglob("*")}


def test_the_key_changes_and_a_backup_is_kept(file: Path) -> None:
    assert set_key(file, ("mode",), "ask") is True

    assert file.read_text() == TEXT.replace('"plan"', '"ask"')
    assert (file.parent / "config.toml.bak").read_text() == TEXT
    assert sorted(each.name for each in file.parent.iterdir()) == ["config.toml", "config.toml.bak"]


def test_there_is_one_backup_of_what_was_last(file: Path) -> None:
    set_key(file, ("mode",), "ask")
    set_key(file, ("mode",), "build")

    assert '"ask"' in (file.parent / "config.toml.bak").read_text()


def test_what_holds_already_is_not_written_again(file: Path) -> None:
    inode = file.stat().st_ino

    assert set_key(file, ("extensions", "deny"), ["mcp.*"]) is False
    assert file.stat().st_ino == inode
    assert not (file.parent / "config.toml.bak").exists()


def test_an_absent_file_is_made_with_its_directories_and_for_its_owner_alone(layers: Layers) -> None:
    file = layers.paths.user.config_file

    assert set_key(file, ("providers", "x y", "api_key"), "sk-1") is True
    assert file.read_text() == '[providers."x y"]\napi_key = "sk-1"\n'
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert [each.name for each in file.parent.iterdir()] == ["config.toml"]
    assert layers.load().providers["x y"].api_key is not None


def test_line_ends_and_the_mark_at_the_start_stay(file: Path) -> None:
    file.write_bytes(b"\xef\xbb\xbf" + TEXT.replace("\n", "\r\n").encode())
    set_key(file, ("theme",), "mine")
    set_key(file, ("permissions", "deny"), ["net.http"])
    after = file.read_bytes()

    assert after.startswith(b'\xef\xbb\xbf# my settings\r\nmode = "plan"  # careful\r\ntheme = "mine"\r\n')
    assert after.count(b"\n") == after.count(b"\r\n")


@pytest.mark.parametrize(
    "content",
    [b"mode = ask\n", b"mode = 'a'\nmode = 'b'", b"\xff", b"#" * (MAX_BYTES + 1), b"a" + b".a" * 200 + b" = 1"],
)
def test_a_broken_file_is_not_touched(file: Path, content: bytes) -> None:
    file.write_bytes(content)

    assert refusal(file, ("mode",), "ask").startswith("the file is broken, mend it first (")


def test_a_broken_files_place_is_named(file: Path, home: Path) -> None:
    file = home / "config.toml"
    file.write_text("theme = 'x'\nmode = ask\n")

    with pytest.raises(EditError) as raised:
        set_key(file, ("mode",), "ask")
    assert str(raised.value) == (
        "~/config.toml: mode cannot be changed: the file is broken, mend it first "
        "(~/config.toml:2:8: not TOML: Invalid value; the whole file is ignored)"
    )


def test_faults_elsewhere_in_the_file_do_not_matter(file: Path) -> None:
    file.write_text("mdoe = 'x'\ntheme = 1\n[unknown]\nx = 1\n")

    assert set_key(file, ("mode",), "ask") is True
    assert tomllib.loads(file.read_text())["theme"] == 1


@pytest.mark.parametrize(
    ("key", "value", "reason"),
    [
        (("mode",), "biuld", '"biuld" is not known; allowed: "plan", "ask", "build"; did you mean "build"?'),
        (("mode",), ["ask"], 'wrong type; allowed: "plan", "ask", "build"'),
        (("extensions", "deny"), "mcp.*", "wrong type; allowed: an array, each element a string"),
        (("permissions", "deny"), "net.http", "wrong type; taken as an array of one"),
        (("permissions", "deny"), ["a", 1], "wrong type; allowed: a string that is not empty"),
        (("extensions", "dney"), ["a"], "unknown key; allowed: allow, deny, packages, paths; did you mean deny?"),
        (("thme",), "x", "unknown key; allowed: debug, extensions, mode,"),
        (("rules", "limit"), 1, "unknown key"),
        (("providers",), 1, "wrong type; allowed: a table"),
        (("providers", "x", "headers", "a b"), "c", "a name that is not allowed here"),
        (("providers", "x", "api_key"), "", "wrong value"),
        ((), "x", "no key is named"),
    ],
)
def test_what_would_be_a_fault_is_not_written(file: Path, key: tuple[str, ...], value: Setting, reason: str) -> None:
    assert refusal(file, key, value).startswith(reason)


def test_a_refusal_shows_no_key(file: Path) -> None:
    with pytest.raises(EditError) as raised:
        set_key(file, ("providers", "x", "api_key"), ["sk-CANARY"])
    assert "CANARY" not in str(raised.value)


def test_an_extensions_table_is_checked_by_its_struct(file: Path) -> None:
    tables = {"rules": Rules}

    assert set_key(file, ("rules", "limit"), 5, tables=tables)
    assert set_key(file, ("rules", "names", "a"), "b", tables=tables)
    assert tomllib.loads(file.read_text())["rules"] == {"limit": 5, "names": {"a": "b"}}
    with pytest.raises(EditError, match="an integer above 0"):
        set_key(file, ("rules", "limit"), 0, tables=tables)
    with pytest.raises(EditError, match=r"rules\.limt cannot be changed: unknown key; .* did you mean limit"):
        set_key(file, ("rules", "limt"), 1, tables=tables)


def test_what_is_in_the_way_is_left_there(file: Path) -> None:
    file.write_text("extensions = 1\n")

    assert refusal(file, ("extensions", "deny"), ["a"]) == "extensions is not a table; change it by hand"


def test_a_value_that_no_file_can_hold_is_a_refusal(file: Path) -> None:
    assert "surrogates not allowed" in refusal(file, ("theme",), "\udc80")


def test_a_change_builds_on_what_this_very_file_says(layers: Layers) -> None:
    layers.write("user", '[permissions]\nallow = ["of the user"]\n')
    layers.write("project", '[permissions]\nallow = [\n  "first",  # ours\n]\n')
    seen: list[object] = []

    def add(present: "TomlValue | None") -> list[str]:
        seen.append(present)
        return [*map(str, present), "new"] if isinstance(present, list) else ["new"]

    assert update_key(layers.paths.project.config_file, ("permissions", "allow"), add)
    assert update_key(layers.paths.base.config_file, ("permissions", "allow"), add)
    assert seen == [["first"], None]
    assert layers.paths.project.config_file.read_text() == (
        '[permissions]\nallow = [\n  "first",  # ours\n  "new",\n]\n'
    )
    assert layers.load().permissions.allow == ("new", "of the user", "first")


def test_what_is_set_is_what_holds(layers: Layers) -> None:
    layers.write("user", TEXT)
    set_key(layers.paths.user.config_file, ("extensions", "deny"), ["mcp.*", "agent.rules"])
    config = layers.load()

    assert config.extensions.deny == ("mcp.*", "agent.rules")
    assert str(config.origin("extensions", "deny")) == "user: ~/.config/panto/config.toml:5"
