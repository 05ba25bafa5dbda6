"""What a session has used: tokens and US dollars, added up from its answers. Unknown is never taken for nothing."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from panto.markdown import plain
from panto.messages import Assistant, Message, Usage

_CENT = 0.01


@dataclass(frozen=True)
class Totals:
    """What some answers have used: tokens sent, of those cached, and received; and how full the window is now.

    None stands for unknown: a provider that does not count can't be added up. ``reasoning`` is a part of ``received``.
    ``cost`` is in US dollars as far as it is known, and ``unpriced`` the number of answers whose price is not.
    """

    sent: int | None = None
    cached: int | None = None
    received: int | None = None
    in_window: int | None = None
    reasoning: int | None = None
    cost: float = 0.0
    answers: int = 0
    unpriced: int = 0

    def plus(self, usage: Usage) -> "Totals":
        """With one more answer. An answer without counts leaves the sums as they are."""
        window = None if usage.input is None else usage.input + (usage.output or 0)
        return replace(
            self,
            sent=_sum(self.sent, usage.input),
            cached=_sum(self.cached, usage.cached),
            received=_sum(self.received, usage.output),
            in_window=window if window is not None else self.in_window,
            reasoning=_sum(self.reasoning, usage.reasoning),
            cost=self.cost + (usage.cost or 0.0),
            answers=self.answers + 1,
            unpriced=self.unpriced + (usage.cost is None),
        )

    @property
    def price(self) -> str:
        """The cost for people: ``$0.04``, ``≥ $0.04`` where a part is unknown, ``$?`` where all is, empty for none."""
        if self.unpriced:
            return f"≥ {dollars(self.cost)}" if self.cost else "$?"
        return dollars(self.cost) if self.cost else ""


def has_cost(answer: Assistant) -> bool:
    """Whether an answer may have used something: of a request that failed at once, nothing is known or to be known."""
    return bool(answer.parts) or answer.usage != Usage()


def _sum(first: int | None, second: int | None) -> int | None:
    known = [number for number in (first, second) if number is not None]
    return sum(known) if known else None


def short_count(tokens: int | None) -> str:
    """A count in few characters: ``812``, ``12.4k``, ``1.3M``, and ``?`` for an unknown one."""
    if tokens is None:
        return "?"
    if tokens < 1_000:
        return str(tokens)
    if tokens < 999_950:
        return f"{tokens / 1_000:.1f}k"
    return f"{tokens / 1_000_000:.1f}M"


def dollars(amount: float) -> str:
    """US dollars: whole cents, and below one cent two figures that say something (``$0.0041``)."""
    if amount >= _CENT or amount <= 0:
        return f"${amount:,.2f}"
    figures = next(places for places in range(3, 20) if round(amount, places) * 10**places >= 10 or places == 19)
    return f"${amount:.{figures}f}"


def by_model(messages: Iterable[Message]) -> dict[str, Totals]:
    """What each model has used in a conversation, in the order in which they first answered."""
    totals: dict[str, Totals] = {}
    for message in messages:
        if isinstance(message, Assistant) and has_cost(message):
            totals[message.model] = totals.get(message.model, Totals()).plus(message.usage)
    return totals


def usage_table(messages: Iterable[Message]) -> str:
    """A conversation's use as a table in Markdown: a row for each model, and one for all if there are several."""
    totals = by_model(messages)
    if not totals:
        return "Nothing has been asked in this session yet."
    head = "| model | requests | in | cached | out | reasoning | cost |\n|---|--:|--:|--:|--:|--:|--:|"
    return "\n".join((head, *_rows(totals)))


def _rows(totals: dict[str, Totals]) -> Iterator[str]:
    for model, used in totals.items():
        yield _row(plain(model) or "unknown", used)
    if len(totals) > 1:
        yield _row("together", together(totals.values()))


def together(totals: Iterable[Totals]) -> Totals:
    """Several totals as one. How full the window is is no sum: it is not in it."""
    whole = Totals()
    for used in totals:
        whole = Totals(
            sent=_sum(whole.sent, used.sent),
            cached=_sum(whole.cached, used.cached),
            received=_sum(whole.received, used.received),
            reasoning=_sum(whole.reasoning, used.reasoning),
            cost=whole.cost + used.cost,
            answers=whole.answers + used.answers,
            unpriced=whole.unpriced + used.unpriced,
        )
    return whole


def _row(name: str, used: Totals) -> str:
    counts = (used.sent, used.cached, used.received, used.reasoning)
    shown = (str(used.answers), *map(short_count, counts), used.price or "$0")
    return f"| {name} | {' | '.join(shown)} |"
