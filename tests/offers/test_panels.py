"""Sections of the side panel: filled by their owners, seen by whoever shows them."""

from panto.offers import Panels


def test_whoever_shows_them_is_told_of_each_change_once() -> None:
    panels, told = Panels(), list[list[str]]()
    panels.on_change = lambda: told.append([panel.text for panel in panels.all()])
    first, second = panels.add("One"), panels.add("Two")
    first.show("a")
    first.show("a")
    second.show("b")
    first.close()
    assert told == [["a", ""], ["a", "b"], ["b"]]
    assert [panel.title for panel in panels.all()] == ["Two"]


def test_a_closed_one_shows_nothing_more() -> None:
    panels, told = Panels(), list[int]()
    panel = panels.add("One")
    panel.close()
    panels.on_change = lambda: told.append(1)
    panel.show("late")
    panel.close()
    assert (panel.text, told, panels.all()) == ("", [], ())


def test_two_may_have_the_same_title() -> None:
    panels = Panels()
    first, second = panels.add("Same"), panels.add("Same")
    first.close()
    assert panels.all() == (second,)
