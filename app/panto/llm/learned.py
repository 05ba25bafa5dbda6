"""What a server says of its models, where neither config nor the catalogue says it better."""

from dataclasses import replace

from panto.llm.listing import ListedModel
from panto.llm.providers import ResolvedModel
from panto.llm.types import ThinkingStyle

_ROUTER = "openrouter"


def with_learned(found: ResolvedModel, listed: ListedModel | None) -> ResolvedModel:
    """The model with what its server says of it. Config counts more, and so does the catalogue for the window."""
    if listed is None:
        return found
    style = found.thinking_style if found.thinking_set else _style(found, listed)
    sees = found.sees_images if found.images_set or listed.sees_images is None else listed.sees_images
    return replace(
        found,
        context_window=found.context_window or listed.context_window,
        thinking_style=style,
        levels=found.levels if style == found.thinking_style else (),
        sees_images=sees,
    )


def _style(found: ResolvedModel, listed: ListedModel) -> ThinkingStyle:
    """How the model is told to think, by whether its server says that it does.

    Ollama can switch all that think, and tells some of them in words; a router has words for all of them.
    """
    style = found.thinking_style
    if listed.thinks is None:
        return style
    if found.endpoint.api == "ollama":
        if not listed.thinks:
            return "none"
        return "switch" if style in ("unknown", "none", "always") else style
    if style != "unknown":
        return style
    if not listed.thinks:
        return "none"
    return "effort" if found.endpoint.provider == _ROUTER else style
