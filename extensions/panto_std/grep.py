"""std.grep: lines of files that match a pattern."""

import asyncio
from typing import Annotated

from msgspec import Meta, Struct

from panto import Host, Need, ProcessResult, Reply, Tool, ToolContext, ToolError

from ._files import is_directory
from ._matches import Matches
from ._names import located, plural, printable, shown
from ._pattern import expanded, matcher
from ._ripgrep import SECONDS, Records, ripgrep

LIMIT = 100
MOST = 1000
_CONTEXT_LINES = 10
_LINE_BYTES = 400


class Arguments(Struct):
    """What to look for, and where."""

    pattern: Annotated[str, Meta(description="A regular expression, in Rust's syntax (as ripgrep).")]
    path: Annotated[str, Meta(description="The file or directory, relative to the project or absolute.")] = "."
    glob: Annotated[str, Meta(description="Only files whose path matches, such as *.py or src/**/*.{js,ts}.")] = ""
    literal: Annotated[bool, Meta(description="Take the pattern as plain text.")] = False
    ignore_case: bool = False
    context: Annotated[int, Meta(ge=0, description=f"Lines to show around each match, {_CONTEXT_LINES} at most.")] = 0
    limit: Annotated[int, Meta(ge=1, description=f"How many matching lines to show, {MOST} at most.")] = LIMIT


def activate(host: Host) -> None:
    """Offer the tool."""
    host.add_tool(
        Tool(
            name="std.grep",
            description=(
                "Search files for a regular expression. Shows matching lines with their numbers, by file, and counts "
                "all of them. What .gitignore leaves out and binary files are left out."
            ),
            parameters=Arguments,
            run=_grep,
            needs=lambda arguments, context: [Need("fs.read", str(located(context.resolve(arguments.path))))],
            summarise=_summary,
        )
    )


def _summary(arguments: Arguments) -> str:
    places = [place for place in (arguments.glob, arguments.path) if place not in ("", ".")]
    return printable(" in ".join([arguments.pattern, *places]))


async def _grep(arguments: Arguments, context: ToolContext) -> Reply:
    if not arguments.pattern:
        raise ToolError("pattern is empty, so every line would match; std.read reads files, std.glob finds them")
    path = await asyncio.to_thread(located, context.resolve(arguments.path))
    directory = path if await asyncio.to_thread(is_directory, path, context.project) else path.parent
    found = Matches(
        matcher(arguments.glob or "*"),
        shown=lambda name: shown(directory / name, context.project),
        limit=min(arguments.limit, MOST),
    )
    target = "./" if path == directory else f"./{path.name}"
    result = await ripgrep(_options(arguments, target), directory, Records(b"\n", found.take).feed)
    if result.exit_code not in (0, 1) and not result.timed_out and not found.matches:
        raise ToolError(_trouble(result))
    return Reply("\n".join([*found.lines(), *_notes(found, result)]), found.summary, paths=(path,))


def _options(arguments: Arguments, target: str) -> list[str]:
    options = ["--line-number", "--with-filename", "--no-heading", "--sort=path", "--max-columns-preview"]
    options.append(f"--max-columns={_LINE_BYTES}")
    options.append(f"--context={min(arguments.context, _CONTEXT_LINES)}")
    if arguments.literal:
        options.append("--fixed-strings")
    if arguments.ignore_case:
        options.append("--ignore-case")
    if "\n" in arguments.pattern or ("\\n" in arguments.pattern and not arguments.literal):
        options.append("--multiline")
    return [*options, *_narrowed(arguments.glob), f"--regexp={arguments.pattern}", "--", target]


def _narrowed(glob: str) -> list[str]:
    """Spare ripgrep files whose name can't match. By type, since its globs would search ignored files too."""
    names = {pattern.rpartition("/")[2] for pattern in expanded(glob)}
    if glob.startswith("!") or names & {"", "**"}:
        return []
    return [*(f"--type-add=wanted:{name}" for name in sorted(names)), "--type=wanted"]


def _trouble(result: ProcessResult) -> str:
    message = result.output.text.strip() or f"ripgrep ended with {result.exit_code or result.signal}"
    return f"{message}\nThe pattern is a regular expression in Rust's syntax; with literal it is plain text"


def _notes(found: Matches, result: ProcessResult) -> list[str]:
    notes: list[str] = []
    if found.hidden:
        notes.append(
            f"[{found.shown_matches:,} of {plural(found.matches, 'match', 'matches')} shown; "
            "a narrower pattern, path or glob shows the others]"
        )
    if result.timed_out:
        notes.append(f"[stopped after {SECONDS:g} seconds: there may be more]")
    elif result.exit_code not in (0, 1):
        notes.append("[some files could not be read]")
    return notes
