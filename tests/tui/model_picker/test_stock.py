"""Which models are shown in which order, and what is found by what one types."""

from dataclasses import replace

from hypothesis import given, strategies as st

from panto.llm.offered import OfferedModel
from panto.model_shelf import Shelf
from panto.tui.model_picker.rows import Heading, ModelRow, Note, PickerRow
from panto.tui.model_picker.stock import MOST_FOUND, Marks, Stock, arranged, found, meant

OFFERED = {
    "anthropic": [OfferedModel("anthropic", name) for name in ("claude-sonnet-5-5", "claude-haiku-5-5")],
    "local": [OfferedModel("local", name) for name in ("qwen3", "sonnet", "org/deep-sonnet")],
    "openai": [],
}
NOTHING = "nothing fits; a name as provider/model is taken as it is"
STOCK = Stock(OFFERED, frozenset({"openai"}), {"local": "connection refused"}, ("ollama", "vllm"), ("groq", "xai"))
MARKS = Marks("local/qwen3", "anthropic/claude-haiku-5-5", Shelf(("local/sonnet", "gone/model"), ("local/qwen3",)))


def said(rows: list[PickerRow]) -> list[str]:
    """The rows in short: models by name, the rest by what it says."""
    return [row.key if isinstance(row, ModelRow) else f"{type(row).__name__}: {row.text}" for row in rows]


def test_the_order() -> None:
    assert said(arranged(STOCK, MARKS)) == [
        "Heading: favourites",
        "local/qwen3",
        "local/sonnet",
        "gone/model",
        "Heading: anthropic",
        "anthropic/claude-sonnet-5-5",
        "anthropic/claude-haiku-5-5",
        "Heading: local",
        "Note: connection refused",
        "local/org/deep-sonnet",
        "Heading: openai",
        "Note: asking for its models …",
        "Heading: nothing answers",
        "Note: ollama, vllm",
        "Heading: no key",
        "Note: groq, xai: panto-py auth set NAME",
    ]


def test_the_marks() -> None:
    rows = {row.key: row for row in arranged(STOCK, MARKS) if isinstance(row, ModelRow)}
    assert [name for name, row in rows.items() if row.present] == ["local/qwen3"]
    assert [name for name, row in rows.items() if row.favourite] == ["local/sonnet", "gone/model"]
    assert [name for name, row in rows.items() if row.default] == ["anthropic/claude-haiku-5-5"]


def test_nothing_chosen_and_nothing_known() -> None:
    assert arranged(Stock({}), Marks()) == []
    (note,) = found("sonnet", Stock({}), Marks())
    assert isinstance(note, Note)


def test_the_best_first() -> None:
    assert said(found("sonnet", STOCK, MARKS)) == [
        "local/sonnet",  # its very name
        "anthropic/claude-sonnet-5-5",
        "local/org/deep-sonnet",
    ]
    assert said(found("SON 5", STOCK, MARKS)) == ["anthropic/claude-sonnet-5-5"]
    assert said(found("lclqw", STOCK, MARKS)) == ["local/qwen3"]
    assert said(found("nothing like it", STOCK, MARKS)) == [f"Note: {NOTHING}"]


def test_favourites_and_recent_ones_come_first_among_equals() -> None:
    plain = Stock({"p": [OfferedModel("p", f"m-{number}") for number in range(5)]})
    marks = Marks(shelf=Shelf(("p/m-3",), ("p/m-4",)))
    assert said(found("m", plain, marks)) == ["p/m-3", "p/m-4", "p/m-0", "p/m-1", "p/m-2"]


def test_the_letters_that_were_typed() -> None:
    (row,) = found("haiku", STOCK, MARKS)
    assert isinstance(row, ModelRow)
    assert "".join(row.key[place] for place in sorted(row.places)) == "haiku"


def test_a_name_that_nobody_lists_can_be_used_as_typed() -> None:
    *rows, last = found("local/new-one", STOCK, MARKS)
    assert isinstance(last, ModelRow)
    assert (said(rows), last.key, last.typed) == ([], "local/new-one", True)
    for words in ("local/qwen3", "local/", "/x", "qwen", "a/b c"):
        assert not any(isinstance(row, ModelRow) and row.typed for row in found(words, STOCK, MARKS))


def test_of_very_many_the_best_are_shown_and_the_rest_counted() -> None:
    many = Stock({"many": [OfferedModel("many", f"model-{number}") for number in range(5_000)]})
    rows = found("model", many, Marks())
    assert len(rows) == MOST_FOUND + 1
    assert isinstance(rows[-1], Note)
    assert f"{5_000 - MOST_FOUND:,} more" in rows[-1].text
    assert said(found("model-4999", many, Marks())) == ["many/model-4999"]


def test_what_a_word_means() -> None:
    assert meant("sonnet", STOCK) == ["local/sonnet"]
    assert meant("Haiku", STOCK) == ["anthropic/claude-haiku-5-5"]
    assert meant("claude", STOCK) == ["anthropic/claude-sonnet-5-5", "anthropic/claude-haiku-5-5"]
    assert meant("lclqw", STOCK) == []


NAMES = st.text(st.sampled_from("ab-/\x1b[é漢"), min_size=1, max_size=6)


@given(st.lists(NAMES, unique=True, max_size=12), st.text(st.sampled_from("ab-/ é漢\x1b"), max_size=4))
def test_each_model_is_there_once_and_all_that_is_found_is_there(names: list[str], words: str) -> None:
    models = [OfferedModel("p", name) for name in names]
    marks = Marks(f"p/{names[0]}" if names else None, shelf=Shelf(tuple(f"p/{name}" for name in names[1:3])))
    everything = [row.key for row in arranged(Stock({"p": models}), marks) if row.key]
    assert sorted(everything) == sorted(f"p/{name}" for name in names)
    rows = [row for row in found(words, Stock({"p": models}), marks) if isinstance(row, ModelRow) and not row.typed]
    assert {row.key for row in rows} <= set(everything)
    assert len({row.key for row in rows}) == len(rows)


@given(NAMES, st.integers(4, 120), st.booleans(), st.booleans())
def test_rows_fit_their_width_and_say_nothing_that_a_terminal_obeys(
    name: str, width: int, chosen: bool, on: bool
) -> None:
    row = ModelRow(
        OfferedModel("p", name, 200_000, sees_images=on, thinks=on), on, on, on, price=lambda _model: "3 / 15"
    )
    for one in (row, replace(row, typed=True), Heading(name), Note(name)):
        text = "".join(span.text for span in one.spans(width, chosen))
        assert "\x1b" not in text
