"""The README's picture: the real screen, after a turn against the scripted server.

python -m tests.support.screenshot tests/data/screenshot.svg [panto-light]
"""

import asyncio
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from panto.program import Options
from panto.tui.app import PantoApp
from tests.support.llm_server import Call, LLMServer, Reply, Usage

TOTALS = (
    "def total(items: list[Item]) -> int:\n    result = 0\n    for item in items[:-1]:\n        result += item.price\n"
)
ANSWER = """\
The loop in `src/cart/totals.py:3` stopped **one item early**, so the last item never reached the discount:

```python
for item in items:
    result += item.price
```

`pytest tests/cart` has not been run yet; say so and I will.
"""
SCRIPT = [
    Reply(
        "I'll look at how totals are built.",
        tool_calls=[
            Call("std_read", {"path": "src/cart/totals.py"}),
            Call("std_grep", {"pattern": "total", "path": "src"}),
        ],
        usage=Usage(input=5_200, output=90, cached=3_900),
    ),
    Reply(
        tool_calls=[Call("std_edit", {"path": "src/cart/totals.py", "old": "items[:-1]", "new": "items"})],
        usage=Usage(input=5_900, output=120, cached=5_200),
    ),
    Reply(ANSWER, usage=Usage(input=6_300, output=140, cached=5_900)),
]


def furnish(home: Path, server: LLMServer) -> Path:
    """A home with a config, and a project in git with a file and rules for it."""
    project = home / "src/shop"
    cart = project / "src/cart"
    cart.mkdir(parents=True)
    (cart / "totals.py").write_text(TOTALS)
    (cart / "AGENTS.md").write_text("Prices are whole cents.\n")
    subprocess.run(["git", "init", "-q", "-b", "main", str(project)], check=True)
    config = home / ".config/panto/config.toml"
    config.parent.mkdir(parents=True)
    config.write_text(
        f'model = "work/claude-sonnet-4-5"\n[providers.work]\napi = "anthropic"\nbase_url = "{server.anthropic_url}"\n'
        'api_key = "none"\n[providers.work.models."claude-sonnet-4-5"]\ncontext_window = 20000\n'
    )
    return project


async def picture(project: Path, theme: str, question: str, size: tuple[int, int]) -> str:
    """The screen as SVG, once the question has been answered."""
    app = PantoApp(Options(project, theme=theme))
    async with app.run_test(size=size) as pilot:
        while app.program is None or app.program.session is None:
            await pilot.pause(0.05)
        app.prompt.replace_text(question)
        await pilot.press("enter")
        while len(app.program.session.conversation.messages) < 7 or app.program.session.busy:
            await pilot.pause(0.05)
        await pilot.pause(0.3)
        return app.export_screenshot(title="panto-py")


def main() -> None:
    """Write the picture."""
    target, theme = Path(sys.argv[1]), (sys.argv[2] if len(sys.argv) > 2 else "panto-dark")
    with tempfile.TemporaryDirectory() as directory, LLMServer(SCRIPT, models=("claude-sonnet-4-5",)) as server:
        home = Path(directory)
        for variable in ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"):
            os.environ.pop(variable, None)
        os.environ["HOME"] = directory
        question = "Why does checkout drop the discount on the last item?"
        svg = asyncio.run(picture(furnish(home, server), theme, question, (100, 34)))
    target.write_text(svg, encoding="utf-8")


if __name__ == "__main__":
    main()
