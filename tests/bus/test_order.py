from dataclasses import dataclass

from hypothesis import given, strategies as st

from panto.bus import Bus, Rank
from panto.bus.order import ordered
from panto.events import AppStop, ToolResult
from tests.bus.gathering import tool_result


@dataclass(frozen=True)
class Item:
    rank: Rank
    after: frozenset[str] = frozenset()
    number: int = 0


def item(layer: int, name: str, *after: str) -> Item:
    return Item(Rank(layer, name), frozenset(after))


def names(*items: Item) -> str:
    return " ".join(found.rank.id for found in ordered(items))


def test_layers_come_before_ids() -> None:
    assert names(item(1, "a"), item(0, "z"), item(3, "b"), item(0, "c")) == "c z a b"


def test_after_beats_both() -> None:
    assert names(item(0, "a", "z"), item(0, "b"), item(2, "z")) == "b z a"


def test_after_something_that_is_not_there_is_no_wait() -> None:
    assert names(item(0, "a", "gone"), item(0, "b")) == "a b"


def test_after_oneself_is_no_wait() -> None:
    assert names(item(0, "a", "a"), item(0, "b")) == "a b"


def test_one_waits_for_every_handler_of_an_owner() -> None:
    first, second = Item(Rank(0, "z"), number=0), Item(Rank(0, "z"), number=1)
    assert ordered([item(0, "a", "z"), second, first]) == [first, second, item(0, "a", "z")]


def test_a_circle_is_cut_where_the_order_meets_it() -> None:
    assert names(item(0, "c", "b"), item(0, "b", "c"), item(0, "d"), item(0, "a")) == "a b c d"


def test_what_only_waits_for_a_circle_is_not_where_it_is_cut() -> None:
    assert names(item(0, "a", "b"), item(0, "b", "c"), item(0, "c", "b")) == "b a c"


_IDS = "abcdef"
_items = st.lists(
    st.builds(
        Item,
        st.builds(Rank, st.integers(0, 3), st.sampled_from(_IDS)),
        st.frozensets(st.sampled_from(_IDS), max_size=3),
    ),
    unique_by=lambda found: found.rank.id,
)


@given(_items.flatmap(lambda items: st.tuples(st.just(items), st.permutations(items))))
def test_the_order_is_the_same_whatever_came_first(case: tuple[list[Item], list[Item]]) -> None:
    items, shuffled = case
    assert ordered(items) == ordered(shuffled)


@given(_items)
def test_everybody_comes_once_and_behind_those_who_do_not_wait_for_them(items: list[Item]) -> None:
    found = ordered(items)
    assert sorted(found, key=lambda one: one.rank) == sorted(items, key=lambda one: one.rank)
    for place, one in enumerate(found):
        for later in found[place + 1 :]:
            if later.rank.id in one.after:
                assert one.rank.id in waited_for(later, items), f"{one} came before {later} without need"


def waited_for(one: Item, items: list[Item]) -> set[str]:
    """All that an item waits for, directly or not."""
    by_id = {other.rank.id: other for other in items}
    seen: set[str] = set()
    pending = list(one.after)
    while pending:
        name = pending.pop()
        if name in by_id and name not in seen:
            seen.add(name)
            pending.extend(by_id[name].after)
    return seen


async def test_handlers_take_part_in_that_order_and_each_sees_what_the_last_one_left() -> None:
    async with Bus() as bus:
        for rank, after in [(Rank(3, "p"), ()), (Rank(0, "s"), ("u",)), (Rank(2, "u"), ()), (Rank(0, "b"), ())]:

            def add(event: ToolResult, name: str = rank.id) -> None:
                event.output += f" {name}"

            bus.on(ToolResult, add, rank=rank, after=frozenset(after))
        assert (await bus.emit(tool_result())).output == "out b u s p"


async def test_the_handlers_of_one_owner_keep_their_order_whoever_comes_and_goes() -> None:
    seen: list[str] = []
    async with Bus() as bus:
        owner = Rank(1, "a.owner")
        bus.on(AppStop, lambda _event: seen.append("first"), rank=owner, after=frozenset({"z.late"}))
        bus.on(AppStop, lambda _event: seen.append("second"), rank=owner)
        late = bus.on(AppStop, lambda _event: seen.append("late"), rank=Rank(1, "z.late"))
        await bus.emit(AppStop())
        late.close()
        await bus.emit(AppStop())
    assert seen == ["second", "late", "first", "first", "second"]
