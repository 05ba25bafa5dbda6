"""All the wire formats that the server speaks, unless a test wants fewer."""

from tests.support.llm.anthropic.format import Anthropic
from tests.support.llm.openai_chat.format import OpenAIChat
from tests.support.llm.wire import WireFormat

ALL: tuple[WireFormat, ...] = (
    OpenAIChat(),
    Anthropic(),
)
