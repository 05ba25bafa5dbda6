"""The wire formats, by the name that config has for them."""

from panto.llm import anthropic, openai_chat
from panto.llm.wire import WireFormat

FORMATS: dict[str, WireFormat] = {
    "openai-chat": openai_chat.encode,
    "anthropic": anthropic.encode,
}
