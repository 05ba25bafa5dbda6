"""Looking for something that was sent before: the latest first, in place above the prompt."""

from collections.abc import Sequence
from dataclasses import replace

from panto.tui.choice_row import ChoiceRow
from panto.tui.fit import fit_of, folded
from panto.tui.writing.written import Written

_LOOKED_AT = 600
"""The characters of a text that are looked at and shown."""


def history_rows(entries: Sequence[Written]) -> list[ChoiceRow]:
    """A row for each text, each once, the latest first. Its key is the text's number."""
    latest = {entry.text: number for number, entry in enumerate(entries)}
    return [
        ChoiceRow(str(number), " ".join(text[:_LOOKED_AT].split()), right=_more(text))
        for text, number in sorted(latest.items(), key=lambda each: -each[1])
    ]


def sent_before(words: str, rows: Sequence[ChoiceRow]) -> list[ChoiceRow]:
    """The rows that have what is typed in them, then those that have its letters in that order."""
    wanted = folded(" ".join(words.split()))
    if not wanted:
        return list(rows)
    whole: list[ChoiceRow] = []
    scattered: list[ChoiceRow] = []
    for row in rows:
        name = folded(row.name)
        at = name.find(wanted)
        if at >= 0:
            whole.append(replace(row, places=frozenset(range(at, at + len(wanted)))))
        else:
            fit, places = fit_of(wanted, name)
            if fit is not None:
                scattered.append(replace(row, places=frozenset(places)))
    return whole + scattered


def _more(text: str) -> str:
    lines = text.strip().count("\n") + 1
    return f"{lines} lines" if lines > 1 else ""
