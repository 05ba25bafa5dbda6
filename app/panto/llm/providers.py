"""From a model's name to the endpoint that serves it, by what is known of providers and what config says.

Nothing here touches disk or network: a key is looked up when a request needs it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from difflib import get_close_matches

from panto.config import Config, Provider
from panto.llm.demo import DEMO_MODEL, DEMO_PROVIDER, demo_endpoint
from panto.llm.formats import FORMATS
from panto.llm.known_providers import KNOWN, Known, model_defaults
from panto.llm.types import Access, AccessError, Endpoint

_KEY_HEADERS = frozenset({"authorization", "x-api-key", "api-key"})


@dataclass(frozen=True)
class ModelProblem:
    """Why there is no such model to talk to, and what to set. A line each."""

    message: str
    hint: str


@dataclass(frozen=True)
class ResolvedModel:
    """A model that requests can be made to.

    ``name`` is ``provider/model``, ``model`` the provider's own name for it. ``context_window`` and ``max_tokens`` are
    in tokens; None: not known, and left to the server.
    """

    name: str
    model: str
    endpoint: Endpoint
    context_window: int | None = None
    max_tokens: int | None = None


@dataclass(frozen=True)
class Available:
    """A provider that has a key, and where that is from (``ANTHROPIC_API_KEY``). ``example`` is a model it serves."""

    provider: str
    source: str
    example: str


def available_models(environ: Mapping[str, str], config: Config) -> tuple[Available, ...]:
    """The providers that have a key, those that config names first."""
    names = [*config.providers, *(name for name in KNOWN if name not in config.providers)]
    found: list[Available] = []
    for name in names:
        known, settings = KNOWN.get(name), config.providers.get(name, Provider())
        source = _key_source(name, known, settings, environ)
        if source:
            found.append(Available(name, source, known.example if known else next(iter(settings.models), "")))
    return tuple(found)


def resolve(
    name: str, config: Config, environ: Mapping[str, str], project_trusted: bool = False
) -> ResolvedModel | ModelProblem:
    """The model of a name such as ``anthropic/claude-sonnet-4-5``; the model's part may hold further slashes."""
    provider, slash, model = (part.strip() for part in name.partition("/"))
    if not (provider and slash and model):
        return _malformed(name)
    if provider == DEMO_PROVIDER and provider not in config.providers:
        return _demo(model)
    known, settings = KNOWN.get(provider), config.providers.get(provider)
    if known is None and settings is None:
        return _unknown(provider, config)
    settings = settings or Provider()
    problem = _missing(provider, known, settings, environ)
    if problem is not None:
        return problem
    defaults = model_defaults(provider, model)
    own = settings.models.get(model)
    return ResolvedModel(
        name=f"{provider}/{model}",
        model=model,
        endpoint=_endpoint(provider, known, settings, config, environ, project_trusted),
        context_window=(own.context_window if own else None) or defaults.context_window,
        max_tokens=(own.max_tokens if own else None) or defaults.max_tokens,
    )


def _endpoint(
    provider: str,
    known: Known | None,
    settings: Provider,
    config: Config,
    environ: Mapping[str, str],
    project_trusted: bool,
) -> Endpoint:
    variable = _variable(known, environ)
    plain = Endpoint(
        provider=provider,
        api=settings.api or (known.api if known else ""),
        base_url=settings.base_url or (known.base_url if known else ""),
        connect_timeout=settings.connect_timeout,
        stall_timeout=settings.stall_timeout,
        max_retry_wait=settings.max_retry_wait,
        key_source=_key_source(provider, known, settings, environ),
        credentials=_ConfiguredCredentials(
            config, provider, f"env:{variable}" if variable else None, environ, project_trusted
        ),
    )
    if known is None:
        return plain
    patience = known.header_timeout and max(known.header_timeout, settings.stall_timeout)
    return replace(plain, quirks=known.quirks, header_timeout=patience)


