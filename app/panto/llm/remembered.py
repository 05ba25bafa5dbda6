"""What a conversation came to when it was last sent, so that the next request costs only what is new.

A history grows at its end. All that stands before a *cut* is put in the same way whatever comes behind it, so it is put
and encoded once, and kept as JSON. A cut is a place where a user's message follows a whole answer, or an answer follows
the results of all calls before it.
"""

import operator
from collections import Counter, OrderedDict
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Generic, Protocol, Self, TypeVar, cast

import msgspec

from panto.llm.json_text import to_json
from panto.llm.sendable import Pass, Rules, count_images, sendable
from panto.llm.types import Request
from panto.messages import Assistant, Message, Tool, User

F = TypeVar("F", bound="Fold")

KEPT = 8
"""Conversations, or ways of putting one, that are remembered for a model."""
_AT_ONCE = 32
"""New messages from which on what is kept is kept before the request is sent, and not behind it: else the request would
cost as much as one without a memory, and so would all that is done behind it."""
_OPEN_TURNS = 2
"""A user's turns that stay behind the cut: what marks them moves on with each request."""


class Fold(Protocol):
    """Puts messages that can be sent into a format's own items, in one go or in several, as `Pass` does."""

    def json(self, messages: Sequence[Message]) -> Sequence[object]:
        """The items for these, as JSON."""
        ...

    def fork(self) -> Self:
        """Another that has come as far."""
        ...


@dataclass(frozen=True)
class Put(Generic[F]):
    """A history of which the beginning is put.

    ``kept`` are its items as JSON, without the brackets around a list. ``rest`` are the messages behind it as they can
    be sent, at least a user's last two turns, and ``fold`` has come as far as to put them.
    """

    kept: bytes
    rest: list[Message]
    fold: F

    def with_items(self, items: Iterable[object]) -> list[object]:
        """The whole list for a request's body, with these as the items for the rest."""
        return [msgspec.Raw(self.kept), *items] if self.kept else [*items]


def put_history(request: Request, rules: Rules, fold: F, *, key: Hashable, provider: str) -> Put[F]:
    """Put the beginning of a request's history, from what is remembered of it; nothing of it without a memory.

    ``fold`` has nothing behind it. ``key`` stands for everything besides the messages that the outcome depends on.
    """
    model = f"{provider}/{request.model}"
    if request.memory is None:
        return Put(b"", sendable(request.messages, rules, model), fold)
    return request.memory.put(request.messages, rules, model, fold, (request.session, model, key))


class Plain:
    """A fold that has nothing behind it: what is put depends on the messages alone, of which no turn began before."""

    def __init__(self, put: Callable[[Sequence[Message]], Sequence[object]]) -> None:
        self._put = put

    def json(self, messages: Sequence[Message]) -> Sequence[object]:
        """The items for these."""
        return self._put(messages)

    def fork(self) -> "Plain":
        """Itself."""
        return self


@dataclass(frozen=True)
class _Kept(Generic[F]):
    """What is known of a conversation up to a cut."""

    messages: tuple[Message, ...]
    images: int
    way: Pass
    fold: F
    json: bytes


class Memory:
    """What is remembered for one model."""

    def __init__(self) -> None:
        self._kept: OrderedDict[Hashable, _Kept[Fold]] = OrderedDict()
        self._due: Callable[[], None] | None = None

    def put(self, messages: Sequence[Message], rules: Rules, model: str, fold: F, key: Hashable) -> Put[F]:
        """As `put_history`. What is worth keeping of it is kept by `catch_up`, when nobody waits."""
        start = self._start(messages, rules, model, fold, key)
        self._due = None
        if len(messages) - len(start.messages) > _AT_ONCE:
            start = _advanced(start, messages)
        else:
            self._due = partial(self._advance, key, start, messages)
        self._keep(key, start)
        way = start.way.fork()
        rest = way.feed(messages[len(start.messages) :])
        return Put(start.json, [*rest, *way.close()], start.fold.fork())

    def catch_up(self) -> None:
        """Keep what the latest request was put from, for the next."""
        due, self._due = self._due, None
        if due is not None:
            due()

    def _advance(self, key: Hashable, start: _Kept[F], messages: Sequence[Message]) -> None:
        self._keep(key, _advanced(start, messages))

    def _keep(self, key: Hashable, kept: _Kept[F]) -> None:
        self._kept[key] = cast("_Kept[Fold]", kept)
        self._kept.move_to_end(key)
        while len(self._kept) > KEPT:
            self._kept.popitem(last=False)

    def _start(self, messages: Sequence[Message], rules: Rules, model: str, fold: F, key: Hashable) -> _Kept[F]:
        """What is known of the beginning of this history; with nothing before it if it is another."""
        kept = cast("_Kept[F] | None", self._kept.get(key))
        if kept is not None and _begins_with(messages, kept.messages):
            images = kept.images + count_images(messages[len(kept.messages) :])
            if rules.images.side(images) == rules.images.side(kept.images) and images <= rules.images.count:
                return kept
        return _Kept((), 0, Pass(rules, model, count_images(messages)), fold, b"")


def _advanced(start: _Kept[F], messages: Sequence[Message]) -> _Kept[F]:
    """What is known once the messages up to the latest cut are put, too; as before if they can't be parted there."""
    cut = _latest_cut(messages, len(start.messages))
    if cut is None:
        return start
    way, fold = start.way.fork(), start.fold.fork()
    between = messages[len(start.messages) : cut]
    sent = way.feed(between)
    if not sent or type(sent[-1]) is not type(between[-1]):
        return start  # something was left out or put in there: what comes next may belong to it
    items = map(to_json, fold.json(sent))
    json = b",".join([start.json, *items] if start.json else items)
    return _Kept(tuple(messages[:cut]), start.images + count_images(between), way, fold, json)


def _begins_with(messages: Sequence[Message], kept: Sequence[Message]) -> bool:
    """Whether they are the very same: equal ones may differ as JSON, as 1 and true do."""
    return len(messages) >= len(kept) and all(map(operator.is_, messages, kept))


def _latest_cut(messages: Sequence[Message], start: int) -> int | None:
    """The last place behind ``start`` where a history can be parted, with enough of the user's turns behind it.

    A call that has no result when the user speaks again is taken for one that never gets any.
    """
    places: list[tuple[int, int]] = []
    waiting: Counter[str] = Counter()
    turns = 0
    last: Message | None = messages[start - 1] if start else None
    for place in range(start, len(messages)):
        message = messages[place]
        if place > start and not waiting.total() and _parts(last, message):
            places.append((place, turns))
        if not isinstance(message, Assistant) and (last is None or isinstance(last, Assistant)):
            turns += 1
        match message:
            case Assistant():
                waiting.update(call.id for call in message.calls)
            case Tool(outputs):
                waiting -= Counter(output.call_id for output in outputs)
            case _:
                waiting.clear()
        last = message
    return max((place for place, before in places if turns - before >= _OPEN_TURNS), default=None)


def _parts(last: Message | None, message: Message) -> bool:
    """Whether a history can be parted between two messages, if no call before it is without its result."""
    if isinstance(last, Assistant):
        return isinstance(message, User) and not last.calls
    return isinstance(last, Tool) and isinstance(message, Assistant) and bool(message.text.strip() or message.calls)
