"""An extension that registers one of everything."""

EVERYTHING = """\
import asyncio
from msgspec import Struct
from panto import AppStop, Command, Key, Reply, Subcommand, Tool, ToolResult, TurnEnd

class Nothing(Struct):
    pass

async def run(arguments, context):
    return Reply("done")

async def say(arguments):
    return "said"

async def press():
    return None

async def answer(arguments, say):
    return 0

async def activate(host):
    host.on(ToolResult, lambda event: None, tool="std.read")
    host.on(AppStop, lambda event: None)
    await asyncio.sleep(0)
    host.watch(TurnEnd, lambda event: None)
    host.add_tool(Tool(host.id, "A tool.", Nothing, run))
    host.add_command(Command(host.id, "A command.", say))
    host.add_key(Key("ctrl+y", "A key.", press))
    host.add_panel("A panel").show("Something")
    host.add_subcommand(Subcommand(host.id, "A subcommand.", lambda parser: None, answer))
    host.start(asyncio.Event().wait(), name="waiting")
"""
"""Its code."""
