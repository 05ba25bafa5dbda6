"""Skills on the disk, and their use as the loop would use them."""

from pathlib import Path

from panto import Reply, ToolCall, ToolContext
from tests.support.extension_host import Stage


def put_skill(
    directory: Path, name: str, description: str = "What it does.", body: str = "Do it.\n", more: str = ""
) -> Path:
    """Write a skill into a directory, with more lines of front matter if wanted, and give its file."""
    file = directory / "SKILL.md"
    directory.mkdir(parents=True, exist_ok=True)
    front = f"name: {name}\ndescription: {description}\n{more}"
    file.write_text(f"---\n{front.rstrip()}\n---\n{body}", encoding="utf-8")
    return file


async def call(stage: Stage, name: str, project: Path) -> Reply:
    """Call the tool as the loop would."""
    tool = stage.shell.tools.get("agent.skill")
    assert tool is not None

    async def no_environment(_command: str) -> dict[str, str]:
        return {}

    async def no_change(_path: Path, _change: str) -> None:
        return None

    made = ToolCall("1", "agent.skill", {"name": name})
    context = ToolContext(made, "s", project, lambda _text: None, no_environment, no_change)
    return await tool.run(tool.arguments(made.arguments), context)
