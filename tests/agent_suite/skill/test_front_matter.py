"""The reader of front matter, line by line and value by value, against the rules and against YAML."""

import time
from contextlib import suppress
from typing import cast

import pytest
import yaml
from hypothesis import given, settings, strategies as st

from panto_agent.skill._block import block_header, read_block, read_usual_block
from panto_agent.skill._frontmatter import FrontMatter, read_front_matter
from panto_agent.skill._lines import TOOL_KEYS
from panto_agent.skill._records import FrontMatterError


def refusal(block: str) -> FrontMatterError:
    with pytest.raises(FrontMatterError) as caught:
        read_front_matter(block)
    return caught.value


def has_tool_list(front: FrontMatter) -> bool:
    return front.allowed_tools is not None or front.disallowed_tools is not None


@pytest.mark.parametrize(
    ("block", "line", "named"),
    [
        # D3: a flush-left line that is no key line, and is named by its number
        ("name: a\nand more\n", 3, ""),
        ("name: a\nhttps://x\n", 3, ""),
        ("name: a\n- stray\n", 3, ""),
        ("name: a\n# c\n\n...\n", 5, ""),
        ("]\nname: a\n", 2, ""),
        ("name:alpha\n", 2, ""),
        ("metadata:\n  a: b\nx\n", 4, ""),
        # keys that YAML reads behind other marks are not passed over
        ("&a allowed-tools: Read\n", 2, ""),
        ("!!str allowed-tools: Read\n", 2, ""),
        ("? allowed-tools\n: Read\n", 2, ""),
        ("--- allowed-tools: Read\n", 2, ""),
        ("{allowed-tools: Read}\n", 2, ""),
        ('"a\\qb": x\n', 2, ""),
        ("a #b: c\n", 2, ""),
        # D4: an indented key under a value that is no nested block
        ("license: MIT\n\n# c\n  holder: me\n", 5, "license holder"),
        ("license: 'MIT'\n\tholder: me\n", 3, "license holder"),
        ("tags: [a,\n  b]\n  holder: me\n", 4, "tags holder"),
        ("note: |\n    a\n  holder: me\n", 4, "note holder"),
        ('license: MIT\n  "holder": me\n', 3, "license holder"),
        ("license: MIT\n  - holder: me\n", 3, "license holder"),
        ("license: &m\n  holder: me\n", 3, "license holder"),
        ("license: MIT\n  {allowed-tools: x}\n", 3, "license allowed-tools"),
        ("  name: a\n", 2, "name"),
        # D9: a key that is there twice, however it is written
        ("name: a\nx: b\n'name': c\n", 4, "name"),
        ("disallowed-tools: Bash\ndisallowed-tools: Read\n", 3, "disallowed-tools"),
        # E3: what opens and never closes, within its own lines
        ('x: "a\n', 2, "x"),
        ("x: 'it''s\n  b\n", 2, "x"),
        ('x: "MIT\ny: say "hi"\n', 2, "x"),
        ("x: [a, b #]\n", 2, "x"),
        ("x: {a: [b}\n", 2, "x"),
        ("x: [a}\n", 2, "x"),
        ("x: [a\ny: b]\n", 2, "x"),
        ('x: ["a]\n', 2, "x"),
        # G20: a tool list's key in a nested block
        ("m:\n  a: 1\n  disallowedTools: x\n", 4, "m disallowedTools"),
        ("m:\n  - - allowed-tools : x\n", 3, "m allowed-tools"),
        ('m:\n  "allowed\\x2dtools": x\n', 3, "m allowed-tools"),
        ('m:\n  "\\x61\\x6clowed-tools": x\n', 3, "m allowed-tools"),
        ("m:\n  &a !t allowed-tools: x\n", 3, "m allowed-tools"),
        ("m:\n  ? 'allowed-tools'\n  : x\n", 3, "m allowed-tools"),
        ("m:\n  ?\n    allowed-tools\n  : x\n", 4, "m allowed-tools"),
        ("m:\n  a: {b: c, allowed-tools: x}\n", 3, "m allowed-tools"),
        ("m:\n  {'a': 1, \"disallowed-tools\":x}\n", 3, "m disallowed-tools"),
        ("m:\n  a: [x\n  b: {allowed-tools: y}\n", 3, "m allowed-tools"),
        # G21: behind another key's closing quote or bracket
        ("x: 'MIT' disallowed-tools: Bash\n", 2, "x disallowed-tools"),
        ('x: {a: b}, "allowed-tools": Bash\n', 2, "x allowed-tools"),
        ('x: "allowed-tools": Bash\n', 2, "x allowed-tools"),
        # G22: as a key of a flow mapping or pair
        ("m: {allowed-tools}\n", 2, "m allowed-tools"),
        ("m: {? allowed-tools : x}\n", 2, "m allowed-tools"),
        ("m: {&a allowed-tools: x}\n", 2, "m allowed-tools"),
        ('m: {!!str "allowed\\x2dtools"}\n', 2, "m allowed-tools"),
        ("m: {allowed-tools\n  : x}\n", 3, "m allowed-tools"),
        ("m: {!!str # c\n  allowed-tools}\n", 3, "m allowed-tools"),
        ("m: [{a: [b, allowed-tools: x]}]\n", 2, "m allowed-tools"),
        ("m: &m {allowed-tools: x}\n", 2, "m allowed-tools"),
        # tool lists name what else they hold
        ("allowed-tools:\n  - Read\n  disallowed-tools: Bash\n", 4, "allowed-tools disallowed-tools"),
        ("allowed-tools: [Read] disallowed-tools: Bash\n", 2, "allowed-tools disallowed-tools"),
        ("allowed-tools: [disallowed-tools: Bash]\n", 2, "allowed-tools disallowed-tools"),
        ("allowed-tools: Read\n- Grep\n", 3, "allowed-tools"),
        ("allowed-tools:\n  - Read\n  - Bash(ls\n", 4, "allowed-tools"),
    ],
)
def test_refusals_say_where_and_name_the_keys(block: str, line: int, named: str) -> None:
    error = refusal(block)
    assert error.line == line
    assert [key for key in named.split() if f"`{key}`" not in error.reason] == []


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (" Use when: x", "Use when: x"),
        (" 007", "007"),
        (" a # b", "a # b"),
        (" \u00a0a\u00a0", "\u00a0a\u00a0"),
        (" one\u2028two: three\x85allowed-tools: x\x0c", "one\u2028two: three\x85allowed-tools: x\x0c"),
        (" a\rb", "a\rb"),
        ("", None),
        (" # c", None),
        (" ~", "~"),
        (" ''", ""),
        (" 'it''s' # so", "it's"),
        (' "a\\\n  b \\\n\n  \\ c\n  \n  d  \n  "', "ab \n c\nd "),
        (' "\\ud83d\\ude9a \\U0001f69a \\x41\\/"', "\U0001f69a \U0001f69a A/"),
        (' "\\ud83d"', '"\\ud83d"'),
        (' "C:\\docs"', '"C:\\docs"'),
        (' "a" and b', '"a" and b'),
        (" [one, two] # x", "[one, two] # x"),
        (" [WIP] {x", "[WIP] {x"),
        (" [#fff,#000]", "[#fff,#000]"),
        (' "\\U00110000"', '"\\U00110000"'),
        (' "\\UFFFFFFFF"', '"\\UFFFFFFFF"'),
        (" [it's, 'a]', \"b]\"]", "[it's, 'a]', \"b]\"]"),
        (" > text", "> text"),
        (" |2-\n    a\n\n  b\n", "  a\n\nb"),
        (" |-2 # c\n   a", " a"),
        (" >+\n\n a\n  b\n\n c\n", "\na\n b\n\nc\n\n"),
        (" |\n# c", ""),
        (" a\n  b", "a"),
        (" 'a'\n  and b", "a"),
        ("\n  a", None),
        ("\n  allowed-tools-note: a\n  b: allowed-tools\n  # allowed-tools: c", None),
        ("\n- a\n\n# c\n-\n  b: [c\n", None),
        ("\n  {\n  a: 1\n}\n", None),
        (
            " ['allowed-tools: x', {a: allowed-tools}, allowed-tools]",
            "['allowed-tools: x', {a: allowed-tools}, allowed-tools]",
        ),
        (" 'x' # allowed-tools: y", "x"),
        (" explains allowed-tools: x", "explains allowed-tools: x"),
    ],
)
def test_values_of_other_keys(value: str, text: str | None) -> None:
    front = read_front_matter(f"k:{value}\nz: 1\n")
    assert front.texts.get("k") == text
    assert front.texts["z"] == "1"
    assert not has_tool_list(front)


