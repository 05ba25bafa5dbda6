"""From a model's name to the endpoint that serves it, by what is known of providers and what config says.

Nothing here touches disk or network, but for the catalogue's file, which is read once: a key is looked up when a
request needs it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from difflib import get_close_matches

from panto.auth import StoredKeys
from panto.config import Config, ModelSettings, Provider
from panto.llm.addresses import address_of
from panto.llm.azure import versioned
from panto.llm.catalogue import Facts, facts_of
from panto.llm.demo import DEMO_MODEL, DEMO_PROVIDER, demo_endpoint
from panto.llm.formats import FORMATS
from panto.llm.known_providers import KNOWN, Known
from panto.llm.prices import OwnPrices
from panto.llm.provider_keys import NOTHING_STORED, ConfiguredCredentials, key_by_default, key_source
from panto.llm.types import Credentials, Endpoint, ThinkingLevel, ThinkingStyle

_KEY_HEADERS = frozenset({"authorization", "x-api-key", "api-key", "x-goog-api-key"})
_WANT_A_BOUND = frozenset({"anthropic"})
"""APIs that want to be told how long an answer may be. With others, to say it costs: they set as much aside."""
_SHARE_OF_WINDOW = 4
"""An answer may have this part of the window: some servers refuse what would not fit together with the request."""


@dataclass(frozen=True)
class ModelProblem:
    """Why there is no such model to talk to, and what to set. A line each."""

    message: str
    hint: str


@dataclass(frozen=True)
class ResolvedModel:
    """A model that requests can be made to.

    ``name`` is ``provider/model``, ``model`` the provider's own name for it. ``context_window`` and ``max_tokens`` are
    in tokens; None: not known, and left to the server. ``levels`` are those at which it can be told to think (empty:
    all), ``prices`` those that config names. ``thinking_set`` and ``images_set``: config says so, and nobody else is
    asked.
    """

    name: str
    model: str
    endpoint: Endpoint
    context_window: int | None = None
    max_tokens: int | None = None
    thinking_style: ThinkingStyle = "unknown"
    levels: tuple[ThinkingLevel, ...] = ()
    sees_images: bool = True
    thinking_set: bool = False
    images_set: bool = False
    prices: OwnPrices | None = None


@dataclass(frozen=True)
class Available:
    """A provider that has a key, and where that is from (``ANTHROPIC_API_KEY``). ``example`` is a model it serves."""

    provider: str
    source: str
    example: str


def available_models(
    environ: Mapping[str, str], config: Config, stored: StoredKeys = NOTHING_STORED
) -> tuple[Available, ...]:
    """The providers that have a key, those that config names first."""
    names = [*config.providers, *(name for name in KNOWN if name not in config.providers)]
    found: list[Available] = []
    for name in names:
        known, settings = KNOWN.get(name), config.providers.get(name, Provider())
        source = key_source(name, known, settings, environ, stored)
        if source and not (known and _has_no_address(known, settings)):
            found.append(Available(name, source, known.example if known else next(iter(settings.models), "")))
    return tuple(found)


def resolve(
    name: str,
    config: Config,
    environ: Mapping[str, str],
    project_trusted: bool = False,
    stored: StoredKeys = NOTHING_STORED,
) -> ResolvedModel | ModelProblem:
    """The model of a name such as ``anthropic/claude-sonnet-5-5``; the model's part may hold further slashes."""
    provider, slash, model = (part.strip() for part in name.partition("/"))
    if not (provider and slash and model):
        return _malformed(name)
    if provider == DEMO_PROVIDER and provider not in config.providers:
        return _demo(model)
    endpoint = endpoint_of(provider, config, environ, project_trusted, stored)
    if isinstance(endpoint, ModelProblem):
        return endpoint
    settings = config.providers.get(provider, Provider())
    if settings.api_version:
        endpoint = versioned(endpoint, model, settings.api_version)
    return _described(f"{provider}/{model}", model, endpoint, settings.models.get(model, ModelSettings()))


def endpoint_of(
    provider: str,
    config: Config,
    environ: Mapping[str, str],
    project_trusted: bool = False,
    stored: StoredKeys = NOTHING_STORED,
) -> Endpoint | ModelProblem:
    """Where a provider's models are asked."""
    known, settings = KNOWN.get(provider), config.providers.get(provider)
    if known is None and settings is None:
        return _unknown(provider, config)
    settings = settings or Provider()
    source = key_source(provider, known, settings, environ, stored)
    problem = _missing(provider, known, settings, environ, source)
    return problem or _endpoint(provider, known, settings, config, environ, project_trusted, stored)


def _described(name: str, model: str, endpoint: Endpoint, own: ModelSettings) -> ResolvedModel:
    """A model with what is known of it: what config says, and then what the catalogue does."""
    facts = facts_of(endpoint.provider, model)
    window = own.context_window or own.num_ctx or facts.context_window
    prices = OwnPrices(own.price_input, own.price_cached, own.price_output)
    shown = own.input if own.input is not None else facts.input
    return ResolvedModel(
        name=name,
        model=model,
        endpoint=replace(endpoint, num_ctx=own.num_ctx),
        context_window=window,
        max_tokens=own.max_tokens or _bound(endpoint, facts, window),
        thinking_style=own.thinking or facts.thinking,
        levels=facts.levels if own.thinking in (None, facts.thinking) else (),
        sees_images=shown is None or "image" in shown,
        thinking_set=own.thinking is not None,
        images_set=own.input is not None,
        prices=None if prices == OwnPrices() else prices,
    )


