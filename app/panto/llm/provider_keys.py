"""Where a provider's key comes from: config, the environment, or what the user has stored, in this order."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from panto.auth import StoredKeys
from panto.config import Config, Provider
from panto.llm.known_providers import Known
from panto.llm.types import Access, AccessError

NOTHING_STORED = StoredKeys()


@dataclass
class ConfiguredCredentials:
    """A provider's key and headers as config says where to find them. Kept once found.

    ``default`` is how the key is spelled if config does not say; it may be the key itself.
    """

    config: Config = field(repr=False)
    provider: str
    default: str | None = field(repr=False)
    environ: Mapping[str, str] = field(repr=False)
    project_trusted: bool
    _found: Access | None = field(default=None, repr=False)

    async def get(self) -> Access:
        """The key and headers. Raises `AccessError`."""
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
        """Look the key up anew next time."""
        self._found = None


def key_variable(known: Known | None, environ: Mapping[str, str]) -> str:
    """The environment variable that holds the provider's key; empty if there is none."""
    variables = known.key_variables if known else ()
    return next((variable for variable in variables if environ.get(variable, "").strip()), "")


def key_by_default(provider: str, known: Known | None, environ: Mapping[str, str], stored: StoredKeys) -> str | None:
    """How the provider's key is spelled if config does not say; None if there is none."""
    variable = key_variable(known, environ)
    return f"env:{variable}" if variable else stored.spelling(provider)


def key_source(
    provider: str, known: Known | None, settings: Provider, environ: Mapping[str, str], stored: StoredKeys
) -> str:
    """Where the key comes from, in words that give nothing away; empty if there is none."""
    if settings.api_key is None:
        return key_variable(known, environ) or stored.source(provider)
    named = str(settings.api_key)  # masked, unless it is a name
    if named.startswith("env:"):
        variable = named.removeprefix("env:")
        return variable if environ.get(variable, "").strip() else ""
    return named if named.startswith("keyring:") else f"api_key in [providers.{provider}]"