@dataclass
class _ConfiguredCredentials:
    """A provider's key and headers as config says where to find them. Kept once found."""

    config: Config = field(repr=False)
    provider: str
    default: str | None
    environ: Mapping[str, str] = field(repr=False)
    project_trusted: bool
    _found: Access | None = field(default=None, repr=False)

    async def get(self) -> Access:
        from panto.config.secrets import SecretError, credentials  # noqa: PLC0415 - needed by requests alone

        if self._found is None:
            try:
                found = await credentials(
                    self.config,
                    self.provider,
                    default=self.default,
                    project_trusted=self.project_trusted,
                    environ=self.environ,
                )
            except SecretError as error:
                raise AccessError(f"{error.key} ({error.origin}): {error.what}", error.action) from None
            self._found = Access(found.api_key or "", found.headers)
        return self._found

    def forget(self) -> None:
        self._found = None


def _variable(known: Known | None, environ: Mapping[str, str]) -> str:
    """The environment variable that holds the provider's key; empty if there is none."""
    variables = known.key_variables if known else ()
    return next((variable for variable in variables if environ.get(variable, "").strip()), "")


def _key_source(provider: str, known: Known | None, settings: Provider, environ: Mapping[str, str]) -> str:
    """Where the key comes from, in words that give nothing away; empty if there is none."""
    if settings.api_key is None:
        return _variable(known, environ)
    named = str(settings.api_key)  # masked, unless it is a name
    if named.startswith("env:"):
        variable = named.removeprefix("env:")
        return variable if environ.get(variable, "").strip() else ""
    return named if named.startswith("keyring:") else f"api_key in [providers.{provider}]"


def _missing(provider: str, known: Known | None, settings: Provider, environ: Mapping[str, str]) -> ModelProblem | None:
    """What a provider lacks to be talked to."""
    table = f"[providers.{provider}]"
    if not (settings.api or known):
        return ModelProblem(f"{table} has no api", f"set api in {table} to one of {', '.join(FORMATS)}")
    if not (settings.base_url or known):
        return ModelProblem(f"{table} has no base_url", f'set it in {table}, as base_url = "http://127.0.0.1:8080/v1"')
    if settings.api_key is not None:
        variable = str(settings.api_key)
        if variable.startswith("env:") and not environ.get(variable.removeprefix("env:"), "").strip():
            variable = variable.removeprefix("env:")
            return ModelProblem(f"there is no key for {provider}: {variable} is not set", f"set {variable}")
        return None
    by_header = any(header.lower() in _KEY_HEADERS for header in settings.headers)
    elsewhere = settings.base_url is not None  # a server of one's own may ask for no key
    if known is None or not known.needs_key or by_header or elsewhere or _variable(known, environ):
        return None
    return ModelProblem(
        f"there is no key for {provider}",
        f"set {known.key_variables[0]}, or api_key in {table}; a key is to be had at {known.get_key}",
    )


def _malformed(name: str) -> ModelProblem:
    shown = name.strip().strip("/")
    if shown in KNOWN:
        example = KNOWN[shown].example or "MODEL"
        return ModelProblem(f"{name!r} names a provider, but no model", f"write it as {shown}/{example}")
    return ModelProblem(f"{name!r} is no model's name", "write it as provider/model, as in anthropic/claude-sonnet-4-5")


def _unknown(provider: str, config: Config) -> ModelProblem:
    names = sorted({*KNOWN, *config.providers})
    near = get_close_matches(provider.lower(), names, n=1)
    hint = f"did you mean {near[0]}?" if near else f"known are {', '.join(names)}; or describe it in"
    return ModelProblem(
        f"there is no provider {provider!r}",
        hint if near else f"{hint} [providers.{provider}]",
    )


def _demo(model: str) -> ResolvedModel | ModelProblem:
    if model != DEMO_MODEL:
        return ModelProblem(f"there is no demo model {model!r}", f"write it as {DEMO_PROVIDER}/{DEMO_MODEL}")
    return ResolvedModel(f"{DEMO_PROVIDER}/{DEMO_MODEL}", model, demo_endpoint(), context_window=32_768)
