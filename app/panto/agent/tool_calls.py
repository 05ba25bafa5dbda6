"""From a model's tool calls to their results: check, gate, run, hand to the extensions, store."""

import asyncio
import logging
import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from panto.agent.conversation import Conversation
from panto.agent.outputs import bounded, not_run, refused, stopped, unknown_tool
from panto.bus import Bus
from panto.events import FileChanged, ShellEnv, ToolCallEvent, ToolEnd, ToolProgress, ToolResult, ToolStart
from panto.messages import Tool as ToolMessage, ToolCall, ToolOutput
from panto.permissions.approval import ApprovalRequest, Approve
from panto.permissions.gate import Gate, Judgement, strictest
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

    def __init__(
        self, bus: Bus, tools: ToolBox, gate: Gate, approve: Approve, conversation: Conversation, project: Path
    ) -> None:
        self._bus = bus
        self._tools = tools
        self._gate = gate
        self._approve = approve
        self._conversation = conversation
        self._project = project

    async def run(self, calls: Sequence[ToolCall]) -> None:
        """Run calls; each result is stored as it comes.

        Calls that only read run at the same time. One that may change something waits for those before it, and those
        after it wait for it, so that the order the model meant is the order in which things happen. When cancelled,
        every call that has no result gets one that says so.
        """
        unanswered = {call.id: call for call in calls}
        try:
            for batch in self._batches(calls):
                async with asyncio.TaskGroup() as group:
                    for item in batch:
                        group.create_task(self._answer(item, unanswered))
        except asyncio.CancelledError:
            for call in tuple(unanswered.values()):
                await self._store(call, stopped(call, running=False), unanswered)
            raise

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
            return refused(call, f"{call.name} failed: {type(error).__name__}: {error}")

    async def _answer(self, item: _Prepared | ToolOutput, unanswered: dict[str, ToolCall]) -> None:
        if isinstance(item, ToolOutput):
            call = unanswered[item.call_id]
            self._bus.tell(ToolStart(self._conversation.id, call, "", "running"))
            await self._store(call, await self._through_extensions(call, item, ()), unanswered)
            return
        self._bus.tell(ToolStart(self._conversation.id, item.call, item.summary, "waiting"))
        try:
            allowed = await self._gated(item)
            if isinstance(allowed, ToolOutput):
                output, paths = allowed, ()
            else:
                self._bus.tell(ToolStart(self._conversation.id, allowed.call, allowed.summary, "running"))
                output, paths = await _run(allowed)
            output = await self._through_extensions(item.call, output, paths)
        except asyncio.CancelledError:
            await self._store(item.call, stopped(item.call, running=True), unanswered)
            raise
        await self._store(item.call, output, unanswered)

    async def _gated(self, item: _Prepared) -> _Prepared | ToolOutput:
        """Let extensions and the gate judge a call, and the user where they must: the call to run, or its refusal."""
        event = await self._bus.emit(ToolCallEvent(self._conversation.id, item.call, dict(item.call.arguments)))
        if event.arguments != item.call.arguments:
            changed = self._prepare(ToolCall(item.call.id, item.call.name, event.arguments, item.call.opaque))
            if isinstance(changed, ToolOutput):
                return changed
            item = changed
        judgement = strictest((Judgement(*event.verdict), self._gate.judge(item.needs)))
        if judgement.verdict == "deny":
            return refused(item.call, f"Denied: {judgement.why}.")
        if judgement.verdict == "ask":
            return await self._ask(item, judgement.why)
        return item

    async def _ask(self, item: _Prepared, why: str) -> _Prepared | ToolOutput:
        approval = await self._approve(ApprovalRequest(item.call, item.summary, item.needs, why))
        if approval.verdict == "no":
            said = f" and says: {approval.reason}" if approval.reason else ""
            return refused(item.call, f"The user does not want this to run{said}.")
        if approval.verdict == "always":
            self._gate.grant(item.needs)
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
        return ToolOutput(
            call_id=call.id,
            name=call.name,
            text=bounded(event.output),
            images=output.images,
            is_error=event.is_error,
            shown=None if event.output == output.text else bounded(output.text),
            notes=tuple(event.notes),
            summary=output.summary,
            diff=output.diff,
            seconds=output.seconds,
        )

    async def _store(self, call: ToolCall, output: ToolOutput, unanswered: dict[str, ToolCall]) -> None:
        if unanswered.pop(call.id, None) is not None:
            await self._conversation.append(ToolMessage((output,)))
            self._bus.tell(ToolEnd(self._conversation.id, call, output))

    async def _environment(self, command: str) -> Mapping[str, str]:
        event = await self._bus.emit(ShellEnv(command, dict(os.environ)))
        return event.env

    async def _changed(self, path: Path, change: Literal["created", "changed", "deleted"]) -> None:
        await self._bus.emit(FileChanged(path, change))


async def _run(item: _Prepared) -> tuple[ToolOutput, tuple[Path, ...]]:
    """Run one call. Whatever it raises becomes its result; only being cancelled goes through."""
    started = time.monotonic()
    try:
        reply = await item.tool.run(item.arguments, item.context)
    except ToolError as error:
        reply = Reply(str(error), is_error=True)
    except Exception as error:  # a tool is foreign code: its fault is the call's result
        log.exception("%s failed", item.call.name)
        reply = Reply(f"{item.call.name} failed: {type(error).__name__}: {error}", is_error=True)
    output = ToolOutput(
        call_id=item.call.id,
        name=item.call.name,
        text=reply.text,
        images=reply.images,
        is_error=reply.is_error,
        summary=reply.summary,
        diff=reply.diff,
        seconds=time.monotonic() - started,
    )
    return output, reply.paths
