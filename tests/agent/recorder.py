"""Tools that say what they were run with."""

from collections.abc import Iterable
from pathlib import Path

from msgspec import Struct

from panto.json_values import JSONObject
from panto.messages import ToolCall
from panto.tools import Need, Reply, Tool, ToolContext
from tests.agent.stage import Stage, say


class Place(Struct):
    """Arguments that are checked."""

    path: str
    limit: int = 10


class Recorder:
    """A tool that records what it was run with, and needs to write what it is given as ``path``."""

    def __init__(self, stage: Stage, name: str = "t.write") -> None:
        self.runs: list[JSONObject] = []
        stage.tools.add(
            Tool(name, "Write.", {"type": "object"}, self.run, self.needs, lambda given: f"{given['path']}")
        )

    def needs(self, arguments: JSONObject, context: ToolContext) -> Iterable[Need]:
        """One need: to write there."""
        return [Need("fs.write", str(context.resolve(str(arguments["path"]))))]

    async def run(self, arguments: JSONObject, _context: ToolContext) -> Reply:
        """Record."""
        self.runs.append(arguments)
        return Reply(f"wrote {arguments['path']}", paths=(Path("/x"),))


async def one(stage: Stage, name: str, **arguments: object) -> str:
    """Have one call made; the text of its result."""
    end = await stage.turn("go", say(calls=[ToolCall("c1", name, arguments)]), say("Well."))
    assert end.reason == "done", end
    assert stage.every_call_has_its_result()
    return stage.results["c1"].text