def test_crlf_is_a_line_end_and_leaves_nothing_behind() -> None:
    block = "k: >-\n  a\n  b\nq: 'a\n  b'\nallowed-tools:\n- Read\n- |\n  Grep\nz:\n"
    assert read_front_matter(block.replace("\n", "\r\n")) == read_front_matter(block)


def test_the_alias_counts_only_without_the_hyphen_key() -> None:
    assert read_front_matter("disallowedTools: A\ndisallowed-tools: [] # none\n").disallowed_tools == []
    assert read_front_matter("disallowedTools: A\ndisallowed-tools: ~ # null\n").disallowed_tools == ["A"]
    assert read_front_matter("disallowedTools: A(\n  B\ndisallowed-tools: C\n").disallowed_tools == ["C"]
    refusal("disallowedTools: [A\ndisallowed-tools: C\n")
    refusal("disallowedTools: A\n  b: c\ndisallowed-tools: C\n")


PIECES = st.sampled_from(
    (
        *(
            "a",
            "b c",
            "allowed-tools",
            "disallowedTools",
            '"allowed-tools"',
            "'disallowed-tools'",
            '"allowed\\x2dtools"',
        ),
        *(": ", ":", ":\n", "\n", "\n ", "\n  ", "\n    ", "- ", "\n  - ", "\n- ", ", ", "[", "]", "{", "}", '"', "'"),
        *(" # c", "|\n  ", ">\n  ", "~", "&a ", "!!str ", "? ", "x: ", "\nz"),
    )
)
STARTS = st.sampled_from(["\n  ", " ", " {", " [", ' "', "\n- ", "\n  k: ", "\n  [", "\n  {", "\n  - ", " &m "])
ENDS = st.sampled_from(["", "]", '"', "\n]", "}", "\n}", "]}"])


