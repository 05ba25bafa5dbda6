"""The pane beside the list: all there is to know about the chosen extension."""

from collections.abc import Iterator

from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Static

from panto.config.diagnostics import short_path
from panto.loader import Facts
from panto.tui.extensions.rows import MARKS
from panto.tui.safe_text import safe_line, safe_text, wrap_text

_LABEL = 12
"""Columns of the labels at the left."""
_NUMBER = 10
_SHORTEST_VALUE = 8

UNTRUSTED = (
    "This project brings it, and what a project brings is not run. If you trust it, name its directory in "
    "[extensions] paths of your own config.toml."
)


class DetailPane(VerticalScroll, can_focus=False):
    """Shows one extension, wrapped to its own width."""

    def __init__(self) -> None:
        super().__init__(id="extensions-detail")
        self._found: Facts | None = None

    def compose(self) -> ComposeResult:
        """One text."""
        yield Static()

    def show(self, found: Facts | None) -> None:
        """Show another one, from its beginning; or the same one as it is now, where it is."""
        same = found is not None and self._found is not None and found.id == self._found.id
        self._found = found
        self._render_facts()
        if not same:
            self.scroll_home(animate=False)

    def on_resize(self) -> None:
        """Wrap anew."""
        self._render_facts()

    def _render_facts(self) -> None:
        width = self.scrollable_content_region.width
        if width > 0:
            self.query_one(Static).update(Content() if self._found is None else detail(self._found, width))


def detail(found: Facts, width: int) -> Content:
    """An extension's facts as lines of at most that width."""
    return Content("\n").join(_lines(found, width))


def _lines(found: Facts, width: int) -> Iterator[Content]:
    mark, colour = MARKS[found.state]
    yield Content.assemble((f"{mark} ", colour), (safe_line(found.id), "bold"))
    yield Content()
    yield from _labelled("state", found.state, width, colour)
    if found.state == "broken":
        yield from _labelled("why", found.why, width, colour)
    elif found.state == "untrusted":
        yield from _labelled("why", UNTRUSTED, width)
    yield from _labelled("layer", found.layer, width)
    yield from _labelled("file", short_path(found.file), width)
    yield from _labelled("policy", f"{found.policy} ({found.policy_origin})", width)
    yield from _registered(found, width)
    if found.timings:
        yield Content()
        yield from _timings(found, width)
    if found.errors:
        yield Content()
        is_why = found.state == "broken" and found.last_error.endswith(found.why)
        text = str(found.errors) if is_why else f"{found.errors}, the last one:\n{found.last_error}"
        yield from _labelled("errors", text, width, "$error")


def _registered(found: Facts, width: int) -> Iterator[Content]:
    """A line for each kind of thing: the kind, and the names."""
    names: dict[str, list[str]] = {}
    for thing in found.registered:
        names.setdefault(thing.kind, []).append(thing.name)
    label = "registered"
    for kind, of_kind in names.items():
        yield from _labelled(label, f"{kind}: {', '.join(dict.fromkeys(of_kind))}", width)
        label = ""


def _timings(found: Facts, width: int) -> Iterator[Content]:
    """A table: the event, how often, milliseconds in all and for one call."""
    names = max(_LABEL, min(max(map(len, found.timings)) + 2, width - 3 * _NUMBER))
    yield Content.styled(f"{'time':<{names}}{'calls':>{_NUMBER}}{'total':>{_NUMBER}}{'mean':>{_NUMBER}}", "$muted")
    for event, cost in found.timings.items():
        numbers = f"{cost.calls:>{_NUMBER}}{_ms(cost.total_ms):>{_NUMBER}}{_ms(cost.mean_ms):>{_NUMBER}}"
        yield Content.assemble((f"{safe_line(event):<{names}}", ""), (numbers, ""))


def _ms(milliseconds: float) -> str:
    return f"{milliseconds:.1f} ms" if milliseconds < 1_000 else f"{milliseconds:,.0f} ms"


def _labelled(label: str, text: str, width: int, style: str = "") -> Iterator[Content]:
    """A text that may come from outside, wrapped beside its label."""
    rows = wrap_text(safe_text(text), max(_SHORTEST_VALUE, width - _LABEL))
    for number, wrapped in enumerate(rows):
        yield Content.assemble((f"{label if number == 0 else '':<{_LABEL}}", "$muted"), (wrapped, style))
