"""From a model's tool calls to their results: check, gate, run, hand to the extensions, store."""

import asyncio
import logging
import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from msgspec import convert, structs

from panto.agent.conversation import Conversation
from panto.agent.outputs import bounded, not_run, refused, stopped, unknown_tool
from panto.bus import Bus, contained, words
from panto.events import FileChanged, ShellEnv, ToolCallEvent, ToolEnd, ToolProgress, ToolResult, ToolStart
from panto.messages import Tool as ToolMessage, ToolCall, ToolOutput
from panto.permissions.gate import Judgement
from panto.permissions.guard import Guard, PermissionDeniedError
from panto.tools import Need, Reply, Tool, ToolBox, ToolContext, ToolError

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class _Prepared:
    """A call whose tool exists and whose arguments are valid."""

    call: ToolCall
    tool: Tool[object]
    arguments: object
    context: ToolContext
    needs: tuple[Need, ...]
    summary: str

    @property
    def may_change_things(self) -> bool:
        return any(need.ability in ("fs.write", "command.run") for need in self.needs)


class ToolRunner:
    """Runs the calls of one conversation."""

    def __init__(self, bus: Bus, tools: ToolBox, guard: Guard, conversation: Conversation, project: Path) -> None:
        self._bus = bus
        self._tools = tools
        self._guard = guard
        self._conversation = conversation
        self._project = project

    async def run(self, calls: Sequence[ToolCall]) -> None:
        """Run calls; each result is stored as it comes.

        Calls that only read run at the same time. One that may change something waits for those before it, and those
        after it wait for it, so that the order the model meant is the order in which things happen. When this is
        cancelled, or fails, every call that has no result gets one that says so.

        Raises `StoreError` if a result can't be stored.
        """
        unanswered = {call.id: call for call in calls}
        try:
            for batch in self._batches(calls):
                await self._run_batch(batch, unanswered)
        except (Exception, asyncio.CancelledError):
            for call in tuple(unanswered.values()):
                await self._store(call, stopped(call, running=False), unanswered)
            raise

    async def _run_batch(self, batch: Sequence[_Prepared | ToolOutput], unanswered: dict[str, ToolCall]) -> None:
        try:
            async with asyncio.TaskGroup() as group:
                for item in batch:
                    group.create_task(self._answer(item, unanswered))
        except BaseExceptionGroup as faults:  # the first of them ended the others
            raise faults.exceptions[0] from None

    def _batches(self, calls: Sequence[ToolCall]) -> list[list[_Prepared | ToolOutput]]:
        batches: list[list[_Prepared | ToolOutput]] = [[]]
        for call in calls:
            item = self._prepare(call)
            if isinstance(item, _Prepared) and item.may_change_things:
                batches.append([item])
                batches.append([])
            else:
                batches[-1].append(item)
        return [batch for batch in batches if batch]

    def _prepare(self, call: ToolCall) -> _Prepared | ToolOutput:
        """Check a call; what comes back for one that can't run is its result."""
        if call.problem:
            return not_run(call)
        tool = self._tools.get(call.name)
        if tool is None:
            return unknown_tool(call, self._tools)
        context = ToolContext(
            call=call,
            session=self._conversation.id,
            project=self._project,
            progress=lambda text: self._bus.tell(ToolProgress(self._conversation.id, call, text)),
            environment=self._environment,
            changed=self._changed,
        )
        try:
            arguments = tool.arguments(call.arguments)
            return _Prepared(
                call, tool, arguments, context, tuple(tool.needs(arguments, context)), tool.summarise(arguments)
            )
        except ToolError as error:
            return refused(call, str(error))
        except Exception as error:  # a tool is foreign code: its fault is the call's result
            log.exception("%s could not prepare a call", call.name)
            return refused(call, f"{call.name} failed: {words(error)}")

    async def _answer(self, item: _Prepared | ToolOutput, unanswered: dict[str, ToolCall]) -> None:
        """Give a call its result: as good a one as there is when this is cancelled or fails."""
        call = unanswered[item.call_id] if isinstance(item, ToolOutput) else item.call
        output, paths = stopped(call, running=False), ()
        try:
            allowed = await self._admitted(call, item)
            if isinstance(allowed, ToolOutput):
                output = allowed
            else:
                call = allowed.call
                output = stopped(call, running=True)
                output, paths = await _run(allowed)
            output = await self._through_extensions(call, output, paths)
        finally:
            await self._store(call, output, unanswered)

    async def _admitted(self, call: ToolCall, item: _Prepared | ToolOutput) -> _Prepared | ToolOutput:
        """The call to run, or the result of one that must not, with the screen told how far it is."""
        if isinstance(item, ToolOutput):
            self._bus.tell(ToolStart(self._conversation.id, call, "", "running"))
            return item
        self._bus.tell(ToolStart(self._conversation.id, call, item.summary, "waiting"))
        allowed = await self._gated(item)
        if isinstance(allowed, _Prepared):
            self._bus.tell(ToolStart(self._conversation.id, allowed.call, allowed.summary, "running"))
        return allowed

    async def _gated(self, item: _Prepared) -> _Prepared | ToolOutput:
        """Let extensions and the gate judge a call, and the user where they must: the call to run, or its refusal."""
        event = await self._bus.emit(
            ToolCallEvent(self._conversation.id, item.call, item.needs, dict(item.call.arguments))
        )
        if event.arguments != item.call.arguments:
            changed = self._prepare(ToolCall(item.call.id, item.call.name, event.arguments, item.call.opaque))
            if isinstance(changed, ToolOutput):
                return changed
            item = changed
        try:
            await self._guard.permit(
                item.needs,
                title=item.call.name,
                summary=item.summary,
                opinion=Judgement(*event.verdict),
                granted=event.granted,
            )
        except PermissionDeniedError as error:
            return refused(item.call, str(error))
        return item

    async def _through_extensions(self, call: ToolCall, output: ToolOutput, paths: tuple[Path, ...]) -> ToolOutput:
        event = await self._bus.emit(
            ToolResult(
                session=self._conversation.id,
                call=call,
                paths=paths,
                shown=output.text,
                output=output.text,
                notes=[],
                is_error=output.is_error,
            )
        )
        return structs.replace(
            output,
            text=event.output,
            is_error=event.is_error,
            shown=None if event.output == output.text else output.text,
            notes=tuple(event.notes),
        )

    async def _store(self, call: ToolCall, output: ToolOutput, unanswered: dict[str, ToolCall]) -> None:
        if unanswered.pop(call.id, None) is None:
            return
        shown = None if output.shown is None else bounded(output.shown)
        output = structs.replace(output, text=bounded(output.text), shown=shown)
        told = ToolEnd(self._conversation.id, call, output)
        await self._conversation.append(ToolMessage((output,)), lambda: self._bus.tell(told))

    async def _environment(self, command: str) -> Mapping[str, str]:
        event = await self._bus.emit(ShellEnv(command, dict(os.environ)))
        return event.env

    async def _changed(self, path: Path, change: Literal["created", "changed", "deleted"]) -> None:
        await self._bus.emit(FileChanged(path, change))


async def _run(item: _Prepared) -> tuple[ToolOutput, tuple[Path, ...]]:
    """Run one call. Whatever it raises becomes its result; only being cancelled goes through."""
    started = time.monotonic()
    try:
        with contained():
            reply = await item.tool.run(item.arguments, item.context)
        output = _output(item.call, reply)
    except ToolError as error:
        reply, output = Reply(""), refused(item.call, str(error))
    except Exception as error:  # a tool is foreign code: its fault is the call's result
        log.exception("%s failed", item.call.name)
        reply, output = Reply(""), refused(item.call, f"{item.call.name} failed: {words(error)}")
    return structs.replace(output, seconds=time.monotonic() - started), reply.paths


def _output(call: ToolCall, reply: object) -> ToolOutput:
    """A reply as a result. Raises an `Exception` for what a tool should not answer."""
    if not isinstance(reply, Reply):
        raise TypeError(f"it answered {type(reply).__name__}, not Reply")
    said = {name: getattr(reply, name) for name in ("text", "images", "is_error", "summary", "diff")}
    return convert({"call_id": call.id, "name": call.name, **said}, ToolOutput)