def holds_tool_key(node: object) -> bool:
    match node:
        case dict():
            pairs = cast("dict[object, object]", node).items()
            return any(key in TOOL_KEYS or holds_tool_key(key) or holds_tool_key(value) for key, value in pairs)
        case list() | tuple():
            return any(map(holds_tool_key, cast("list[object]", node)))
        case _:
            return False


@settings(max_examples=600)
@given(STARTS, st.lists(PIECES, min_size=2, max_size=9).map("".join), ENDS)
def test_no_tool_list_that_yaml_sees_is_passed_over(start: str, middle: str, end: str) -> None:
    block = f"m:{start}{middle}{end}\nzz: 1\n"
    try:
        document = cast("dict[object, object]", yaml.safe_load(block))
        nested = any(map(holds_tool_key, document.values()))
    except (yaml.YAMLError, AttributeError, TypeError, ValueError, RecursionError):
        return  # no document, or one that Python can't hold
    try:
        front = read_front_matter(block)
    except FrontMatterError:
        return
    assert not nested
    flush_left = {key for key, value in document.items() if value is not None} & TOOL_KEYS
    assert has_tool_list(front) == bool(flush_left)


SCALAR = {
    '"': [
        "a",
        "b c",
        " ",
        "\n  ",
        "\n\n  ",
        "\\n",
        "\\\n  ",
        "\\ ",
        "\\u00e9",
        "\\\\",
        '\\"',
        "'",
        " # ",
        ": ",
        "\\/",
        "-",
    ],
    "'": ["a", "b c", " ", "\n  ", "\n\n  ", "''", '"', "\\", " # ", ": "],
    "|": ["b c", " ", "\n  ", "\n    ", "\n\n", "\n\n  ", "#", "# x", ": ", "- "],
}


@pytest.mark.parametrize("quote", ['"', "'"])
@given(data=st.data())
def test_quoted_scalars_say_what_yaml_says(quote: str, data: st.DataObject) -> None:
    inside = "".join(data.draw(st.lists(st.sampled_from(SCALAR[quote]), max_size=9)))
    block = f"k: {quote}{inside}{quote}\nz: 1\n"
    assert read_front_matter(block).texts["k"] == yaml.safe_load(block)["k"]


@given(
    st.sampled_from(["|", ">"]),
    st.sampled_from(["", "-", "+", "2", "2-", "+2", " # c"]),
    st.lists(st.sampled_from(SCALAR["|"]), max_size=9).map("".join),
)
def test_block_scalars_say_what_yaml_says(style: str, indicators: str, inside: str) -> None:
    block = f"k: {style}{indicators}\n  a{inside}\nz: 1\n"
    try:
        wanted = yaml.safe_load(block)["k"]
        text = read_front_matter(block).texts["k"]
    except (yaml.YAMLError, FrontMatterError):
        return  # a line that is no part of it
    assert text == wanted


@given(
    st.sampled_from(["|", ">", "|-", ">-"]),
    st.lists(st.sampled_from(["a", "b c", " ", "\n  ", "\n   ", "#", "\n\n  ", "\t"]), max_size=8).map("".join),
)
def test_a_glance_at_a_block_sees_what_a_second_look_sees(head: str, inside: str) -> None:
    below = f"  {inside}\n"
    usual = read_usual_block(head, below)
    header = block_header(head)
    assert header is not None
    if usual is not None:
        block = read_block(header, below.split("\n")[:-1], 0)
        assert (block.text, block.rows, block.sound) == (usual, below.count("\n"), True)


@pytest.mark.parametrize("line", ["  a: [x\n", "  [\n", "  - {'a\n", "]\n", "  'x\n", "  ? x\n"])
def test_what_never_closes_takes_no_longer_to_read_than_what_does(line: str) -> None:
    """Reading takes time in proportion to the size, whatever the text: hostile text can't stall a session."""

    def seconds(block: str) -> float:
        start = time.perf_counter()
        with suppress(FrontMatterError):
            read_front_matter(block)
        return time.perf_counter() - start

    block = "m: # not allowed\n  allowed: []\n"  # so that it is not passed over at a glance
    closed = block + "  a: [x, 'y']\n" * 1000
    assert min(seconds(block + line * 1000) for _ in range(3)) < 10 * min(seconds(closed) for _ in range(3))
