"""Where the models to pick from come from: config, the catalogue, and the servers, which are asked meanwhile."""

import asyncio
import os
from collections.abc import Callable
from contextlib import suppress
from functools import cache

from panto.llm.demo import DEMO_PROVIDER, demo_endpoint
from panto.llm.listing import ListedModel
from panto.llm.offered import OfferedModel, OfferedProvider, offered_by, offered_providers, offered_unasked
from panto.llm.prices import dollars_a_million, load_prices
from panto.llm.providers import ModelProblem, endpoint_of
from panto.llm.types import Endpoint, Failure
from panto.program import Program
from panto.tui.model_picker.stock import Stock


class Supply:
    """What is known of the models that one could talk to, and more of it as it comes."""

    def __init__(self, program: Program) -> None:
        self._models = program.models
        self._config = program.config
        self._stored = program.stored
        demo = OfferedProvider(DEMO_PROVIDER, set_up=True, may_be_asked=True)
        self._providers = [*offered_providers(self._config, os.environ, self._stored), demo]
        self._asking: set[str] = set()
        self._failed: dict[str, Failure] = {}
        self._described: dict[str, tuple[list[ListedModel] | None, list[OfferedModel]]] = {}
        self.price: Callable[[OfferedModel], str] | None = None
        """What a model costs, once that can be told."""

    def stock(self) -> Stock:
        """What is known now."""
        set_up = {one.name for one in self._providers if one.set_up}
        offered: dict[str, list[OfferedModel]] = {}
        for provider in self._providers:
            listed = self._models.last_listed(provider.name)
            if listed is not None or provider.set_up:
                offered[provider.name] = self._offered(provider.name, listed)
        silent = [name for name in self._failed if name not in set_up]
        return Stock(
            offered,
            frozenset(self._asking & set_up),
            {name: failure.message for name, failure in self._failed.items() if name in set_up},
            tuple(sorted(silent)),
            tuple(one.name for one in self._providers if not one.may_be_asked),
        )

    async def ask(self, changed: Callable[[], None]) -> None:
        """Ask all servers for their models, and load the prices. ``changed`` is called whenever more is known."""
        async with asyncio.TaskGroup() as group:
            group.create_task(self._load_prices(changed))
            for provider in self._providers:
                if provider.may_be_asked:
                    self._asking.add(provider.name)
                    group.create_task(self._ask(provider.name, changed))
            changed()

    async def _ask(self, provider: str, changed: Callable[[], None]) -> None:
        answer = await self._models.listed_anew(provider)
        if isinstance(answer, Failure):
            self._failed[provider] = answer
        else:
            await asyncio.to_thread(self._offered, provider, answer)
        self._asking.discard(provider)
        changed()

    def _offered(self, provider: str, listed: list[ListedModel] | None) -> list[OfferedModel]:
        """A provider's models, described once for each list of its server: that takes a while for thousands."""
        kept = self._described.get(provider)
        if kept is None or kept[0] is not listed:
            config = self._config
            offered = offered_unasked(provider, config) if listed is None else offered_by(provider, config, listed)
            kept = self._described[provider] = (listed, offered)
        return kept[1]

    async def _load_prices(self, changed: Callable[[], None]) -> None:
        with suppress(Exception):  # a broken table: then no price is known
            await asyncio.to_thread(load_prices)
        self.price = cache(self._price)
        changed()

    def _price(self, model: OfferedModel) -> str:
        """Dollars for a million tokens sent, and answered."""
        endpoint = self._endpoint(model.provider)
        prices = None if endpoint is None else dollars_a_million(endpoint, model.model, model.prices)
        return " / ".join(map(_dollars, prices)) if prices else "?"

    def _endpoint(self, provider: str) -> Endpoint | None:
        if provider == DEMO_PROVIDER and provider not in self._config.providers:
            return demo_endpoint()
        found = endpoint_of(provider, self._config, os.environ, stored=self._stored)
        return None if isinstance(found, ModelProblem) else found


def _dollars(price: float) -> str:
    """A price as short as it can be told: 3, 0.25, 0.075."""
    return f"{price:.3f}".rstrip("0").rstrip(".")
