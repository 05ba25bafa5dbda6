"""Asking servers for their models. What comes back is as hostile as any other text from outside.

Most APIs give names and no more. Some say how many tokens fit, or what a model can do; then that is kept.
"""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator
from dataclasses import dataclass, replace
from typing import TypeAlias

from panto.json_values import array_at, count_at, object_at, text_at, value_at
from panto.llm.asking import Asker
from panto.llm.client import Clients
from panto.llm.demo import DEMO_MODEL, DEMO_PROVIDER
from panto.llm.failures import StreamError, failure
from panto.llm.types import Endpoint, Failure

SECONDS = 20.0
"""For all that a list takes: it may come in pages, and each model may have to be asked for."""
MOST_MODELS = 5_000
MOST_PAGES = 50
MOST_DETAILS = 200
"""Models that are asked for one by one."""
AT_ONCE = 8
_LONGEST_NAME = 300
_MOST_TOKENS = 1_000_000_000


@dataclass(frozen=True)
class ListedModel:
    """A model as its server lists it. None: the server does not say.

    ``context_window`` is what fits as the server runs the model now, ``longest`` what the model could take at most;
    both are in tokens.
    """

    name: str
    context_window: int | None = None
    longest: int | None = None
    sees_images: bool | None = None
    thinks: bool | None = None


async def list_models(endpoint: Endpoint, clients: Clients) -> list[ListedModel] | Failure:
    """The models of a server, sorted by name. It has `SECONDS` to answer."""
    if endpoint.provider == DEMO_PROVIDER:
        return [ListedModel(DEMO_MODEL)]
    if endpoint.api not in _LISTS:
        return failure(endpoint, "config", f"there is no way to ask {endpoint.api} for its models", "")
    try:
        async with asyncio.timeout(SECONDS):
            found = await _LISTS[endpoint.api](Asker(endpoint, clients))
    except TimeoutError:
        return failure(endpoint, "stalled", f"no list of models within {SECONDS:g} s")
    except StreamError as error:
        return error.failure
    distinct = {model.name: model for model in found[:MOST_MODELS] if _is_name(model.name)}
    return [distinct[name] for name in sorted(distinct)]


def _is_name(name: str) -> bool:
    return 0 < len(name) <= _LONGEST_NAME and name.isprintable() and name == name.strip()


async def _openai(ask: Asker) -> list[ListedModel]:
    base = ask.endpoint.base_url.rstrip("/")
    answer = await ask.get(f"{base}/models")
    listed = [_of_openai(item) for item in array_at(answer, "data")]
    root = base.removesuffix("/v1")
    if ask.endpoint.provider == "lmstudio":
        return await _or(listed, _lmstudio(ask, root))
    if any(text_at(item, "owned_by") == "llamacpp" for item in array_at(answer, "data")):
        return await _or(listed, _llamacpp(ask, root, listed))
    return listed


async def _or(plain: list[ListedModel], better: Awaitable[list[ListedModel]]) -> list[ListedModel]:
    """The better list, should the server have it: an older one may not."""
    try:
        return await better
    except StreamError:
        return plain


def _of_openai(item: object) -> ListedModel:
    """What servers that speak this API add to a name, each in its own way."""
    modalities = array_at(item, "architecture", "input_modalities")
    parameters = array_at(item, "supported_parameters")
    vision = value_at(item, "capabilities", "vision")
    window = _first(item, ("max_model_len",), ("context_window",), ("max_context_length",), ("context_length",))
    return ListedModel(
        text_at(item, "id"),
        context_window=window or _tokens(item, "meta", "n_ctx"),
        longest=_tokens(item, "meta", "n_ctx_train"),
        sees_images="image" in modalities if modalities else vision if isinstance(vision, bool) else None,
        thinks="reasoning" in parameters if parameters else None,
    )


async def _lmstudio(ask: Asker, root: str) -> list[ListedModel]:
    answer = await ask.get(f"{root}/api/v0/models")
    return [
        ListedModel(
            text_at(item, "id"),
            context_window=_tokens(item, "loaded_context_length"),
            longest=_tokens(item, "max_context_length"),
            sees_images=text_at(item, "type") == "vlm",
        )
        for item in array_at(answer, "data")
        if text_at(item, "type") != "embeddings"
    ]


async def _llamacpp(ask: Asker, root: str, listed: list[ListedModel]) -> list[ListedModel]:
    """One model, usually: what it is run with holds for all that the server lists."""
    answer = await ask.get(f"{root}/props")
    window = _tokens(answer, "default_generation_settings", "n_ctx")
    vision = value_at(answer, "modalities", "vision")
    sees = vision if isinstance(vision, bool) else None
    return [replace(model, context_window=window or model.context_window, sees_images=sees) for model in listed]


