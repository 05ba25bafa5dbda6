"""Heights: the tree agrees with plain sums."""

from hypothesis import given, strategies as st

from panto.tui.transcript.heights import Heights

changes = st.lists(
    st.one_of(
        st.tuples(st.just("append"), st.integers(0, 9), st.just(0)),
        st.tuples(st.just("set"), st.integers(0, 50), st.integers(0, 9)),
        st.tuples(st.just("truncate"), st.integers(0, 50), st.just(0)),
    ),
    max_size=60,
)


@given(changes)
def test_it_agrees_with_plain_sums(steps: list[tuple[str, int, int]]) -> None:
    heights, plain = Heights(), list[int]()
    for step, first, second in steps:
        if step == "append":
            heights.append(first)
            plain.append(first)
        elif step == "truncate":
            heights.truncate(first)
            del plain[first:]
        elif plain:
            heights.set(first % len(plain), second)
            plain[first % len(plain)] = second
    assert len(heights) == len(plain)
    assert heights.total == sum(plain)
    assert [heights.top(index) for index in range(len(plain) + 1)] == [
        sum(plain[:index]) for index in range(len(plain) + 1)
    ]
    rows = [(index, row) for index, height in enumerate(plain) for row in range(height)]
    assert [heights.at(y) for y in range(len(rows))] == rows
    assert heights.at(len(rows)) == ((len(plain) - 1, plain[-1]) if plain else (0, 0))
