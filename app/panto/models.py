"""Which model the session talks to, and the connection to it."""

import asyncio
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from panto.agent.model_call import Model, ModelUnavailable
from panto.auth import StoredKeys
from panto.config import Config
from panto.llm.types import Done, Failed, Failure, Request, StreamEvent, ThinkingLevel
from panto.messages import Usage
from panto.trust import own_server

if TYPE_CHECKING:
    from panto.llm.client import Clients
    from panto.llm.listing import ListedModel
    from panto.llm.providers import ResolvedModel

DEMO = "demo/panto-demo"
_TRIES = 5
"""How often a server is asked how much fits, once for a turn: some only know when the model is loaded."""


class Models:
    """The model chosen now. What talks HTTP is imported and connected with the first request.

    ``wire_log`` is a file to write all that goes over the wire into.
    """

    def __init__(
        self,
        config: Config,
        environ: Mapping[str, str],
        stored: StoredKeys | None = None,
        wire_log: Path | None = None,
    ) -> None:
        self._wire_log = wire_log
        self._config = config
        self._environ = environ
        self._stored = stored or StoredKeys()
        self._clients: Clients | None = None
        self._name = config.model
        self._thinking: ThinkingLevel | None = config.thinking
        self._found: dict[str | None, ResolvedModel | ModelUnavailable] = {}
        self._made: dict[str, tuple[ResolvedModel, Model]] = {}
        self._lists: dict[str, list[ListedModel]] = {}
        self._asking: dict[str, asyncio.Task[list[ListedModel] | Failure]] = {}
        self._tries: dict[str, int] = {}
        self._prices: asyncio.Task[None] | None = None

    @property
    def name(self) -> str | None:
        """The chosen model as ``provider/model``; None if none is."""
        return self._name

    def choose(self, name: str) -> None:
        """Talk to another model from the next request on."""
        self._name = name

    @property
    def thinking(self) -> ThinkingLevel | None:
        """How much models are to think; None: as they do by themselves."""
        return self._thinking

    def choose_thinking(self, level: ThinkingLevel | None) -> None:
        """Have models think as much from the next request on."""
        self._thinking = level
        self._made.clear()

    def thinking_notice(self) -> str:
        """What to tell the user where the chosen model can't think as they want it to; empty if it can."""
        from panto.llm.thinking import thinking_notice  # noqa: PLC0415 - not on the start's path

        found = self._resolved()
        if isinstance(found, ModelUnavailable):
            return ""
        return thinking_notice(found.name, self._thinking, found.thinking_style, found.levels)

    def problem(self) -> ModelUnavailable | None:
        """What keeps the chosen model from being asked, as far as it can be told without asking."""
        found = self._resolved()
        return found if isinstance(found, ModelUnavailable) else None

    @property
    def context_window(self) -> int | None:
        """The chosen model's window in tokens, if it is known."""
        found = self._resolved()
        return None if isinstance(found, ModelUnavailable) else found.context_window

    async def current(self, name: str | None = None) -> Model | ModelUnavailable:
        """The model of that name (``provider/model``), ready to be asked; without one, the chosen model."""
        found = self._resolved(name)
        if isinstance(found, ModelUnavailable):
            return found
        self._look_into(found)
        made = self._made.get(found.name)
        if made is None or made[0] != found:
            made = self._made[found.name] = (found, self._make(found))
        return made[1]

    async def listed(self, provider: str) -> "list[ListedModel] | Failure":
        """The models that a provider's server lists. It is asked once; after a failure, again."""
        if provider in self._lists:
            return self._lists[provider]
        return await asyncio.shield(self._ask(provider))

    async def listed_anew(self, provider: str) -> "list[ListedModel] | Failure":
        """The models that a provider's server lists now."""
        return await asyncio.shield(self._ask(provider))

    def last_listed(self, provider: str) -> "list[ListedModel] | None":
        """What a provider's server said when it was asked last; None if it has said nothing."""
        return self._lists.get(provider)

    @property
    def sees_images(self) -> bool:
        """Whether the chosen model can be shown images, as far as that is known."""
        found = self._resolved()
        return isinstance(found, ModelUnavailable) or found.sees_images

    async def settled(self) -> None:
        """Wait until all that is being found out behind the requests has been found out, or can't be."""
        tasks = self._tasks()
        if tasks:
            await asyncio.wait(tasks)

    async def close(self) -> None:
        """Close the connections."""
        for task in self._tasks():
            task.cancel()
        await self.settled()
        clients, self._clients = self._clients, None
        if clients is not None:
            await clients.aclose()

    def _resolved(self, name: str | None = None) -> "ResolvedModel | ModelUnavailable":
        """A model, found once: its key is fetched once, too. What its server has said of it since is in it."""
        wanted = name or self._name
        if wanted not in self._found:
            self._found[wanted] = self._find(wanted)
        found = self._found[wanted]
        if isinstance(found, ModelUnavailable) or found.endpoint.provider not in self._lists:
            return found
        from panto.llm.learned import with_learned  # noqa: PLC0415 - not on the start's path

        listed = self._lists[found.endpoint.provider]
        return with_learned(found, next((model for model in listed if model.name == found.model), None))

    def _find(self, name: str | None) -> "ResolvedModel | ModelUnavailable":
        from panto.llm.providers import ModelProblem, resolve  # noqa: PLC0415 - not on the start's path

        if name is None:
            return self._nothing_chosen()
        refused = self._refused(name.partition("/")[0])
        if refused is not None:
            return refused
        found = resolve(name, self._config, self._environ, stored=self._stored)
        return ModelUnavailable(found.message, found.hint) if isinstance(found, ModelProblem) else found

    def _refused(self, provider: str) -> ModelUnavailable | None:
        """Why a provider may not be talked to: a project says where it is."""
        server = own_server(self._config, provider)
        if server is None:
            return None
        return ModelUnavailable(
            f"{provider}: this project's own config sends the conversation to {server}",
            "if you want that, say so in your own config.toml, or choose another with /model",
        )

    def _make(self, found: "ResolvedModel") -> Model:
        from panto.llm.prices import price_of  # noqa: PLC0415 - not on the start's path
        from panto.llm.remembered import Memory  # noqa: PLC0415
        from panto.llm.thinking import level_for  # noqa: PLC0415

        cost = price_of(found.endpoint, found.model, found.prices)

        async def stream(request: Request) -> AsyncGenerator[StreamEvent]:
            from panto.llm.retry import stream_with_retries  # noqa: PLC0415 - brings httpx

            async with aclosing(stream_with_retries(request, found.endpoint, self._connected())) as events:
                async for event in events:
                    if isinstance(event, Done | Failed):
                        await self._prices_loaded()
                    yield event

        def price(usage: Usage) -> float | None:
            dollars = cost(usage)
            return None if dollars is None else float(dollars)

        request = Request(
            found.model,
            (),
            (),
            max_tokens=found.max_tokens,
            thinking=level_for(self._thinking, found.thinking_style, found.levels),
            thinking_style=found.thinking_style,
            sees_images=found.sees_images,
            memory=Memory(),
        )
        return Model(found.name, request, stream, found.context_window, price)

    def _look_into(self, found: "ResolvedModel") -> None:
        """Have the prices loaded, and the server asked how much fits if nobody has said. Nothing waits for either."""
        from panto.llm.prices import load_prices, priced_by_table  # noqa: PLC0415 - not on the start's path

        if self._prices is None and priced_by_table(found.endpoint, found.model, found.prices):
            self._prices = asyncio.create_task(asyncio.to_thread(load_prices), name="prices")
        provider = found.endpoint.provider
        tries = self._tries.get(provider, 0)
        if found.context_window is None and tries < _TRIES and provider not in self._asking:
            self._tries[provider] = tries + 1
            self._ask(provider)

    async def _prices_loaded(self) -> None:
        """Wait until the prices are there, or can't be had."""
        if self._prices is not None:
            with suppress(Exception):  # without prices, an answer is as good; what it costs is then not known
                await asyncio.shield(self._prices)

    def _tasks(self) -> "list[asyncio.Task[list[ListedModel] | Failure] | asyncio.Task[None]]":
        return [*self._asking.values(), *([self._prices] if self._prices else [])]

    def _ask(self, provider: str) -> "asyncio.Task[list[ListedModel] | Failure]":
        """Ask a server for its models, unless that is under way."""
        if provider not in self._asking:
            task = asyncio.create_task(self._list(provider), name=f"models of {provider}")
            self._asking[provider] = task
            task.add_done_callback(lambda _task: self._asking.pop(provider, None))
        return self._asking[provider]

    async def _list(self, provider: str) -> "list[ListedModel] | Failure":
        from panto.llm.demo import DEMO_PROVIDER, demo_endpoint  # noqa: PLC0415 - not on the start's path
        from panto.llm.listing import list_models  # noqa: PLC0415
        from panto.llm.providers import ModelProblem, endpoint_of  # noqa: PLC0415

        refused = self._refused(provider)
        if refused is not None:
            return Failure("config", refused.message, refused.hint)
        endpoint = (
            demo_endpoint()
            if provider == DEMO_PROVIDER and provider not in self._config.providers
            else endpoint_of(provider, self._config, self._environ, stored=self._stored)
        )
        if isinstance(endpoint, ModelProblem):
            return Failure("config", endpoint.message, endpoint.hint)
        found = await list_models(endpoint, self._connected())
        if not isinstance(found, Failure):
            self._lists[provider] = found
        return found

    def _connected(self) -> "Clients":
        from panto.llm.client import Clients  # noqa: PLC0415 - brings httpx

        if self._clients is None:
            self._clients = Clients(self._wire_log)
        return self._clients

    def _nothing_chosen(self) -> ModelUnavailable:
        from panto.llm.known_providers import KNOWN  # noqa: PLC0415 - not on the start's path
        from panto.llm.providers import available_models  # noqa: PLC0415

        keys = available_models(self._environ, self._config, self._stored)
        known = KNOWN.get(keys[0].provider) if keys else None
        model = f"{keys[0].provider}/{known.example if known else 'MODEL'}" if keys else "provider/model"
        found = f"there is a key for {keys[0].provider} ({keys[0].source}): " if keys else ""
        return ModelUnavailable(
            "no model is chosen yet",
            f'{found}type /model {model}, or set model = "{model}" in ~/.config/panto/config.toml;'
            " /demo tries the built-in demo model, which needs no key",
        )
