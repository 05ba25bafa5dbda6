"""Text in Markdown that shows as it is, as the parser that the screen uses reads it."""

from hypothesis import given, strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from panto.markdown import code_span, plain

PARSER = MarkdownIt("commonmark").enable(["table", "strikethrough"])
LINES = st.text(st.characters(exclude_categories=["Cc", "Cs", "Zl", "Zp"]), max_size=40)


def inline(markdown: str) -> list[Token]:
    """The tokens of an item of a list."""
    return next(token.children or [] for token in PARSER.parse(f"- x {markdown}") if token.type == "inline")


@given(LINES)
def test_plain_text_is_shown_as_it_is(text: str) -> None:
    tokens = inline(plain(text))
    assert {token.type for token in tokens} <= {"text", "text_special"}
    assert "".join(token.content for token in tokens) == " ".join(f"x {text}".split())


@given(LINES.filter(str.strip))
def test_a_code_span_holds_all_of_it_and_nothing_else(text: str) -> None:
    _, token = inline(code_span(text))
    assert token.type == "code_inline"
    assert token.content == text


def test_nothing_is_no_code() -> None:
    assert code_span("") == ""
