"""The models there are to pick from, as far as is known now, and the order in which they are shown."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from panto.llm.offered import OfferedModel
from panto.model_shelf import Shelf
from panto.tui.fit import Fit, fit_of, folded
from panto.tui.model_picker.rows import Heading, ModelRow, Note, PickerRow, PriceTag

MOST_FOUND = 200
"""Rows that a search gives at most: who has typed so little will type more."""


@dataclass(frozen=True)
class Stock:
    """What is known now.

    ``offered`` has the models by provider. ``asking`` are the providers whose servers have not answered yet,
    ``trouble`` says what went wrong with others. ``silent`` are those that nobody has set up and nothing answers for,
    ``keyless`` those that there is no key for.
    """

    offered: Mapping[str, list[OfferedModel]]
    asking: frozenset[str] = frozenset()
    trouble: Mapping[str, str] = field(default_factory=dict[str, str])
    silent: tuple[str, ...] = ()
    keyless: tuple[str, ...] = ()

    @cached_property
    def entries(self) -> "tuple[Entry, ...]":
        """All of the models, ready to be searched."""
        return tuple(Entry(model, model.name) for models in self.offered.values() for model in models)


class Entry:
    """A model with its names as they are searched."""

    __slots__ = ("folded_model", "folded_name", "model", "name")

    def __init__(self, model: OfferedModel, name: str) -> None:
        self.model = model
        self.name = name
        self.folded_name = folded(name)
        self.folded_model = folded(model.model)


@dataclass(frozen=True)
class Marks:
    """What sets single models off: the one that answers now, the one that the config names, favourites, recent ones.

    ``price`` says what a model costs, once that can be told.
    """

    present: str | None = None
    default: str | None = None
    shelf: Shelf = field(default_factory=Shelf)
    price: PriceTag | None = None

    def row(self, model: OfferedModel) -> ModelRow:
        """A model's row."""
        name = model.name
        favourite = name in self.shelf.favourites
        return ModelRow(model, name == self.present, name == self.default, favourite, price=self.price)


def arranged(stock: Stock, marks: Marks) -> list[PickerRow]:
    """All models: the present one and favourites, those chosen last, and then each provider's. None is there twice."""
    models = {entry.name: entry.model for entry in stock.entries}
    first = [*([marks.present] if marks.present else []), *marks.shelf.favourites]
    shown: set[str] = set()
    rows = [
        *_section("favourites" if marks.shelf.favourites else "now", first, models, marks, shown),
        *_section("recent", marks.shelf.recent, models, marks, shown),
    ]
    for provider, of_provider in stock.offered.items():
        rest = [model for model in of_provider if model.name not in shown]
        says = stock.trouble.get(provider) or ("asking for its models …" if provider in stock.asking else "")
        if rest or says:
            rows += [Heading(provider), *([Note(says)] if says else []), *map(marks.row, rest)]
    if stock.silent:
        rows += [Heading("nothing answers"), Note(", ".join(stock.silent))]
    if stock.keyless:
        rows += [Heading("no key"), Note(f"{', '.join(stock.keyless)}: panto-py auth set NAME")]
    return rows


def found(words: str, stock: Stock, marks: Marks) -> list[PickerRow]:
    """The models that all words fit, the best first; and what was typed, if it may be a model's name as it is."""
    wanted = folded(words).split()
    favoured = {name: place for place, name in enumerate((*marks.shelf.favourites, *marks.shelf.recent))}
    fitting: list[tuple[Fit, int, int]] = []
    for number, entry in enumerate(stock.entries):
        fit = _fit(wanted, entry)
        if fit is not None:
            fitting.append((fit, favoured.get(entry.name, len(favoured)), number))
    fitting.sort()
    shown = [stock.entries[number] for *_, number in fitting[:MOST_FOUND]]
    rows: list[PickerRow] = [replace(marks.row(entry.model), places=_places(wanted, entry)) for entry in shown]
    if len(fitting) > MOST_FOUND:
        rows.append(Note(f"and {len(fitting) - MOST_FOUND:,} more: type more of the name"))
    rows += _as_typed(words.strip(), (entry.name for entry in stock.entries))
    return rows or [Note("nothing fits; a name as provider/model is taken as it is")]


def meant(words: str, stock: Stock) -> list[str]:
    """The models that a word without a provider may mean: those that have this very name, else all that it fits."""
    exact = [entry.name for entry in stock.entries if entry.folded_model == folded(words).strip()]
    if exact:
        return exact
    wanted = folded(words).split()
    fits = ((entry.name, _fit(wanted, entry)) for entry in stock.entries)
    return [name for name, fit in fits if fit is not None and fit < Fit.SCATTERED]


def _section(
    title: str, names: Iterable[str], models: Mapping[str, OfferedModel], marks: Marks, shown: set[str]
) -> list[PickerRow]:
    rows: list[PickerRow] = []
    for name in names:
        if name not in shown:
            shown.add(name)
            provider, _, model = name.partition("/")
            rows.append(marks.row(models.get(name) or OfferedModel(provider, model)))
    return [Heading(title), *rows] if rows else []


def _fit(wanted: Sequence[str], entry: Entry) -> Fit | None:
    """How the words fit a model's name, as the worst of them does; a word that is the model's own name fits exactly."""
    worst = Fit.EXACT
    for word in wanted:
        fit = Fit.EXACT if word == entry.folded_model else fit_of(word, entry.folded_name)[0]
        if fit is None:
            return None
        worst = max(worst, fit)
    return worst


def _places(wanted: Sequence[str], entry: Entry) -> frozenset[int]:
    """The letters of a name that were typed."""
    return frozenset(place for word in wanted for place in fit_of(word, entry.folded_name)[1])


def _as_typed(typed: str, known: Iterable[str]) -> list[PickerRow]:
    provider, _, model = typed.partition("/")
    if not (provider and model) or " " in typed or typed in set(known):
        return []
    return [ModelRow(OfferedModel(provider, model), typed=True)]