def _bound(endpoint: Endpoint, facts: Facts, window: int | None) -> int | None:
    """How long an answer may be, for an API that wants to be told."""
    if endpoint.api not in _WANT_A_BOUND or facts.max_tokens is None:
        return None
    return min(facts.max_tokens, window // _SHARE_OF_WINDOW) if window else facts.max_tokens


def _endpoint(
    provider: str,
    known: Known | None,
    settings: Provider,
    config: Config,
    environ: Mapping[str, str],
    project_trusted: bool,
    stored: StoredKeys,
) -> Endpoint:
    default = key_by_default(provider, known, environ, stored)
    key = ConfiguredCredentials(config, provider, default, environ, project_trusted)
    plain = Endpoint(
        provider=provider,
        api=settings.api or (known.api if known else ""),
        base_url=settings.base_url or _usual_address(known, environ),
        connect_timeout=settings.connect_timeout,
        stall_timeout=settings.stall_timeout,
        max_retry_wait=settings.max_retry_wait,
        key_source=key_source(provider, known, settings, environ, stored),
        credentials=key,
    )
    if plain.api == "bedrock":
        plain = _with_aws_keys(plain, key, settings, config, environ, project_trusted)
    if known is None:
        return plain
    patience = known.header_timeout and max(known.header_timeout, settings.stall_timeout)
    return replace(plain, quirks=known.quirks, header_timeout=patience)


def _with_aws_keys(
    plain: Endpoint,
    key: Credentials,
    settings: Provider,
    config: Config,
    environ: Mapping[str, str],
    project_trusted: bool,
) -> Endpoint:
    """The endpoint with keys of AWS, should it have no other. They are the user's, so a project can't say which."""
    from panto.llm.formats.bedrock.credentials import AwsCredentials, Place  # noqa: PLC0415 - only for this API

    own = ("providers", plain.provider)
    strange = [key for key in ("base_url", "profile") if config.origin(*own, key).layer == "project"]
    refused = [key for key in strange if key == "base_url" or not project_trusted]
    problem = f"AWS keys are your own: the project's {' and '.join(refused)} is not for it to say" if refused else ""
    place = Place(plain.provider, plain.base_url, settings.region or "", settings.profile or "")
    found = AwsCredentials(key, place, environ, problem)
    return replace(plain, region=place.region, credentials=found)


def _usual_address(known: Known | None, environ: Mapping[str, str]) -> str:
    """Where a provider is if config does not say: where the environment says, or where it always is."""
    if known is None:
        return ""
    named = (address_of(environ.get(variable, "")) for variable in known.address_variables)
    return next(filter(None, named), known.base_url)


def _has_no_address(known: Known | None, settings: Provider) -> bool:
    """Whether nothing says where a provider is: it is one of the user's own, or each user has an address of theirs."""
    return not settings.base_url and (known is None or bool(known.own_address))


def _missing(
    provider: str, known: Known | None, settings: Provider, environ: Mapping[str, str], source: str
) -> ModelProblem | None:
    """What a provider lacks to be talked to; ``source`` is where its key comes from."""
    table = f"[providers.{provider}]"
    if not (settings.api or known):
        return ModelProblem(f"{table} has no api", f"set api in {table} to one of {', '.join(FORMATS)}")
    if _has_no_address(known, settings):
        example = known.own_address if known else "http://127.0.0.1:8080/v1"
        return ModelProblem(f"{table} has no base_url", f'set it in {table}, as base_url = "{example}"')
    if settings.api_key is not None:
        variable = str(settings.api_key)
        if variable.startswith("env:") and not environ.get(variable.removeprefix("env:"), "").strip():
            variable = variable.removeprefix("env:")
            return ModelProblem(f"there is no key for {provider}: {variable} is not set", f"set {variable}")
        return None
    by_header = any(header.lower() in _KEY_HEADERS for header in settings.headers)
    usual = bool(known and known.base_url)
    elsewhere = usual and settings.base_url is not None  # a server of one's own may ask for no key
    if known is None or not known.needs_key or by_header or elsewhere or source:
        return None
    return ModelProblem(
        f"there is no key for {provider}",
        f"set {known.key_variables[0]}, or api_key in {table}, or store one with panto-py auth set {provider};"
        f" a key is to be had at {known.get_key}",
    )


def _malformed(name: str) -> ModelProblem:
    shown = name.strip().strip("/")
    if shown in KNOWN:
        example = KNOWN[shown].example or "MODEL"
        return ModelProblem(f"{name!r} names a provider, but no model", f"write it as {shown}/{example}")
    return ModelProblem(f"{name!r} is no model's name", "write it as provider/model, as in anthropic/claude-sonnet-5-5")


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
