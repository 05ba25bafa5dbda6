"""Flow collections, ``[a, b]`` and ``{a: b}``: where they close, and the marks and scalars that they hold."""

import re
from collections.abc import Iterator, Sequence
from enum import Enum, auto
from typing import NamedTuple

from panto_agent.skill._lines import BLANKS, PROPERTIES, indentation
from panto_agent.skill._quoted import scan_quoted, unquoted

_CLOSER = {"[": "]", "{": "}"}
_PLAIN = re.compile(r"(?:[^,\[\]{}:#]|:(?![ \t,\[\]{}]|\Z)|(?<![ \t])#)*+")
_ENDS_KEY = re.compile(r":(?=[ \t,\[\]{}]|\Z)")
_EXPLICIT_KEY = re.compile(r"\?(?=[ \t]|\Z)")


class TokenKind(Enum):
    """What a token of a flow collection is."""

    MARK = auto()  # one of [ ] { } , : ?
    PLAIN = auto()
    QUOTED = auto()
    UNREADABLE = auto()  # a quoted scalar with an unknown escape


class Token(NamedTuple):
    """One mark, or one scalar with its text decoded, and the row it starts in."""

    kind: TokenKind
    text: str
    row: int

    def is_mark(self, marks: str) -> bool:
        """Whether this is one of some marks."""
        return self.kind is TokenKind.MARK and self.text in marks


class Flow(NamedTuple):
    """A flow collection: its tokens, whether it closes, and the place behind its closing bracket."""

    tokens: list[Token]
    closed: bool
    row: int
    column: int


def scan_flow(lines: Sequence[str], row: int, column: int) -> Flow:
    """Read the flow collection that opens at a place, over as many lines as it takes.

    Brackets must match. Structure beyond that (missing or doubled commas) is the reader's business who looks at the
    tokens. When the collection isn't closed within the lines, the tokens are those up to where reading ended.
    """
    scanner = _Scanner(lines, row, column)
    closed = scanner.run()
    return Flow(scanner.tokens, closed, scanner.row, scanner.column)


def keys_of(flow: Flow) -> Iterator[str]:
    """The scalar keys of all mappings and pairs in the collection, at any depth."""
    opened: list[str] = []
    before = Token(TokenKind.MARK, ",", 0)
    after = [*flow.tokens[1:], Token(TokenKind.MARK, ",", 0)]
    for token, following in zip(flow.tokens, after, strict=True):
        if token.is_mark("[{"):
            opened.append(token.text)
        elif token.is_mark("]}"):
            opened.pop()
        elif token.kind is not TokenKind.MARK:
            alone = opened[-1:] == ["{"] and before.is_mark("{,")
            if following.is_mark(":") or before.is_mark("?") or alone:
                yield _key_text(token)
        if not _is_properties(token):
            before = token


def _is_properties(token: Token) -> bool:
    """Whether a token is nothing but anchors and tags, which belong to what comes next."""
    text = f"{token.text} "
    found = PROPERTIES.match(text) if token.kind is TokenKind.PLAIN else None
    return found is not None and found.end() == len(text)


def _key_text(token: Token) -> str:
    if token.kind is TokenKind.QUOTED:
        return token.text
    properties = PROPERTIES.match(token.text)
    return unquoted(token.text[properties.end() if properties else 0 :])


class _Scanner:
    """A cursor over the lines, and the tokens it has passed."""

    def __init__(self, lines: Sequence[str], row: int, column: int) -> None:
        self.lines = lines
        self.row = row
        self.column = column
        self.tokens: list[Token] = []
        self._closers: list[str] = []

    def run(self) -> bool:
        """Read up to the bracket that closes the first one; False when there is none or the brackets don't match."""
        while self._to_next_token():
            char = self.lines[self.row][self.column]
            if char in _CLOSER:
                self._closers.append(_CLOSER[char])
                self._mark(char)
            elif char in "]}":
                if self._closers.pop() != char:
                    return False
                self._mark(char)
                if not self._closers:
                    return True
                self._adjacent_colon()
            elif char in "\"'":
                if not self._quoted():
                    return False
            elif char == "," or self._matches(_ENDS_KEY) or self._matches(_EXPLICIT_KEY):
                self._mark(char)
            else:
                self._plain()
        return False

    def _to_next_token(self) -> bool:
        """Go over blanks, comments and line ends; False when the lines are at their end."""
        while self.row < len(self.lines):
            line = self.lines[self.row]
            while self.column < len(line) and line[self.column] in BLANKS:
                self.column += 1
            after_blank = self.column == 0 or line[self.column - 1] in BLANKS
            if self.column < len(line) and not (line[self.column] == "#" and after_blank):
                return True
            self.row, self.column = self.row + 1, 0
        return False

    def _matches(self, pattern: re.Pattern[str]) -> bool:
        return pattern.match(self.lines[self.row], self.column) is not None

    def _mark(self, char: str) -> None:
        self.tokens.append(Token(TokenKind.MARK, char, self.row))
        self.column += 1

    def _adjacent_colon(self) -> None:
        """Behind a quote or a bracket, a colon ends a key even with no blank after it."""
        if self.lines[self.row].startswith(":", self.column):
            self._mark(":")

    def _quoted(self) -> bool:
        quoted = scan_quoted(self.lines, self.row, self.column)
        if quoted is None:
            return False
        kind = TokenKind.UNREADABLE if quoted.text is None else TokenKind.QUOTED
        self.tokens.append(Token(kind, quoted.text or "", self.row))
        self.row, self.column = quoted.row, quoted.column
        self._adjacent_colon()
        return True

    def _plain(self) -> None:
        """An unquoted scalar: up to a mark or a comment, its lines folded."""
        first_row = self.row
        parts = [self._plain_piece(self.column)]
        while self.column == len(self.lines[self.row]):
            following = self.row + 1
            while following < len(self.lines) and not self.lines[following].strip(BLANKS):
                following += 1
            if following == len(self.lines):
                break
            breaks = following - self.row - 1
            start = len(indentation(self.lines[following]))
            line = self.lines[following]
            found = _PLAIN.match(line, start)
            if line[start] == "#" or found is None or found.end() == start:
                break
            self.row = following
            parts.extend(("\n" * breaks or " ", self._plain_piece(start)))
        self.tokens.append(Token(TokenKind.PLAIN, "".join(parts), first_row))

    def _plain_piece(self, start: int) -> str:
        line = self.lines[self.row]
        found = _PLAIN.match(line, start)
        self.column = found.end() if found else start
        return line[start : self.column].rstrip(BLANKS)
