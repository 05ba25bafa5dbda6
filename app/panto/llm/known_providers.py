"""Providers that come filled in: data, which config can override key by key."""

from dataclasses import dataclass, field

from panto.llm.types import Quirks

_LOCAL_PATIENCE = 600.0
"""Seconds: a model on one's own machine reads a long prompt before it says anything, and is loaded first."""


@dataclass(frozen=True)
class Known:
    """A provider.

    ``key_variables`` are looked for in this order. ``get_key`` is where a key can be had. ``header_timeout`` is in
    seconds. ``example`` is a model to name in hints.
    """

    api: str
    base_url: str
    key_variables: tuple[str, ...] = ()
    needs_key: bool = True
    get_key: str = ""
    example: str = ""
    quirks: Quirks = field(default_factory=Quirks)
    header_timeout: float | None = None


@dataclass(frozen=True)
class ModelDefaults:
    """What holds for models whose names begin alike: tokens of the window, and of an answer at most."""

    context_window: int | None = None
    max_tokens: int | None = None


KNOWN: dict[str, Known] = {
    "anthropic": Known(
        api="anthropic",
        base_url="https://api.anthropic.com",
        key_variables=("ANTHROPIC_API_KEY",),
        get_key="https://console.anthropic.com/settings/keys",
        example="claude-sonnet-4-5",
    ),
    "openai": Known(
        api="openai-chat",
        base_url="https://api.openai.com/v1",
        key_variables=("OPENAI_API_KEY",),
        get_key="https://platform.openai.com/api-keys",
        example="gpt-5",
        quirks=Quirks(max_tokens_field="max_completion_tokens", late_system=True, merge_users=False),
    ),
    "openrouter": Known(
        api="openai-chat",
        base_url="https://openrouter.ai/api/v1",
        key_variables=("OPENROUTER_API_KEY",),
        get_key="https://openrouter.ai/settings/keys",
        example="anthropic/claude-sonnet-4.5",
    ),
    "mistral": Known(
        api="openai-chat",
        base_url="https://api.mistral.ai/v1",
        key_variables=("MISTRAL_API_KEY",),
        get_key="https://console.mistral.ai/api-keys",
        example="devstral-medium-latest",
        quirks=Quirks(
            stream_options=False,  # usage comes unasked; unknown parameters are refused
            assistant_after_tools=True,
            replay_reasoning=False,
            call_id=r"[a-zA-Z0-9]{9}",
        ),
    ),
    "groq": Known(
        api="openai-chat",
        base_url="https://api.groq.com/openai/v1",
        key_variables=("GROQ_API_KEY",),
        get_key="https://console.groq.com/keys",
        example="openai/gpt-oss-120b",
        quirks=Quirks(replay_reasoning=False),
    ),
    "deepseek": Known(
        api="openai-chat",
        base_url="https://api.deepseek.com/v1",
        key_variables=("DEEPSEEK_API_KEY",),
        get_key="https://platform.deepseek.com/api_keys",
        example="deepseek-chat",
    ),
    "xai": Known(
        api="openai-chat",
        base_url="https://api.x.ai/v1",
        key_variables=("XAI_API_KEY",),
        get_key="https://console.x.ai",
        example="grok-4",
        quirks=Quirks(late_system=True, merge_users=False),
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
        header_timeout=_LOCAL_PATIENCE,
    ),
    "vllm": Known(
        api="openai-chat",
        base_url="http://127.0.0.1:8000/v1",
        key_variables=("VLLM_API_KEY",),
        needs_key=False,
        header_timeout=_LOCAL_PATIENCE,
    ),
    "ollama": Known(
        api="openai-chat",
        base_url="http://127.0.0.1:11434/v1",
        key_variables=("OLLAMA_API_KEY",),
        needs_key=False,
        header_timeout=_LOCAL_PATIENCE,
    ),
}

_FIFTH = ("fable", "haiku", "mythos", "opus", "sonnet")

_MODELS: dict[str, tuple[tuple[str, ModelDefaults], ...]] = {
    "anthropic": (
        ("claude-3-haiku", ModelDefaults(200_000, 4_096)),
        ("claude-3-opus", ModelDefaults(200_000, 4_096)),
        ("claude-3-5", ModelDefaults(200_000, 8_192)),
        *((f"claude-{family}-5", ModelDefaults(1_000_000, 64_000)) for family in _FIFTH),
        ("claude-", ModelDefaults(200_000, 32_000)),
    ),
}
"""By provider, how a model's name begins and what holds then; the first that fits."""


def model_defaults(provider: str, model: str) -> ModelDefaults:
    """What is known of a model."""
    found = (defaults for start, defaults in _MODELS.get(provider, ()) if model.startswith(start))
    return next(found, ModelDefaults())
