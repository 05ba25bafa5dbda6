import os
import pwd
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated, Literal

import pytest
from hypothesis import given, strategies as st
from msgspec import Meta, Struct, defstruct, field

from panto.json_values import JSONObject, is_array, is_object
from panto.tools import ArgumentsError, Reply, Tool, ToolBox, ToolContext, ToolError, resolve_path
from tests.support.messages import json_objects


class Place(Struct):
    """Somewhere in a file."""

    line: Annotated[int, Meta(ge=1, description="Counted from 1.")]
    column: int = 0


class Look(Struct):
    """Arguments, documented for people."""

    path: Annotated[str, Meta(description="The file.")]
    limit: int = 100
    deep: bool = False
    place: Annotated[Place | None, Meta(description="Where to begin.")] = None
    end: Annotated[Place, Meta(description="Where to end.")] = field(default_factory=lambda: Place(1))
    more: list[Place] = field(default_factory=list[Place])
    how: Literal["quick", "whole"] = "quick"


class Endless(Struct):
    again: "Endless | None" = None


async def run(_arguments: object, _context: ToolContext) -> Reply:
    return Reply("done")


def tool(name: str = "test.look") -> Tool[Look]:
    return Tool(name, "Look at something.", Look, run)


def foreign(parameters: JSONObject, name: str = "mcp.thing") -> Tool[JSONObject]:
    return Tool(name, "A thing.", parameters, run)


def everything_in(schema: object) -> Iterator[object]:
    yield schema
    parts: Iterable[object] = schema.values() if is_object(schema) else schema if is_array(schema) else ()
    for part in parts:
        yield from everything_in(part)


def test_the_schema_is_made_of_the_struct_and_free_of_references() -> None:
    schema = tool().schema
    assert (schema.name, schema.description) == ("test.look", "Look at something.")
    assert schema.parameters["type"] == "object"
    assert schema.parameters["required"] == ["path"]
    assert "$ref" not in str(schema.parameters)
    assert "title" not in schema.parameters
    assert "description" not in schema.parameters
    properties = schema.parameters["properties"]
    assert is_object(properties)
    assert properties["path"] == {"type": "string", "description": "The file."}
    assert properties["limit"] == {"type": "integer", "default": 100}
    assert properties["how"] == {"enum": ["quick", "whole"], "default": "quick"}


def test_a_struct_within_keeps_its_fields_and_the_words_said_of_it() -> None:
    properties = tool().schema.parameters["properties"]
    assert is_object(properties)
    end = properties["end"]
    assert is_object(end)
    assert end["description"] == "Where to end."
    line = {"type": "integer", "minimum": 1, "description": "Counted from 1."}
    assert end["properties"] == {"line": line, "column": {"type": "integer", "default": 0}}
    assert end["required"] == ["line"]
    assert any(
        is_object(part) and part.get("properties") == end["properties"] for part in everything_in(properties["more"])
    )


def test_numbers_and_booleans_that_come_as_text_are_taken() -> None:
    assert tool().arguments({"path": "a", "limit": "3", "deep": "true"}) == Look("a", 3, True)
    assert tool().arguments({"path": "a", "limit": 3.0}) == Look("a", 3)
    assert tool().arguments({"path": "a", "place": {"line": "7"}}) == Look("a", place=Place(7))


def test_null_is_an_argument_left_out() -> None:
    assert tool().arguments({"path": "a", "limit": None, "more": None, "place": None}) == Look("a")


def test_arguments_nobody_knows_are_no_trouble() -> None:
    assert tool().arguments({"path": "a", "explanation": "because"}) == Look("a")


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ({}, "missing required field `path`"),
        ({"path": None}, "missing required field `path`"),
        ({"path": 5}, "`$.path`"),
        ({"path": "a", "limit": "many"}, "`$.limit`"),
        ({"path": "a", "place": {"line": 0}}, "`$.place.line`"),
        ({"path": "a", "how": "slow"}, "`$.how`"),
        ({"path": "a", "limit": "9" * 5000}, "`$.limit`"),
    ],
)
def test_wrong_arguments_are_named_with_what_was_expected(arguments: JSONObject, problem: str) -> None:
    with pytest.raises(ArgumentsError) as caught:
        tool().arguments(arguments)
    assert str(caught.value).startswith("test.look: ")
    assert problem in str(caught.value)
    assert "Expected: path, limit (optional), deep (optional), place (optional)" in str(caught.value)


@given(json_objects(st.sampled_from(Look.__struct_fields__)))
def test_whatever_a_model_sends_fits_or_is_an_arguments_error(arguments: JSONObject) -> None:
    try:
        look = tool().arguments(arguments)
    except ArgumentsError as error:
        assert "Expected: path" in str(error)
    else:
        assert look.path == arguments["path"]


def test_a_tool_with_a_schema_of_its_own_gets_the_arguments_as_they_are() -> None:
    arguments: JSONObject = {"any": None, "deep": {"list": [1]}}
    assert foreign({"type": "object"}).arguments(arguments) == arguments


