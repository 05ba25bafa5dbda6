"""What there is to choose from: the settings, the values of one, the files that it can be written to."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from panto.config import Config
from panto.config.catalogue import Item, items, read_typed
from panto.config.diagnostics import short_path
from panto.tui.choice_row import ChoiceRow
from panto.tui.themes import Themes


def setting_rows(config: Config) -> list[ChoiceRow]:
    """All settings, with what they are for, and at the right what they are now."""
    return [ChoiceRow(item.name, item.name, item.description, item.text or "not set") for item in items(config)]


def choices_of(item: Item, themes: Themes) -> Sequence[str]:
    """What a setting may be, if that is one of a few."""
    return themes.names() if item.path == ("theme",) else item.choices


def choice_rows(item: Item, choices: Sequence[str]) -> list[ChoiceRow]:
    """What a setting may be, with a mark at what it is."""
    return [ChoiceRow(choice, choice, right="now" if choice == item.typed else "") for choice in choices]


def typed_rows(item: Item, text: str) -> list[ChoiceRow]:
    """The one thing to do with what is typed: to save it; or why that can't be done."""
    if not text:
        return [ChoiceRow("", "type a value", _about(item))]
    _, refusal = read_typed(item, text)
    shown = "" if item.is_secret else text
    return [ChoiceRow("", "this can't be saved", refusal)] if refusal else [ChoiceRow(text, f"save {shown}".rstrip())]


def layer_rows(item: Item, files: Mapping[str, Path]) -> list[ChoiceRow]:
    """The files that it can be written to."""
    abouts = {"user": "for all projects", "project": "for this project, and for all who work in it"}
    return [
        ChoiceRow(layer, short_path(file), abouts[layer], "it is set here" if item.origin.file == file else "")
        for layer, file in files.items()
    ]


def _about(item: Item) -> str:
    return f"it is {item.text} ({item.origin})" if item.text and not item.is_secret else f"{item.origin}"
