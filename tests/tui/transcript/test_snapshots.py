"""Every kind of entry, dark and light, wide and narrow, as a picture."""

from typing import Protocol

import pytest
from textual.app import App, ComposeResult

from panto.tui.palette import built_in_palettes
from panto.tui.transcript import (
    AnswerEntry,
    ErrorEntry,
    NoticeEntry,
    RetryEntry,
    TextEntry,
    ThinkingEntry,
    ToolEntry,
    Transcript,
    TurnEndEntry,
    UserEntry,
)


class SnapCompare(Protocol):
    """The fixture that compares an app's picture with the one that was approved."""

    def __call__(self, app: App[None], *, terminal_size: tuple[int, int]) -> bool:
        """Whether they are the same."""
        ...


DIFF = """@@ -39,5 +39,5 @@
 def total(items):
     total = 0
-    for item in items[:-1]:
+    for item in items:
         total += item.price"""

OUTPUT = "\n".join(f"line {number} of the output" for number in range(9))
LONG = "uv run pytest tests/cart -q --maxfail=3 --tb=short -x tests/cart/test_totals.py tests/cart/test_discount.py"

MARKDOWN = """The **discount** is in `apply_discount`, *then* ~~never~~ in [the cart](https://example.com/cart).

# One
## Two, with `code`
### Three

1. First, read it:
   ```python
   def total(items: list[Item]) -> int:
       return sum(item.price for item in items)  # all
   ```
2. Then change it
   - a long line that has to be wrapped, for it does not fit into sixty columns
     - deeper
3. Done

- [x] finished
- [ ] open

> A quote, long enough to be wrapped into more than one row on a narrow screen.
>
> > nested

| Name | 日本語 | Price | Note |
|:-----|:------:|------:|------|
| apple | りんご | 1.20 | a **bold** note, long enough to wrap in its cell |
| pear | 梨 | 12.00 | `code` |

---

$a_b * c_d$ and <b>text</b> &amp; [/red] and a footnote[^1].

[^1]: The footnote."""


class Picture(App[None]):
    """A transcript with nothing around it."""

    CSS = "Screen { background: $background; } Transcript { height: 1fr; background: $background; }"

    def __init__(self, theme: str) -> None:
        super().__init__()
        for palette in built_in_palettes().values():
            self.register_theme(palette.theme())
        self.theme = theme

    def compose(self) -> ComposeResult:
        """The transcript alone."""
        yield Transcript()

    @property
    def transcript(self) -> Transcript:
        """The transcript."""
        return self.query_one(Transcript)


class Said(Picture):
    """What is said and told: by the user, the model, a command and the program itself."""

    def on_mount(self) -> None:
        """Add it."""
        add = self.transcript.add
        add(
            UserEntry("Why does checkout drop the discount on the last item?\nIt used to work [/red]. \x1b[31m\u202eno")
        )
        add(ThinkingEntry("Let me see.\nThe totals.", done=True, seconds=4.2))
        add(ThinkingEntry("Let me see.\nThe totals.", done=True, seconds=61)).set_folded(False)
        add(ThinkingEntry("The loop leaves one out, so whatever comes last never reaches the discount."))
        add(TextEntry("**Keys**\n\n- `Esc`: stop"))
        add(NoticeEntry("The mode is plan now."))
        add(NoticeEntry("config.toml, line 3: unknown key 'modle'", "warning", "did you mean 'model'?"))
        retries = [add(RetryEntry(lambda: 0.0)) for _ in range(3)]
        for retry in retries:
            retry.wait("429: the server asks for fewer requests", 8, 2, 5)
        retries[1].settle("answered after")
        retries[2].fail("The server is overloaded.", "Try another model with /model.")
        add(ErrorEntry("The key was refused.", "Set another with panto-py auth."))
        add(TurnEndEntry("12 s  12.4k in  1.1k out"))


class Calls(Picture):
    """A call in every state, with its output folded."""

    def on_mount(self) -> None:
        """Add them."""
        tool = ("std.read", "std.edit", "std.shell", "std.shell", "std.shell", "std.read", "std.shell", "x.y.search")
        add = self.transcript.add
        calls = [add(ToolEntry(name, "src/cart/totals.py", quiet=name == "std.read")) for name in tool]
        read, edit, done, failed, stopped, missing, running, waiting = calls
        read.finish("done", "", result="1-148", notes=["+ rules: src/cart/AGENTS.md"])
        edit.finish("done", "", result="+1 -1", diff=DIFF)
        done.finish("done", OUTPUT, seconds=2.4)
        failed.finish("failed", OUTPUT, result="exit code 1", seconds=75)
        stopped.finish("stopped", "")
        missing.finish("failed", "src/cart/totals.py is not there")
        running.update("running", LONG)
        running.progress("....F.\n...\x1b[31m")
        running.elapsed(3)
        waiting.update("waiting", LONG)


class Unfolded(Picture):
    """Calls with all that there is to them."""

    def on_mount(self) -> None:
        """Add them."""
        add = self.transcript.add
        read, edit, failed = (
            add(ToolEntry(name, "src/cart/totals.py")) for name in ("std.read", "std.edit", "std.shell")
        )
        read.finish("done", "def total():\n\treturn 0\n", result="1-148", notes=["+ rules: src/cart/AGENTS.md"])
        edit.finish("done", "", result="+1 -1", diff=DIFF)
        failed.update("running", LONG + "\ngit status")
        failed.finish("failed", OUTPUT, result="exit code 1", seconds=75)
        for call in (read, edit, failed):
            call.set_folded(False)


class Markdown(Picture):
    """An answer with about everything in it."""

    def on_mount(self) -> None:
        """Add it."""
        answer = self.transcript.add(AnswerEntry(MARKDOWN))
        answer.finish()


@pytest.mark.parametrize("theme", ["panto-dark", "panto-light"])
@pytest.mark.parametrize(("columns", "rows"), [(60, 44), (100, 40), (160, 40)])
@pytest.mark.parametrize("picture", [Said, Calls, Unfolded, Markdown])
def test_the_picture(snap_compare: SnapCompare, picture: type[Picture], columns: int, rows: int, theme: str) -> None:
    assert snap_compare(picture(theme), terminal_size=(columns, rows))
