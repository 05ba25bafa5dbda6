"""The settings are described well enough for a screen or a manual to be made of them, and a secret keeps to itself."""

from typing import Annotated, cast, get_args, get_origin

import msgspec
import pytest
from hypothesis import given, strategies as st
from msgspec import Meta, Struct
from msgspec.structs import fields

from panto.config import Provider, Secret, Settings
from panto.config.kinds import allowed, bare, entry_kinds, is_table


def structs_in(kind: type[Struct]) -> list[type[Struct]]:
    found = [kind]
    for item in fields(kind):
        inner = bare(cast("object", item.type), {})
        inner = (entry_kinds(inner) or (None, inner))[1]
        if is_table(inner):
            found.extend(structs_in(inner))
    return found


@pytest.mark.parametrize("kind", structs_in(Settings))
def test_every_setting_says_what_it_is_for_what_it_takes_and_has_a_default(kind: type[Struct]) -> None:
    for item in fields(kind):
        annotation = cast("object", item.type)
        assert get_origin(annotation) is Annotated
        notes = [note.description for note in get_args(annotation)[1:] if isinstance(note, Meta)]
        [description] = [note for note in notes if note]
        assert description.endswith(".")
        assert not item.required
        assert allowed(annotation) != "another kind of value"


def test_the_tables_are_all_there() -> None:
    names = {kind.__name__ for kind in structs_in(Settings)}

    assert names == {"Settings", "Provider", "ModelSettings", "Extensions", "Permissions", "Ui", "Debug"}


def test_settings_cannot_be_changed() -> None:
    with pytest.raises(AttributeError):
        Settings().mode = "plan"  # pyright: ignore[reportAttributeAccessIssue] - that is the point


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("env:OPENAI_API_KEY", "env:OPENAI_API_KEY"),
        ("env:_A1", "env:_A1"),
        ("env:sk-ant-api03-abc", "********"),
        ("env:gsk_abcdef0123456789", "********"),
        ("env:" + "A" * 65, "********"),
        ("env:", "********"),
        ("keyring:openai", "keyring:openai"),
        ("keyring:me@work", "keyring:me@work"),
        ("keyring:sk-0123456789012345678901234567890", "********"),
        ("!op read op://x/y", "!********"),
        ("sk-ant-api03-abc", "********"),
        ("other:name", "********"),
    ],
)
def test_a_secret_shows_where_it_is_but_never_what_it_is(text: str, shown: str) -> None:
    assert str(Secret(text)) == f"{Secret(text)}" == shown
    assert repr(Secret(text)) == f"Secret('{shown}')"
    assert Secret(text).reveal() == text


@given(st.text("abc123-_/+:!", min_size=8))
def test_no_key_is_ever_shown(key: str) -> None:
    provider = Provider(api_key=Secret(key), headers={"Authorization": Secret(key)})

    if not key.startswith(("env:", "keyring:")):
        assert key not in repr(Secret(key)) + str(Secret(key)) + repr(provider) + str(provider)


def test_secrets_compare_by_their_text() -> None:
    assert Secret("a") == Secret("a")
    assert Secret("a") != Secret("b")
    assert Secret("a") != "a"
    assert len({Secret("a"), Secret("a")}) == 1


def test_a_secret_cannot_be_written_out_by_accident() -> None:
    with pytest.raises(TypeError):
        msgspec.json.encode(Provider(api_key=Secret("CANARY")))
