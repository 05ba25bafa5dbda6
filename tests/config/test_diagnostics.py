"""Text for people: spelled as TOML, and harmless wherever it is printed."""

import tomllib
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from panto.config.diagnostics import Diagnostic, key_text, nearest, quoted, short_path, visible

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)


@given(texts)
def test_a_quoted_text_is_toml_for_that_text_and_prints(text: str) -> None:
    assert tomllib.loads(f"k = {quoted(text)}") == {"k": text}
    assert quoted(text).isprintable()


@given(st.lists(texts, min_size=1, max_size=3))
def test_a_key_path_is_toml_for_that_path(names: list[str]) -> None:
    table = tomllib.loads(f"{key_text(names)} = 1")
    for name in names:
        table = table[name]

    assert table == 1


def test_positions_stand_in_brackets() -> None:
    assert key_text(["permissions", "deny", 2]) == "permissions.deny[2]"
    assert key_text(["a", 0, "b c", 1]) == 'a[0]."b c"[1]'


@given(st.text())
def test_any_text_can_be_made_visible(text: str) -> None:
    assert visible(text).isprintable()


def test_what_turns_text_around_or_back_is_shown() -> None:
    assert visible("a\u202eb\x1b[2Jc\x9bd\nе") == r"a\u202eb\u001b[2Jc\u009bd\u000aе"


def test_a_path_below_home_is_short(home: Path) -> None:
    assert short_path(home / "a/b") == "~/a/b"
    assert short_path(home.parent / "other") == str(home.parent / "other")
    assert short_path(Path("/a\nb")) == r"/a\u000ab"


def test_a_path_is_shown_even_without_a_home(monkeypatch: pytest.MonkeyPatch) -> None:
    def nobody(_: type[Path]) -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(Path, "home", classmethod(nobody))

    assert short_path(Path("/a/b")) == "/a/b"


@pytest.mark.parametrize(
    ("fault", "text"),
    [
        (Diagnostic("error", "bad", file=Path("/f"), line=3, column=4), "/f:3:4: bad"),
        (Diagnostic("warning", "bad", "a.b", Path("/f"), 3, allowed="x"), "/f:3: a.b: bad; allowed: x"),
        (Diagnostic("warning", "bad", "a", suggestion="b"), "command line: a: bad; did you mean b?"),
    ],
)
def test_a_diagnostic_is_one_line(fault: Diagnostic, text: str) -> None:
    assert str(fault) == text


@pytest.mark.parametrize(
    ("name", "suggestion"),
    [("permisions", "permissions"), ("Mode", "mode"), ("zzz", None), ("", None), ("x" * 10**6, None)],
)
def test_a_near_miss_is_suggested_and_a_far_one_is_not(name: str, suggestion: str | None) -> None:
    assert nearest(name, ["permissions", "mode", "theme"]) == suggestion
