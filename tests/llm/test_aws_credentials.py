"""Keys of AWS: where they are found, what they sign, and what is said when there are none."""

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from panto.config import Config, load
from panto.config.source import TomlValue
from panto.llm.client import Clients
from panto.llm.providers import ResolvedModel, resolve
from panto.llm.types import Access, AccessError
from panto.paths import Paths
from tests.llm.talking import done, failed, request
from tests.support.llm.bedrock.format import Bedrock
from tests.support.llm.bedrock.signatures import Keys
from tests.support.llm_server import LLMServer

KEYS = Keys("AKIDEXAMPLE", "wJalrXUtnFEMI/secret-of-the-tests", "token-of-the-tests", "eu-west-1")
MODEL = "us.anthropic.claude-sonnet-4-5-20250929-v1:0"


@pytest.fixture(autouse=True)
def no_keys(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Nothing of AWS is configured, and the machine is not asked for a role."""
    for name in [name for name in os.environ if name.startswith("AWS_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "aws-config"))
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "aws-credentials"))


@pytest.fixture
def keys(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keys in the environment, as a shell has them."""
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", KEYS.access)
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", KEYS.secret)
    monkeypatch.setenv("AWS_SESSION_TOKEN", KEYS.token)


def model(directory: Path, environ: Mapping[str, str] | None = None, **bedrock: TomlValue) -> ResolvedModel:
    config = load(Paths.discover(directory), {"providers": {"bedrock": bedrock}} if bedrock else {})
    return found(config, environ or {})


def found(config: Config, environ: Mapping[str, str], *, project_trusted: bool = False) -> ResolvedModel:
    resolved = resolve(f"bedrock/{MODEL}", config, environ, project_trusted)
    assert isinstance(resolved, ResolvedModel), resolved
    return resolved


async def access(resolved: ResolvedModel) -> Access:
    assert resolved.endpoint.credentials is not None
    return await resolved.endpoint.credentials.get()


async def refusal(resolved: ResolvedModel) -> str:
    with pytest.raises(AccessError) as caught:
        await access(resolved)
    return f"{caught.value}; {caught.value.hint}"


@pytest.mark.usefixtures("keys")
async def test_requests_are_signed_so_that_aws_takes_them(tmp_path: Path, clients: Clients) -> None:
    with LLMServer(["Signed.", "Again."], formats=[Bedrock(KEYS)]) as server:
        where = model(tmp_path, base_url=server.url("bedrock"), region=KEYS.region).endpoint
        for words in ("Signed.", "Again."):
            assert (await done(request(model=MODEL), where, clients)).text == words
        (first, _) = server.requests
    assert "/eu-west-1/bedrock/aws4_request" in first.headers["authorization"]
    assert first.headers["x-amz-security-token"] == KEYS.token
    assert first.path.endswith("v1%3A0/converse-stream")
    assert first.model == MODEL


@pytest.mark.parametrize("wrong", ["secret", "token", "access", "region"])
@pytest.mark.usefixtures("keys")
async def test_wrong_keys_are_refused_and_no_message_shows_them(
    wrong: str, tmp_path: Path, clients: Clients, monkeypatch: pytest.MonkeyPatch
) -> None:
    """AWS quotes what should have been signed, with the token in it."""
    changes = {"secret": "AWS_SECRET_ACCESS_KEY", "token": "AWS_SESSION_TOKEN", "access": "AWS_ACCESS_KEY_ID"}
    if wrong in changes:
        monkeypatch.setenv(changes[wrong], "something-else-entirely")
    with LLMServer([], formats=[Bedrock(KEYS)]) as server:
        region = "us-east-1" if wrong == "region" else KEYS.region
        where = model(tmp_path, base_url=server.url("bedrock"), region=region).endpoint
        end = await failed(request(model=MODEL), where, clients)
    assert end.failure.kind == "auth"
    assert "AWS keys (env)" in end.failure.hint
    for secret in (KEYS.secret, KEYS.token, "something-else-entirely"):
        assert secret not in repr(end)
        assert secret not in repr(where)


@pytest.mark.usefixtures("keys")
async def test_a_signer_shows_nothing(tmp_path: Path) -> None:
    signer = (await access(model(tmp_path, region="eu-west-1"))).signer
    assert signer is not None
    assert KEYS.secret in signer.secrets
    assert KEYS.secret not in repr(signer)
    assert KEYS.token not in repr(signer)


async def test_a_bearers_key_needs_no_signature(tmp_path: Path, clients: Clients) -> None:
    with LLMServer(["Hello."], api_key="bearer-of-the-tests") as server:
        environ = {"AWS_BEARER_TOKEN_BEDROCK": "bearer-of-the-tests"}
        where = model(tmp_path, environ, base_url=server.url("bedrock")).endpoint
        assert (await done(request(model=MODEL), where, clients)).text == "Hello."
        assert "x-amz-date" not in server.requests[0].headers
    assert where.key_source == "AWS_BEARER_TOKEN_BEDROCK"


@pytest.mark.parametrize(
    ("environ", "settings", "region"),
    [
        ({}, {"region": "eu-west-1"}, "eu-west-1"),
        ({"AWS_REGION": "us-west-2", "AWS_DEFAULT_REGION": "x-1"}, {}, "us-west-2"),
        ({"AWS_DEFAULT_REGION": "us-gov-west-1"}, {}, "us-gov-west-1"),
        ({"AWS_REGION": "us-west-2"}, {"region": "ap-south-1"}, "ap-south-1"),
    ],
)
async def test_the_region_makes_the_address(
    environ: dict[str, str], settings: dict[str, TomlValue], region: str, tmp_path: Path
) -> None:
    bearer = {"AWS_BEARER_TOKEN_BEDROCK": "b"}
    got = await access(model(tmp_path, {**bearer, **environ}, **settings))
    assert (got.base_url, got.region) == (f"https://bedrock-runtime.{region}.amazonaws.com", region)


async def test_a_profile_has_keys_and_a_region(tmp_path: Path) -> None:
    (tmp_path / "aws-config").write_text("[profile work]\nregion = ca-central-1\n")
    (tmp_path / "aws-credentials").write_text(
        "[work]\naws_access_key_id = AKIDWORK\naws_secret_access_key = secret-of-work\n"
    )
    got = await access(model(tmp_path, profile="work"))
    assert got.base_url == "https://bedrock-runtime.ca-central-1.amazonaws.com"
    assert got.signer is not None
    assert got.signer.source == "profile work"
    assert "AKIDWORK" in got.signer.headers(got.base_url, b"{}")["authorization"]


async def test_nothing_is_configured(tmp_path: Path, clients: Clients) -> None:
    said = await refusal(model(tmp_path))
    assert "there is no AWS region; set region in [providers.bedrock], or AWS_REGION" in said
    said = await refusal(model(tmp_path, region="us-east-1"))
    assert "there are no AWS keys; set AWS_BEARER_TOKEN_BEDROCK" in said
    assert "profile in [providers.bedrock]" in said
    end = await failed(request(model=MODEL), model(tmp_path, region="us-east-1").endpoint, clients)
    assert (end.failure.kind, "AWS_ACCESS_KEY_ID" in end.failure.hint) == ("auth", True)


async def test_a_profile_that_is_not_there(tmp_path: Path) -> None:
    said = await refusal(model(tmp_path, profile="nobody"))
    assert "nobody" in said
    assert "AWS_PROFILE" in said


@pytest.mark.parametrize("region", ["evil.example/", "us east", "US-EAST-1", "us-east-1.evil.example", "x" * 300])
@pytest.mark.usefixtures("keys")
async def test_what_is_no_region_leads_nowhere(region: str, tmp_path: Path) -> None:
    said = await refusal(model(tmp_path, region=region))
    assert "is no AWS region" in said
    assert len(said) < 200


@pytest.mark.usefixtures("keys")
async def test_a_key_refused_is_looked_up_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    credentials = model(tmp_path, region="eu-west-1").endpoint.credentials
    assert credentials is not None
    first = (await credentials.get()).signer
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKIDOTHER")
    again = (await credentials.get()).signer
    credentials.forget()
    anew = (await credentials.get()).signer
    assert first is not None
    assert again is not None
    assert anew is not None
    assert ("AKIDOTHER" in again.secrets, "AKIDOTHER" in anew.secrets) == (False, True)


@pytest.mark.parametrize(
    ("settings", "trusted", "refused"),
    [
        ('base_url = "http://127.0.0.1:1"', True, "base_url"),
        ('base_url = "http://127.0.0.1:1"', False, "base_url"),
        ('profile = "work"', False, "profile"),
        ('profile = "work"', True, ""),
        ('region = "us-west-2"', False, ""),
    ],
)
@pytest.mark.usefixtures("keys")
async def test_a_project_may_not_say_where_the_users_keys_go(
    settings: str, trusted: bool, refused: str, tmp_path: Path
) -> None:
    (tmp_path / "aws-config").write_text("[profile work]\nregion = ca-central-1\n")
    (tmp_path / "aws-credentials").write_text("[work]\naws_access_key_id = A\naws_secret_access_key = B\n")
    (tmp_path / ".panto").mkdir()
    (tmp_path / ".panto" / "config.toml").write_text(f"[providers.bedrock]\n{settings}\n")
    resolved = found(load(Paths.discover(tmp_path)), {"AWS_REGION": "eu-west-1"}, project_trusted=trusted)
    if refused:
        said = await refusal(resolved)
        assert f"the project's {refused} is not for it to say" in said
        assert KEYS.secret not in said
    else:
        assert (await access(resolved)).signer is not None


def test_nothing_of_it_is_loaded_before_a_request(tmp_path: Path) -> None:
    code = (
        "import sys, panto.llm.formats.bedrock, panto.llm.providers, panto.llm.formats.bedrock.credentials; "
        "print({name for name in sys.modules if name.partition('.')[0] in ('botocore', 'urllib3')})"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=tmp_path)
    assert ran.stdout.strip() == "set()"
