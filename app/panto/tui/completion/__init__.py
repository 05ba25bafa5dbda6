"""The list above the prompt: what the word being typed may become, and what keys do with it."""

from panto.tui.completion.choice import Choice, Source, Word
from panto.tui.completion.command_list import CommandList
from panto.tui.completion.completion import Completion

__all__ = ["Choice", "CommandList", "Completion", "Source", "Word"]
