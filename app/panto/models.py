"""Which model the session talks to, and the connection to it."""

from collections.abc import AsyncGenerator, Mapping
from typing import TYPE_CHECKING

from panto.agent.model_call import Model, ModelUnavailable
from panto.config import Config
from panto.llm.types import Request, StreamEvent
from panto.trust import own_server

if TYPE_CHECKING:
    from panto.llm.client import Clients

DEMO = "demo/panto-demo"


class Models:
    """The model chosen now. What talks HTTP is imported and connected with the first request."""

    def __init__(self, config: Config, environ: Mapping[str, str]) -> None:
        self._config = config
        self._environ = environ
        self._clients: Clients | None = None
        self._name = config.model
        self._found: dict[str | None, Model | ModelUnavailable] = {}

    @property
    def name(self) -> str | None:
        """The chosen model as ``provider/model``; None if none is."""
        return self._name

    def choose(self, name: str) -> None:
        """Talk to another model from the next request on."""
        self._name = name

    def problem(self) -> ModelUnavailable | None:
        """What keeps the chosen model from being asked, as far as it can be told without asking."""
        found = self._resolved()
        return found if isinstance(found, ModelUnavailable) else None

    @property
    def context_window(self) -> int | None:
        """The chosen model's window in tokens, if it is known."""
        found = self._resolved()
        return found.context_window if isinstance(found, Model) else None

    async def current(self, name: str | None = None) -> Model | ModelUnavailable:
        """The model of that name (``provider/model``), ready to be asked; without one, the chosen model."""
        return self._resolved(name)

    async def close(self) -> None:
        """Close the connections."""
        clients, self._clients = self._clients, None
        if clients is not None:
            await clients.aclose()

    def _resolved(self, name: str | None = None) -> Model | ModelUnavailable:
        """A model, found once: its key is fetched once, too."""
        wanted = name or self._name
        if wanted not in self._found:
            self._found[wanted] = self._find(wanted)
        return self._found[wanted]

    def _find(self, name: str | None) -> Model | ModelUnavailable:
        from panto.llm.providers import ModelProblem, resolve  # noqa: PLC0415 - not on the start's path

        if name is None:
            return self._nothing_chosen()
        provider = name.partition("/")[0]
        server = own_server(self._config, provider)
        if server is not None:
            return ModelUnavailable(
                f"{provider}: this project's own config sends the conversation to {server}",
                "if you want that, say so in your own config.toml, or choose another with /model",
            )
        found = resolve(name, self._config, self._environ)
        if isinstance(found, ModelProblem):
            return ModelUnavailable(found.message, found.hint)

        def stream(request: Request) -> AsyncGenerator[StreamEvent]:
            from panto.llm.retry import stream_with_retries  # noqa: PLC0415 - brings httpx

            return stream_with_retries(request, found.endpoint, self._connected())

        request = Request(found.model, (), (), max_tokens=found.max_tokens)
        return Model(found.name, request, stream, found.context_window)

    def _connected(self) -> "Clients":
        from panto.llm.client import Clients  # noqa: PLC0415 - brings httpx

        if self._clients is None:
            self._clients = Clients()
        return self._clients

    def _nothing_chosen(self) -> ModelUnavailable:
        from panto.llm.known_providers import KNOWN  # noqa: PLC0415 - not on the start's path
        from panto.llm.providers import available_models  # noqa: PLC0415

        keys = available_models(self._environ, self._config)
        known = KNOWN.get(keys[0].provider) if keys else None
        model = f"{keys[0].provider}/{known.example if known else 'MODEL'}" if keys else "provider/model"
        found = f"there is a key for {keys[0].provider} ({keys[0].source}): " if keys else ""
        return ModelUnavailable(
            "no model is chosen yet",
            f'{found}type /model {model}, or set model = "{model}" in ~/.config/panto/config.toml;'
            " /demo tries the built-in demo model, which needs no key",
        )
