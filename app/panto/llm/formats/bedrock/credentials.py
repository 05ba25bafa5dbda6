"""Keys of AWS, found as all its tools find them: environment, profile, config, single sign-on, the machine's role.

botocore does the finding and the signing. It is slow to load and may read files, run a command or ask a server, so all
of that happens in a thread, when a request needs it.
"""

import asyncio
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING

from panto.llm.types import Access, AccessError, Credentials

if TYPE_CHECKING:
    from botocore.credentials import Credentials as Found, ReadOnlyCredentials
    from botocore.session import Session

SECONDS = 30.0
"""For which keys are waited for: single sign-on and roles ask servers."""
_MACHINE_SECONDS = 1
"""For which the machine itself, the last of all, is asked whether it has a role."""
_REGION = re.compile(r"[a-z]{2,4}(-[a-z0-9]{1,20}){1,5}")
_VARIABLES = ("AWS_REGION", "AWS_DEFAULT_REGION")
_KEYS_HINT = (
    "set AWS_BEARER_TOKEN_BEDROCK, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE, "
    "or profile in [providers.{provider}]; or sign in with aws sso login"
)


@dataclass(frozen=True)
class Place:
    """Which keys of AWS are meant, and where they are good. Empty: as the environment and the AWS configuration say."""

    provider: str
    base_url: str
    region: str = ""
    profile: str = ""


@dataclass(frozen=True)
class AwsSigner:
    """Signs requests with one set of keys (SigV4)."""

    region: str
    source: str
    keys: "ReadOnlyCredentials" = field(repr=False)

    @property
    def secrets(self) -> tuple[str, ...]:
        """What is to be shown to nobody. Servers quote the token when a signature is wrong."""
        return tuple(filter(None, (self.keys.secret_key, self.keys.token, self.keys.access_key)))

    def headers(self, url: str, body: bytes) -> Mapping[str, str]:
        """The headers that sign a post of this body of JSON to this address, now."""
        from botocore.auth import SigV4Auth  # noqa: PLC0415 - loaded by whoever made this
        from botocore.awsrequest import AWSRequest  # noqa: PLC0415 - likewise

        request = AWSRequest("POST", url, headers={"content-type": "application/json"}, data=body)
        SigV4Auth(self.keys, "bedrock", self.region).add_auth(request)
        return {name.lower(): str(value) for name, value in request.headers.items()}


@dataclass
class AwsCredentials:
    """A bearer's key if ``plain`` has one, else keys of AWS that sign; and the address, which depends on the region.

    ``problem`` says why keys of AWS may not be used at all; empty: they may.
    """

    plain: Credentials
    place: Place
    environ: Mapping[str, str] = field(repr=False)
    problem: str = ""
    _found: "Found | None" = field(default=None, repr=False)
    _region: str = ""

    async def get(self) -> Access:
        """The key or the signer, the address and the region."""
        access = await self.plain.get()
        if self.problem and not access.api_key:
            raise AccessError(self.problem, "set the profile, the region and the address in your own settings")
        region, keys = await self._in_thread(access.api_key)
        url = self.place.base_url.replace("{region}", region)
        signer = None if keys is None else AwsSigner(region, self._source(), keys)
        return Access(access.api_key, access.headers, url, region, signer)

    def forget(self) -> None:
        """Look all of it up anew next time."""
        self._found = None
        self._region = ""
        self.plain.forget()

    def _source(self) -> str:
        method = self._found.method if self._found is not None else ""
        return f"profile {self.place.profile}" if self.place.profile else method or "AWS"

    async def _in_thread(self, bearer: str) -> "tuple[str, ReadOnlyCredentials | None]":
        """The region and the keys; no keys for a bearer."""
        try:
            async with asyncio.timeout(SECONDS):
                return await asyncio.to_thread(self._look_up, bool(bearer))
        except TimeoutError:
            raise AccessError(
                f"the AWS keys could not be had within {SECONDS:g} s", "check the AWS configuration"
            ) from None

    def _look_up(self, has_bearer: bool) -> "tuple[str, ReadOnlyCredentials | None]":
        import_module("botocore.eventstream")  # for the answer: loaded here, where nobody waits for it
        session: list[Session] = []

        def opened() -> "Session":
            if not session:
                session.append(_session(self.place.profile))
            return session[0]

        try:
            if has_bearer and "{region}" not in self.place.base_url:
                return "", None
            self._region = self._region or self._the_region(opened)
            return self._region, None if has_bearer else self._the_keys(opened)
        except AccessError:
            raise
        except Exception as error:  # noqa: BLE001 - botocore raises what its many sources do
            hint = _KEYS_HINT.replace("{provider}", self.place.provider)
            raise AccessError(f"the AWS keys could not be had: {_words(error)}", hint) from None

    def _the_region(self, session: "Callable[[], Session]") -> str:
        named = (self.environ.get(variable, "").strip() for variable in _VARIABLES)
        region = self.place.region or next(filter(None, named), "") or session().get_config_variable("region") or ""
        if not _REGION.fullmatch(region):  # it becomes a part of the server's name
            what = f"{region!r:.60} is no AWS region" if region else "there is no AWS region"
            raise AccessError(what, f"set region in [providers.{self.place.provider}], or AWS_REGION, as us-east-1")
        return region

    def _the_keys(self, session: "Callable[[], Session]") -> "ReadOnlyCredentials":
        if self._found is None:
            self._found = session().get_credentials()
        if self._found is None:
            raise AccessError("there are no AWS keys", _KEYS_HINT.replace("{provider}", self.place.provider))
        return self._found.get_frozen_credentials()


def _session(profile: str) -> "Session":
    from botocore.session import Session  # noqa: PLC0415 - slow to load

    session = Session(profile=profile or None)
    session.set_config_variable("metadata_service_timeout", _MACHINE_SECONDS)
    session.set_config_variable("metadata_service_num_attempts", 1)
    return session


def _words(error: Exception) -> str:
    """What botocore says, on one line and not for ever."""
    return " ".join(str(error).split())[:300] or type(error).__name__
