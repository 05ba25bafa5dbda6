"""``agent.commands``: what always holds. Nothing put in is expanded again, and no bytes break the reading."""

from contextlib import suppress
from itertools import islice
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from panto_agent.commands._arguments import Arguments
from panto_agent.commands._document import CommandFileError, parse_command_file
from panto_agent.commands._shell_line import UnquotableError, shell_line
from panto_agent.commands._template import Argument, CommandLine, Mention, parse_template, parts_of
from tests.agent_suite.test_commands import Place, put, said

SNIPPETS = (
    "$1",
    "$2",
    "$ARGUMENTS",
    "!`touch x`",
    "@AGENTS.md",
    "\\$",
    "\\@",
    "\\!`",
    "`",
    " ",
    "\n",
    "a",
    "'",
    '"',
    "\\",
)
TEXTS = st.lists(st.one_of(st.sampled_from(SNIPPETS), st.text(max_size=3)), max_size=12).map("".join)
HEADS = st.sampled_from(
    (b"", b"---\n", b"---\r\n", b"\xef\xbb\xbf---\n", b"---\nallowed-tools: ", b"---\ndescription: >\n ")
)


@settings(max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(typed=TEXTS, body=st.sampled_from(("<$ARGUMENTS>", "($ARGUMENTS) !`true`", "@AGENTS.md\n$ARGUMENTS", "\\$1")))
async def test_an_argument_is_put_in_as_it_is(tmp_path_factory: pytest.TempPathFactory, typed: str, body: str) -> None:
    place = Place(tmp_path_factory.mktemp("place"))
    put(place.project / "AGENTS.md", "RULES")
    put(place.user / "x.md", body)
    async with place.stage() as stage:
        text = await said(stage, "x", typed)
        assert typed in text or not typed.strip()
        assert text.count("RULES") == ("@AGENTS" in body) + typed.count("RULES")
        assert [request.needs[0].subject for request in stage.user.asked] == (["true"] if "true" in body else [])
        assert not (place.project / "x").exists()


@given(st.text())
def test_a_body_without_a_mark_is_itself(text: str) -> None:
    plain = "".join(character for character in text if character not in "$@!\\")
    assert "".join(map(str, parse_template(plain).pieces)) == plain


@given(TEXTS.map(lambda text: text.replace("\\", "")))
def test_the_pieces_are_the_body_in_order(body: str) -> None:
    """Put together again as they were written, they are the body, if there are no escapes in it."""

    def spelled(part: str | Argument) -> str:
        return part if isinstance(part, str) else f"${part.number}" if part.number else "$ARGUMENTS"

    written = ""
    for piece in parse_template(body).pieces:
        text = "".join(map(spelled, parts_of(piece)))
        written += (
            f"!`{text}`" if isinstance(piece, CommandLine) else f"@{text}" if isinstance(piece, Mention) else text
        )
    assert written == body


@given(st.text())
def test_words_of_any_text(text: str) -> None:
    arguments = Arguments(text)
    assert arguments.text_of(Argument(0)) == text
    assert all(arguments.text_of(Argument(number)) == word for number, word in islice(enumerate(arguments.words, 1), 9))
    assert arguments.text_of(Argument(9)) == (arguments.words[8] if len(arguments.words) > 8 else "")


@given(TEXTS, TEXTS)
def test_a_command_line_is_made_or_refused(line: str, typed: str) -> None:
    for piece in parse_template(f"!`{line}`").pieces:
        with suppress(UnquotableError):
            shell_line(parts_of(piece), Arguments(typed))


@given(HEADS, st.binary())
def test_any_bytes_are_read_or_refused(head: bytes, data: bytes) -> None:
    for rest in (data, data + b"\n---\nbody"):
        try:
            file = parse_command_file(head + rest)
        except CommandFileError as error:
            assert error.reason
            assert "\n" not in error.reason
        else:
            assert all(part.isprintable() for part in (file.description, file.hint))
            assert len(file.description) <= 1_000
            parse_template(file.body)


@pytest.mark.parametrize(
    "block", ["[" * 50_000, "a: " + "[" * 50_000, "a: |\n" + " x\n" * 50_000, "a:\n" + " -" * 50_000]
)
def test_deep_and_long_front_matter_is_no_fault(block: str) -> None:
    with suppress(CommandFileError):
        parse_command_file(f"---\n{block}\n---\nbody".encode())


@pytest.mark.parametrize("unit", ["!`", "!`x", "@" + ")" * 9, "@a" + ")" * 4000, "$", "\\", "@$1", " !`$1", '"$(', "["])
def test_a_hostile_body_takes_no_time_that_grows_beyond_measure(unit: str, tmp_path: Path) -> None:
    """It ends: a pattern that backtracked over and over would not, within the time that a test has."""
    template = parse_template(unit * (256 * 1024 // len(unit)))
    for piece in template.pieces:
        if isinstance(piece, CommandLine):
            with suppress(UnquotableError):
                shell_line(piece.parts, Arguments("a b"))
