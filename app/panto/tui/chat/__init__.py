"""The transcript of the conversation: to be scrolled, selected from, copied, searched, and walked through."""

from panto.tui.chat.box import ChatBox
from panto.tui.chat.widget import Chat

__all__ = ["Chat", "ChatBox"]
