"""All the wire formats that the server speaks, unless a test wants fewer."""

from tests.support.llm.anthropic.format import Anthropic
from tests.support.llm.bedrock.format import Bedrock
from tests.support.llm.gemini.format import Gemini
from tests.support.llm.ollama.format import Ollama
from tests.support.llm.openai_chat.format import OpenAIChat
from tests.support.llm.openai_responses.format import OpenAIResponses
from tests.support.llm.wire import WireFormat

ALL: tuple[WireFormat, ...] = (
    OpenAIChat(),
    OpenAIResponses(),
    Gemini(),
    Ollama(),
    Bedrock(),
    Anthropic(),
)
