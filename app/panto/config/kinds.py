"""What settings' types say: which values fit, what is in them, and how to name that to a person.

A kind is what may stand in the annotation of a Struct's field, such as ``Annotated[int, Meta(gt=0)] | None``.
"""

from collections.abc import Iterable, Mapping, Sequence
from enum import Enum
from functools import cache
from types import UnionType
from typing import Annotated, Literal, Union, cast, get_args, get_origin

import msgspec
from msgspec import Struct, inspect, structs
from typing_extensions import TypeIs

from panto.config.diagnostics import quoted
from panto.config.schema import Secret
from panto.config.source import TomlValue

_ARRAYS: tuple[object, ...] = (list, tuple, set, frozenset, Sequence)
_NAMES: dict[type, str] = {
    inspect.BoolType: "true or false",
    inspect.DateTimeType: "a date and time",
    inspect.DateType: "a date",
    inspect.TimeType: "a time",
    inspect.StructType: "a table",
    inspect.DictType: "a table",
    inspect.CustomType: "one line of text",
    inspect.AnyType: "anything",
}


def is_table(kind: object) -> TypeIs[type[Struct]]:
    """Whether the kind is a table with known keys."""
    return isinstance(kind, type) and issubclass(kind, Struct)


@cache
def keys(kind: type[Struct]) -> Mapping[str, object]:
    """The kind of each key of a table, by its name in TOML."""
    return {field.encode_name: field.type for field in structs.fields(kind)}


@cache
def required(kind: type[Struct]) -> tuple[str, ...]:
    """The keys of a table that have no default."""
    return tuple(field.encode_name for field in structs.fields(kind) if field.required)


def entry_kinds(kind: object) -> tuple[object, object] | None:
    """The kinds of key and value of a table with any keys; None if the kind is something else."""
    arguments = get_args(kind)
    return (arguments[0], arguments[1]) if get_origin(kind) in (dict, Mapping) and len(arguments) == 2 else None


def item_kind(kind: object) -> object | None:
    """The kind of an array's elements; None if the kind is no array, or one whose places differ."""
    arguments = get_args(kind)
    if get_origin(kind) not in _ARRAYS or arguments[1:] not in ((), (...,)):
        return None
    return cast("object", arguments[0])


def bare(kind: object, value: object) -> object:
    """The kind without annotations and None; of several, the one that a value of this shape is meant for."""
    if get_origin(kind) is Annotated:
        return bare(get_args(kind)[0], value)
    if get_origin(kind) not in (Union, UnionType):
        return kind
    members = [bare(member, value) for member in get_args(kind) if member is not type(None)]
    if len(members) == 1:
        return members[0]
    fitting = [member for member in members if _has_shape(member, value)]
    return fitting[0] if len(fitting) == 1 else kind


def _has_shape(kind: object, value: object) -> bool:
    if isinstance(value, dict):
        return is_table(kind) or entry_kinds(kind) is not None
    return isinstance(value, list) and item_kind(kind) is not None


def adds_up(kind: object) -> bool:
    """Whether no layer can shorten this array (see `schema.ADDS_UP`)."""
    notes = get_args(kind)[1:] if get_origin(kind) is Annotated else ()
    return any(isinstance(note, msgspec.Meta) and (note.extra or {}).get("adds_up") for note in notes)


def description(kind: object) -> str:
    """What a setting of this kind is for, as its type says; empty if it says nothing."""
    notes = get_args(kind)[1:] if get_origin(kind) is Annotated else ()
    return next((note.description for note in notes if isinstance(note, msgspec.Meta) and note.description), "")


def choices(kind: object) -> list[str]:
    """The strings to choose from, in the order that the type names them; none if the choice is free."""
    plain = bare(kind, None)
    if get_origin(plain) is Literal:
        return [value for value in get_args(plain) if isinstance(value, str)]
    if isinstance(plain, type) and issubclass(plain, Enum):
        return [member.value for member in plain if isinstance(member.value, str)]
    return []


def refusal(value: TomlValue, kind: object) -> str | None:
    """Why the value does not fit the kind; None if it does. The value itself is not shown."""
    try:
        msgspec.convert(value, kind, dec_hook=decode_own)
    except msgspec.ValidationError as error:
        return "wrong type" if ", got `" in str(error) else "wrong value"
    return None


def decode_own(kind: type, value: object) -> object:
    """What msgspec asks for types that it does not know: Secret, and object for anything at all."""
    if kind is object:
        return value
    if not issubclass(kind, Secret) or not isinstance(value, str):
        raise TypeError(", got `something else`")
    if not value.strip() or not value.isprintable():
        raise ValueError("a secret is one line of text")
    return kind(value)


def allowed(kind: object) -> str:
    """What fits the kind, in words."""
    names = choices(kind)
    return ", ".join(map(quoted, names)) if names else _in_words(inspect.type_info(kind))


def _in_words(info: inspect.Type) -> str:
    match info:
        case inspect.Metadata(extra_json_schema={"title": str(title)}):
            words = title
        case inspect.Metadata():
            words = _in_words(info.type)
        case inspect.UnionType():
            members = (member for member in info.types if not isinstance(member, inspect.NoneType))
            words = " or ".join(map(_in_words, members))
        case inspect.StrType():
            words = "a string that is not empty" if info.min_length else "a string"
        case inspect.IntType():
            words = _bounded("an integer", info)
        case inspect.FloatType():
            words = _bounded("a number", info)
        case inspect.ListType() | inspect.VarTupleType() | inspect.SetType() | inspect.FrozenSetType():
            words = f"an array, each element {_in_words(info.item_type)}"
        case inspect.LiteralType() | inspect.EnumType():
            words = " or ".join(quoted(each) if isinstance(each, str) else str(each) for each in _values(info))
        case inspect.TupleType():
            words = f"an array of {len(info.item_types)}"
        case _:
            words = _NAMES.get(type(info), "another kind of value")
    return words


def _values(info: inspect.LiteralType | inspect.EnumType) -> Iterable[object]:
    return info.values if isinstance(info, inspect.LiteralType) else [member.value for member in info.cls]


def _bounded(name: str, info: inspect.IntType | inspect.FloatType) -> str:
    bounds = {"above": info.gt, "at least": info.ge, "below": info.lt, "at most": info.le}
    words = ", ".join(f"{word} {bound:g}" for word, bound in bounds.items() if bound is not None)
    return f"{name} {words}".rstrip()
