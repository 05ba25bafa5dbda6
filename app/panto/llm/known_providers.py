"""Providers that come filled in: data, which config can override key by key."""

from dataclasses import dataclass, field

from panto.llm.types import Quirks

_LOCAL_PATIENCE = 600.0
"""Seconds: a model on one's own machine reads a long prompt before it says anything, and is loaded first."""


_TEMPLATE = Quirks(
    thinking_on=("chat_template_kwargs.enable_thinking", True),
    thinking_off=("chat_template_kwargs.enable_thinking", False),
)
"""Servers that hand this on to the model's own chat template."""

BEDROCK_URL = "https://bedrock-runtime.{region}.amazonaws.com"
"""Where Bedrock is: the region is put in when it is known."""


@dataclass(frozen=True)
class Known:
    """A provider.

    ``address_variables``, for another address than ``base_url``, and ``key_variables`` are looked for in this order.
    ``own_address`` is what an address looks like where each user has one of their own, and ``base_url`` is empty.
    ``get_key`` is where a key can be had. ``header_timeout`` is in seconds. ``example`` is a model to name in hints.
    """

    api: str
    base_url: str
    own_address: str = ""
    address_variables: tuple[str, ...] = ()
    key_variables: tuple[str, ...] = ()
    needs_key: bool = True
    get_key: str = ""
    example: str = ""
    quirks: Quirks = field(default_factory=Quirks)
    header_timeout: float | None = None


KNOWN: dict[str, Known] = {
    "anthropic": Known(
        api="anthropic",
        base_url="https://api.anthropic.com",
        key_variables=("ANTHROPIC_API_KEY",),
        get_key="https://console.anthropic.com/settings/keys",
        example="claude-sonnet-5-5",
    ),
    "openai": Known(
        api="openai-chat",
        base_url="https://api.openai.com/v1",
        key_variables=("OPENAI_API_KEY",),
        get_key="https://platform.openai.com/api-keys",
        example="gpt-5",
        quirks=Quirks(
            max_tokens_field="max_completion_tokens",
            late_system=True,
            merge_users=False,
            cache_key=True,
        ),
    ),
    "azure": Known(
        api="openai-chat",
        base_url="",
        own_address="https://NAME.openai.azure.com/openai/v1",
        key_variables=("AZURE_OPENAI_API_KEY",),
        get_key="https://portal.azure.com",
        quirks=Quirks(
            key_header="api-key",
            max_tokens_field="max_completion_tokens",
            late_system=True,
            merge_users=False,
            cache_key=True,
        ),
    ),
    "google": Known(
        api="gemini",
        base_url="https://generativelanguage.googleapis.com/v1beta",
        key_variables=("GEMINI_API_KEY", "GOOGLE_API_KEY"),
        get_key="https://aistudio.google.com/apikey",
        example="gemini-3.8-flash",
    ),
    "openrouter": Known(
        api="openai-chat",
        base_url="https://openrouter.ai/api/v1",
        key_variables=("OPENROUTER_API_KEY",),
        get_key="https://openrouter.ai/settings/keys",
        example="anthropic/claude-sonnet-5.5",
        quirks=Quirks(
            effort_field="reasoning.effort",
            thinking_on=("reasoning.enabled", True),
            thinking_off=("reasoning.effort", "none"),
        ),
    ),
    "mistral": Known(
        api="openai-chat",
        base_url="https://api.mistral.ai/v1",
        key_variables=("MISTRAL_API_KEY",),
        get_key="https://console.mistral.ai/api-keys",
        example="mistral-medium-3-5",
        quirks=Quirks(
            stream_options=False,  # usage comes unasked; unknown parameters are refused
            assistant_after_tools=True,
            replay_reasoning=False,
            call_id=r"[a-zA-Z0-9]{9}",
            thinking_on=("reasoning_effort", "high"),
            thinking_off=("reasoning_effort", "none"),
        ),
    ),
    "groq": Known(
        api="openai-chat",
        base_url="https://api.groq.com/openai/v1",
        key_variables=("GROQ_API_KEY",),
        get_key="https://console.groq.com/keys",
        example="openai/gpt-oss-120b",
        quirks=Quirks(
            replay_reasoning=False,
            thinking_on=("reasoning_effort", "default"),
            thinking_off=("reasoning_effort", "none"),
        ),
    ),
    "deepseek": Known(
        api="openai-chat",
        base_url="https://api.deepseek.com/v1",
        key_variables=("DEEPSEEK_API_KEY",),
        get_key="https://platform.deepseek.com/api_keys",
        example="deepseek-v4-pro",
        quirks=Quirks(thinking_on=("thinking.type", "enabled"), thinking_off=("thinking.type", "disabled")),
    ),
    "xai": Known(
        api="openai-chat",
        base_url="https://api.x.ai/v1",
        key_variables=("XAI_API_KEY",),
        get_key="https://console.x.ai",
        example="grok-4.5",
        quirks=Quirks(late_system=True, merge_users=False),
    ),
    "bedrock": Known(
        api="bedrock",
        base_url=BEDROCK_URL,
        key_variables=("AWS_BEARER_TOKEN_BEDROCK",),
        needs_key=False,  # keys of AWS sign as well, and are looked for when a request needs them
        example="global.anthropic.claude-sonnet-5-5",
    ),
    "lmstudio": Known(
        api="openai-chat",
        base_url="http://127.0.0.1:1234/v1",
        key_variables=("LMSTUDIO_API_KEY",),
        needs_key=False,
        header_timeout=_LOCAL_PATIENCE,
    ),
    "llamacpp": Known(
        api="openai-chat",
        base_url="http://127.0.0.1:8080/v1",
        key_variables=("LLAMA_API_KEY",),
        needs_key=False,
        quirks=_TEMPLATE,
        header_timeout=_LOCAL_PATIENCE,
    ),
    "vllm": Known(
        api="openai-chat",
        base_url="http://127.0.0.1:8000/v1",
        key_variables=("VLLM_API_KEY",),
        needs_key=False,
        quirks=_TEMPLATE,
        header_timeout=_LOCAL_PATIENCE,
    ),
    "ollama": Known(
        api="ollama",
        base_url="http://127.0.0.1:11434",
        address_variables=("OLLAMA_HOST",),
        key_variables=("OLLAMA_API_KEY",),
        needs_key=False,
        header_timeout=_LOCAL_PATIENCE,
    ),
}
