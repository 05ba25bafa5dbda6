"""What the demo model answers, from the messages of a request alone: it keeps nothing in mind between two of them."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from panto.json_values import JSONObject, array_at, is_object, object_at, text_at
from panto.llm.demo.commands import BY_TOOL, COMMANDS, Incomplete, Understood, understand
from panto.llm.formats.openai_chat.request import ERROR
from panto.llm.json_text import from_json

INTRODUCTION = "I am the built-in demo, not a language model: I only follow a few plain requests, with real tools."
READ = "std_read"
_EXCERPT = 12
_RULES = re.compile(r"\n-{3,}\s*\ncontext from .+?:\n", re.DOTALL)
"""Where a tool's own output ends and rules that came with it begin: those are for a model, not for its answer."""


@dataclass(frozen=True)
class DemoReply:
    """An answer: text, and maybe calls of tools, each with its arguments."""

    text: str
    calls: tuple[tuple[str, JSONObject], ...] = ()


def reply_to(body: JSONObject) -> DemoReply:
    """The answer to a chat completion's request."""
    messages = [message for message in array_at(body, "messages") if is_object(message)]
    place = next((place for place, message in _backwards(messages) if text_at(message, "role") == "assistant"), -1)
    said = messages[place + 1 :]
    texts = [_text(message) for message in said if text_at(message, "role") == "user"]
    results = {
        text_at(message, "tool_call_id"): _text(message) for message in said if text_at(message, "role") == "tool"
    }
    understood = next(filter(None, map(understand, texts)), None)
    if results and understood is None:
        return DemoReply("\n\n".join(_told(call, results) for call in _worth_telling(messages[place])))
    offered = {text_at(tool, "function", "name") for tool in array_at(body, "tools")}
    return _begun(understood, offered, is_first=place < 0)


def _backwards(messages: Sequence[JSONObject]) -> list[tuple[int, JSONObject]]:
    return list(enumerate(messages))[::-1]


def _text(message: JSONObject) -> str:
    content = message.get("content")
    if isinstance(content, str):
        return content
    return "\n".join(filter(None, (text_at(part, "text") for part in array_at(message, "content"))))


def _begun(understood: Understood | Incomplete | None, offered: set[str], *, is_first: bool) -> DemoReply:
    """The answer to something the user said: a call, or words."""
    introduction = f"{INTRODUCTION}\n\n" if is_first else ""
    match understood:
        case None:
            return DemoReply(_help())
        case Incomplete(command):
            return DemoReply(f"{introduction}Please write it as `{command.form}`.")
        case Understood(command, arguments) if command.tool in offered:
            subject = arguments.get("path") or arguments.get("pattern") or arguments.get("command") or "."
            text = f"{introduction}{command.doing} {_code(str(subject))}."
            before = ((READ, {"path": arguments["path"]}),) if command.reads_first and READ in offered else ()
            return DemoReply(text, (*before, (command.tool, arguments)))
        case Understood(command, _):
            name = command.tool.replace("_", ".", 1)
            why = "it is switched off, or not there in this mode."
            return DemoReply(f"{introduction}For `{command.word}` I need the tool `{name}`, and I don't have it: {why}")


def _help() -> str:
    lines = [INTRODUCTION, "", "Try one of these:", ""]
    lines += [f"- `{command.form}` {command.does}" for command in COMMANDS]
    lines += ["- `help` shows this list", "", "For a real model, set one up in the config, or choose it with `/model`."]
    return "\n".join(lines)


def _worth_telling(message: JSONObject) -> list[object]:
    """The calls of an answer, without the reading that only comes before another."""
    calls = array_at(message, "tool_calls")
    last = BY_TOOL.get(text_at(calls, -1, "function", "name"))
    return calls[-1:] if last is not None and last.reads_first else calls


def _told(call: object, results: dict[str, str]) -> str:
    """What came of a call, in Markdown."""
    result = results.get(text_at(call, "id"), "")
    command = BY_TOOL.get(text_at(call, "function", "name"))
    own, *rules = _RULES.split(result)
    if command is None:
        return f"That gave:\n\n{_fenced(own)}"
    if own.startswith(ERROR):
        return f"That did not work:\n\n{_fenced(own)}\n\nThe form is `{command.form}`; `help` shows the others."
    subject = _code(str(_arguments(call).get("path") or _arguments(call).get("pattern") or "."))
    heading = command.done.format(subject=subject, count=_counted(len(own.splitlines()), "line"))
    along = f"\n\n{_counted(len(rules), 'rules file')} came along for the model." if rules else ""
    return f"{heading}\n\n{_fenced(own)}{along}\n\n{command.next_step}"


def _counted(count: int, thing: str) -> str:
    return f"1 {thing}" if count == 1 else f"{count} {thing}s"


def _arguments(call: object) -> JSONObject:
    try:
        return object_at(from_json(text_at(call, "function", "arguments").encode()))
    except ValueError:
        return {}


def _fenced(text: str) -> str:
    """The beginning of a text as a code block that nothing in it can end."""
    lines = text.splitlines()
    more = len(lines) - _EXCERPT
    shown = lines[:_EXCERPT] + ([f"... and {more} more"] if more > 0 else [])
    fence = "`" * max([3, *(len(run) + 1 for run in re.findall(r"`{3,}", text))])
    return "\n".join([f"{fence}text", *shown, fence])


def _code(text: str) -> str:
    """A text as code within a line."""
    line = " ".join(text.split())[:200]
    ticks = "`" * max([1, *(len(run) + 1 for run in re.findall(r"`+", line))])
    space = " " if "`" in line else ""
    return f"{ticks}{space}{line}{space}{ticks}"
