"""What the README says of events is what there is."""

import re
from collections.abc import Iterator

from panto import events
from panto.events import Event, writable_fields
from tests.support.readme import chapter

CHAPTER = chapter("Writing an extension")


def all_events() -> Iterator[type[Event]]:
    """Every event there is."""
    for found in vars(events).values():
        if isinstance(found, type) and issubclass(found, Event) and found is not Event:
            yield found


def table() -> dict[str, set[str]]:
    """The table's rows: names of events with the words that stand in code in the last column."""
    rows = re.findall(r"^\| (`[a-z_]+`(?: `[a-z_]+`)*) \|[^|]*\|([^|]*)\|$", CHAPTER, re.MULTILINE)
    return {
        name: set(re.findall(r"`([a-z_]+)`", writable))
        for names, writable in rows
        for name in re.findall(r"[a-z_]+", names)
    }


def test_the_table_has_every_event_that_has_handlers_and_their_writable_fields() -> None:
    rows = table()
    assert set(rows) == {event.name for event in all_events() if not event.watch_only}
    for event in all_events():
        if not event.watch_only:
            assert set(writable_fields(event)) <= rows[event.name], event.name


def test_no_writable_field_is_made_up() -> None:
    known = {name for event in all_events() for name in writable_fields(event)}
    assert set().union(*table().values()) == known


def test_every_event_that_can_only_be_watched_is_named() -> None:
    line = CHAPTER[CHAPTER.index("Only to be watched:") :].partition("\n\n")[0]
    assert set(re.findall(r"`([a-z_]+)`", line)) == {event.name for event in all_events() if event.watch_only}
