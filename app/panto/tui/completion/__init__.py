"""The list of slash commands above the prompt: what matches the word being typed, and what keys do with it."""

from panto.tui.completion.command_list import CommandList
from panto.tui.completion.completion import Completion

__all__ = ["CommandList", "Completion"]