async def _anthropic(ask: Asker) -> list[ListedModel]:
    base = ask.endpoint.base_url.rstrip("/")
    url = f"{base}/models" if base.endswith("/v1") else f"{base}/v1/models"

    def following(page: object) -> str:
        return text_at(page, "last_id") if value_at(page, "has_more") is True else ""

    return [
        ListedModel(
            text_at(item, "id"),
            context_window=_tokens(item, "max_input_tokens"),
            sees_images=_supported(item, "image_input"),
            thinks=_supported(item, "thinking"),
        )
        async for page in _pages(ask, url, {"limit": "1000"}, "after_id", following)
        for item in array_at(page, "data")
    ]


def _supported(item: object, capability: str) -> bool | None:
    said = value_at(item, "capabilities", capability, "supported")
    return said if isinstance(said, bool) else None


async def _gemini(ask: Asker) -> list[ListedModel]:
    base = ask.endpoint.base_url.rstrip("/")
    url = f"{base}/models" if "/" in base.partition("://")[2] else f"{base}/v1beta/models"

    def following(page: object) -> str:
        return text_at(page, "nextPageToken")

    return [
        ListedModel(
            text_at(item, "name").removeprefix("models/"),
            context_window=_tokens(item, "inputTokenLimit"),
            thinks=thinks if isinstance(thinks := value_at(item, "thinking"), bool) else None,
        )
        async for page in _pages(ask, url, {"pageSize": "1000"}, "pageToken", following)
        for item in array_at(page, "models")
        if "generateContent" in array_at(item, "supportedGenerationMethods")
    ]


async def _pages(
    ask: Asker, url: str, query: dict[str, str], mark: str, following: Callable[[object], str]
) -> AsyncGenerator[object, None]:
    """The pages of a list. ``following`` finds in a page the mark of the next; a server that repeats itself is left."""
    seen: set[str] = set()
    place = ""
    while len(seen) < MOST_PAGES:
        page = await ask.get(url, {**query, mark: place} if place else query)
        yield page
        place = following(page)
        if not place or place in seen:
            return
        seen.add(place)


async def _ollama(ask: Asker) -> list[ListedModel]:
    base = ask.endpoint.base_url.rstrip("/").removesuffix("/api")
    answer = await ask.get(f"{base}/api/tags")
    names = [text_at(item, "name") for item in array_at(answer, "models")]
    running = {text_at(item, "name"): _tokens(item, "context_length") for item in await _running(ask, base)}
    turn = asyncio.Semaphore(AT_ONCE)

    async def described(name: str) -> ListedModel:
        async with turn:
            try:
                shown = await ask.post(f"{base}/api/show", {"model": name})
            except StreamError:
                return ListedModel(name)
            return _of_ollama(name, shown, running.get(name))

    wanted = [name for name in names if _is_name(name)]
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(described(name)) for name in wanted[:MOST_DETAILS]]
    return [*(task.result() for task in tasks), *(ListedModel(name) for name in wanted[MOST_DETAILS:])]


async def _running(ask: Asker, base: str) -> list[object]:
    try:
        return array_at(await ask.get(f"{base}/api/ps"), "models")
    except StreamError:
        return []


def _of_ollama(name: str, shown: object, running: int | None) -> ListedModel:
    """A model as ollama shows it: what it is run with now, else what its own file says it will be run with."""
    info = object_at(shown, "model_info")
    longest = _tokens(info, f"{text_at(info, 'general.architecture')}.context_length")
    able = [word for word in array_at(shown, "capabilities") if isinstance(word, str)]
    return ListedModel(
        name,
        context_window=running or next(_own_num_ctx(shown), None),
        longest=longest,
        sees_images="vision" in able if able else None,
        thinks="thinking" in able if able else None,
    )


def _own_num_ctx(shown: object) -> Iterator[int]:
    for line in text_at(shown, "parameters").splitlines():
        name, _, value = line.strip().partition(" ")
        if name == "num_ctx" and value.strip().isdecimal() and len(value.strip()) < 10:
            yield int(value)


def _first(item: object, *paths: tuple[str, ...]) -> int | None:
    return next((found for path in paths if (found := _tokens(item, *path))), None)


def _tokens(item: object, *path: str) -> int | None:
    """A count of tokens that may be one."""
    found = count_at(item, *path)
    return found if found is not None and 0 < found <= _MOST_TOKENS else None


_List: TypeAlias = Callable[[Asker], Awaitable[list[ListedModel]]]
_LISTS: dict[str, _List] = {
    "openai-chat": _openai,
    "openai-responses": _openai,
    "anthropic": _anthropic,
    "gemini": _gemini,
    "ollama": _ollama,
}
"""How each API is asked."""
