"""How a word fits a name: the same as looking at each place of it would tell, however long the name is."""

from hypothesis import given, strategies as st

from panto.tui.fit import Fit, fit_of, folded

LETTERS = "ab/-.é"


def looked_at_each_place(wanted: str, name: str) -> Fit | None:
    """How a word fits, told the long way."""
    if wanted == name:
        return Fit.EXACT
    if name.startswith(wanted):
        return Fit.PREFIX
    if any(name[at:].startswith(wanted) and name[at - 1] in "/:-._" for at in range(1, len(name))):
        return Fit.WORD_START
    rest = iter(name)
    return Fit.SCATTERED if all(letter in rest for letter in wanted) else None


@given(st.text(LETTERS, max_size=4), st.text(LETTERS, min_size=1, max_size=10))
def test_how_a_word_fits(wanted: str, name: str) -> None:
    fit, places = fit_of(wanted, name)
    assert fit == looked_at_each_place(wanted, name)
    if fit is not None:
        assert "".join(name[place] for place in places) == wanted


def test_of_several_words_that_it_begins_the_first_is_meant() -> None:
    assert fit_of("a", "b.a-a/a") == (Fit.WORD_START, range(2, 3))


@given(st.text())
def test_every_letter_keeps_its_place(text: str) -> None:
    assert len(folded(text)) == len(text)
