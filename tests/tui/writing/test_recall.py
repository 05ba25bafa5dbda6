"""Walking through what was sent, and looking for it."""

from panto.tui.writing.history_search import history_rows, sent_before
from panto.tui.writing.recall import Recall
from panto.tui.writing.written import Written


def test_one_walks_back_and_forth_to_where_one_was() -> None:
    recall = Recall()
    assert recall.back(Written("now")) is None
    assert recall.add(Written("two"))
    recall.add_earlier([Written("one")])
    assert not recall.add(Written("two"))
    assert not recall.add(Written(" "))
    assert recall.back(Written("now")) == Written("two")
    assert recall.back(Written("two")) == Written("one")
    assert recall.back(Written("one")) is None
    assert recall.forth() == Written("two")
    assert recall.forth() == Written("now")
    assert recall.forth() is None


def test_the_latest_comes_first_and_each_once() -> None:
    rows = history_rows([Written("fix it"), Written("why\nnot?"), Written("fix it")])
    assert [(row.key, row.name, row.right) for row in rows] == [("2", "fix it", ""), ("1", "why not?", "2 lines")]


def test_what_has_the_words_comes_before_what_has_the_letters() -> None:
    rows = history_rows([Written("Fix the loop"), Written("l o o p"), Written("other"), Written("a loophole")])
    assert [row.name for row in sent_before(" LOOP ", rows)] == ["a loophole", "Fix the loop", "l o o p"]
    assert len(sent_before("  ", rows)) == 4
    assert sent_before("fix the loop now", rows) == []
