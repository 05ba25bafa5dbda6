"""Whatever stands in a settings file, or in its place: it is read, or one diagnostic says why not."""

import os
import tomllib
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, strategies as st

from panto.config.diagnostics import Diagnostic
from panto.config.merge import plain
from panto.config.source import MAX_BYTES, Node, TomlValue, parse_layer, read_layer
from tests.config.test_lines import paths_in
from tests.config.toml_writer import Writer, layouts, tables

FILE = Path("/settings/config.toml")
TOKENS = [
    *(b"a", b"a.b", b'"k"', b"=", b"[", b"]", b"{", b"}", b",", b"#", b"\n", b"\r\n", b" ", b'"""', b"'", b"'''"),
    *(b"\\u12", b"1", b"1e9", b"9" * 5000, b"inf", b"true", b"1979-05-27", b"\xff", b"\x00", b"\xef\xbb\xbf"),
    *(b"deny", b"[permissions]\n", b"providers", b"mode = ", b"." * 9),
]
contents = st.binary(max_size=40) | st.lists(st.sampled_from(TOKENS), max_size=25).map(b"".join)


def fault_in(content: bytes) -> Diagnostic:
    read = parse_layer("user", FILE, content)
    assert isinstance(read, Diagnostic)
    assert read.severity == "error"
    assert read.file == FILE
    return read


@given(tables, layouts)
def test_a_layer_reads_as_tomllib_reads_it_and_each_value_knows_its_line(
    table: dict[str, TomlValue], layout: Random
) -> None:
    writer = Writer(layout)
    read = parse_layer("user", FILE, writer.document(table).encode())

    assert isinstance(read, Node)
    assert plain(read) == table
    assert {node.origin.path: node.origin.line for node in below(read)} == writer.lines


def below(node: Node) -> list[Node]:
    items = node.value.values() if isinstance(node.value, dict) else node.value if isinstance(node.value, list) else ()
    return [each for item in items for each in [item, *below(item)]]


@given(contents)
def test_no_bytes_raise_and_none_but_toml_are_read(content: bytes) -> None:
    read = parse_layer("user", FILE, content)
    try:
        wanted = tomllib.loads(content.decode("utf-8-sig"))
    except ValueError:
        assert isinstance(read, Diagnostic)
    else:
        assert isinstance(read, Node)
        assert {node.origin.path for node in below(read)} == set(paths_in(wanted))


@pytest.mark.parametrize(
    ("content", "line", "column"),
    [
        (b'a = 1\nb = "x\n', 2, 7),
        (b"a = 1\n\n  b = = 2", 3, 7),
        (b"a = [1,\n2\n", 3, 1),
        (b"a = 1\r\nb", 2, 2),
        (b"a = 1\na = 2\n", 2, 6),
    ],
)
def test_what_is_no_toml_is_named_with_its_place(content: bytes, line: int, column: int) -> None:
    fault = fault_in(content)

    assert (fault.line, fault.column) == (line, column)
    assert str(fault).startswith(f"/settings/config.toml:{line}:{column}: not TOML: ")
    assert "(at " not in str(fault)


def test_what_is_not_utf8_is_named_with_its_place() -> None:
    fault = fault_in(b"a = 1\nb = '\xe4'\n")

    assert (fault.message.split(";")[0], fault.line, fault.column) == ("not UTF-8", 2, 6)


def test_a_number_with_too_many_digits_is_a_fault() -> None:
    assert "not TOML" in fault_in(b"a = " + b"9" * 5000).message


def test_a_mark_at_the_start_of_the_file_is_passed_over() -> None:
    read = parse_layer("user", FILE, b"\xef\xbb\xbfmode = 'plan'\n")

    assert isinstance(read, Node)
    assert plain(read) == {"mode": "plan"}


@pytest.mark.parametrize("text", ["a" + ".a" * 20_000 + " = 1", "a = " + "[" * 20_000, "a = " + "{a=" * 20_000])
def test_nesting_that_would_take_all_memory_is_turned_away(text: str) -> None:
    fault = fault_in(b"# first\n" + text.encode())

    assert "deep" in fault.message
    assert fault.line == 2


def test_a_file_beyond_all_reason_is_not_read() -> None:
    assert str(MAX_BYTES) in fault_in(b"#" * (MAX_BYTES + 1)).message


def test_an_absent_file_is_silent(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")

    assert read_layer("user", tmp_path / "config.toml") is None
    assert read_layer("user", tmp_path / "nowhere/config.toml") is None
    assert read_layer("user", tmp_path / "file/config.toml") is None


def test_an_endless_device_behind_a_link_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "config.toml").symlink_to("/dev/zero")

    assert "not a regular file" in str(read_layer("project", tmp_path / "config.toml"))


def test_a_pipe_that_nobody_writes_to_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "config.toml")

    assert "not a regular file" in str(read_layer("project", tmp_path / "config.toml"))


def test_a_directory_in_its_place_is_named(tmp_path: Path) -> None:
    (tmp_path / "config.toml").mkdir()

    assert "not a regular file" in str(read_layer("user", tmp_path / "config.toml"))


def test_a_link_that_leads_nowhere_is_named(tmp_path: Path) -> None:
    (tmp_path / "config.toml").symlink_to("gone")

    assert "leads nowhere" in str(read_layer("user", tmp_path / "config.toml"))


def test_a_link_in_a_loop_is_named(tmp_path: Path) -> None:
    (tmp_path / "config.toml").symlink_to("config.toml")

    assert "cannot be read" in str(read_layer("user", tmp_path / "config.toml"))


def test_what_may_not_be_read_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Root may read everything, so the refusal is made here."""

    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    (tmp_path / "config.toml").write_text("mode = 'plan'")
    monkeypatch.setattr(Path, "open", refuse)
    read = read_layer("user", tmp_path / "config.toml")

    assert isinstance(read, Diagnostic)
    assert read.message == "cannot be read: Permission denied; the whole file is ignored"


def test_a_path_that_no_system_can_have_is_named() -> None:
    assert "cannot be read" in str(read_layer("user", Path("/x\0y/config.toml")))


def test_nothing_that_holds_a_key_shows_it() -> None:
    read = parse_layer("user", FILE, b"[providers.x]\napi_key = 'CANARY'\n")

    assert isinstance(read, Node)
    assert "CANARY" not in repr(read) + repr(read.origin) + repr(read.origin.source)