def test_what_a_tool_does_to_its_arguments_stays_with_it() -> None:
    sent: JSONObject = {"deep": {"list": [1]}}
    got = foreign({"type": "object"}).arguments(sent)
    assert is_object(got["deep"])
    got["deep"].clear()
    assert sent == {"deep": {"list": [1]}}


def test_what_is_done_to_a_schema_stays_with_the_doer() -> None:
    thing = foreign({"type": "object", "properties": {"a": {}}})
    thing.schema.parameters.clear()
    assert thing.schema.parameters == {"type": "object", "properties": {"a": {}}}


def test_tools_are_found_by_name_and_listed_in_order() -> None:
    box = ToolBox()
    removes = [box.add(tool(name)) for name in ("z.a", "a.z", "m.m")]
    assert [one.name for one in box] == ["a.z", "m.m", "z.a"]
    found = box.get("m.m")
    assert found is not None
    assert found.name == "m.m"
    removes[2]()
    assert box.get("m.m") is None
    assert len(box) == 2


def test_a_name_is_given_once() -> None:
    box = ToolBox()
    remove = box.add(tool())
    with pytest.raises(ValueError, match=r"there is a tool test\.look already"):
        box.add(tool())
    remove()
    box.add(tool())


@pytest.mark.parametrize(
    ("parameters", "problem"),
    [
        (Endless, "no JSON Schema"),
        (int, "those of an object"),
        (list[str], "those of an object"),
        (object, "no JSON Schema"),
    ],
)
def test_a_tool_that_no_model_could_be_told_of_is_refused(parameters: type[object], problem: str) -> None:
    box = ToolBox()
    with pytest.raises(ValueError, match=rf"test\.odd: .*{problem}"):
        box.add(Tool("test.odd", "", parameters, run))
    assert len(box) == 0


def test_so_is_one_with_a_schema_of_no_object() -> None:
    with pytest.raises(ValueError, match="those of an object"):
        ToolBox().add(foreign({"type": "string"}))


# paths


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("a.py", "/p/a.py"),
        ("./src/../a.py", "/p/a.py"),
        ("../x", "/x"),
        ("../../../../etc/passwd", "/etc/passwd"),
        ("/abs/./b/../c", "/abs/c"),
        ("  spaces around ", "/p/spaces around"),
        ("@src/a.py", "/p/src/a.py"),
        ("@@a", "/p/@a"),
        ("@/abs", "/abs"),
        (".", "/p"),
        ("a//b/", "/p/a/b"),
    ],
)
def test_paths_as_models_write_them(written: str, meant: str) -> None:
    assert resolve_path(written, Path("/p")) == Path(meant)


def test_home(home: Path) -> None:
    assert resolve_path("~/notes", Path("/p")) == home / "notes"
    assert resolve_path("@~", Path("/p")) == home
    me = pwd.getpwuid(os.getuid())
    assert resolve_path(f"~{me.pw_name}/x", Path("/p")) == Path(me.pw_dir) / "x"


def test_a_name_that_begins_with_an_at_is_taken_at_its_word_if_it_is_there(tmp_path: Path) -> None:
    (tmp_path / "@scope").mkdir()
    assert resolve_path("@scope", tmp_path) == tmp_path / "@scope"
    assert resolve_path("@other", tmp_path) == tmp_path / "other"


@pytest.mark.parametrize("written", ["", "  ", "@", "a\0b", "@a\0b", "\0", "a\ud800b", "@a\ud800"])
def test_what_is_no_path(written: str) -> None:
    with pytest.raises(ToolError, match="is no path"):
        resolve_path(written, Path("/p"))


def test_an_unknown_user_has_no_home() -> None:
    with pytest.raises(ToolError, match="~no-such-user-at-all"):
        resolve_path("~no-such-user-at-all/x", Path("/p"))


@pytest.mark.parametrize("written", ["a" * 5000, "@" + "a" * 5000, "a/" * 3000])
def test_one_that_is_too_long_is_still_a_path(written: str) -> None:
    assert resolve_path(written, Path("/p")).is_relative_to("/p")


@given(st.text())
def test_whatever_is_written_is_an_absolute_path_without_dots_or_an_error(written: str) -> None:
    try:
        path = resolve_path(written, Path("/p/q"))
    except ToolError:
        return
    assert path.is_absolute()
    assert ".." not in path.parts
    assert os.fsencode(path)


def test_links_are_not_followed(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("/etc")
    assert resolve_path("link/passwd", tmp_path) == tmp_path / "link" / "passwd"


def test_what_may_be_chosen_is_named_when_something_else_was() -> None:
    class Choice(Struct):
        """Arguments with one of a few values."""

        name: Literal["one", "two"]

    tool = Tool("t.choose", "", Choice, run)
    with pytest.raises(ArgumentsError, match=r"Expected: name \(one of one, two\)"):
        tool.arguments({"name": "three"})


def test_of_many_choices_the_first_are_named() -> None:
    names = tuple(f"n{number:03}" for number in range(60))
    choice = defstruct("Choice", [("name", Literal[names])])  # pyright: ignore[reportInvalidTypeForm] - made up here
    with pytest.raises(ArgumentsError, match=r"n049, and 10 more\)$"):
        Tool("t.choose", "", choice, run).arguments({"name": "x"})
