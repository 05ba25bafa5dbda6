"""LiteLLM's proxy, which others wrote: it speaks most APIs, and asks a scripted server behind it in another.

It lives in an environment of its own, made of wheels by uv and kept in uv's cache. It is pinned, and so is the day as
of which its many requirements are chosen: releases of this package that stole keys have been published more than once,
so the newest is never taken, and what runs is given none of our variables.
"""

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Generator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from time import monotonic

import httpx

from panto.llm.types import Endpoint
from tests.support.llm_server import LLMServer

PACKAGE = "litellm[proxy]==1.99.0"
AS_OF = "2026-09-01"
KEY = "sk-of-the-proxy-4c1e"
BASES = {"openai-chat": "/v1", "openai-responses": "/v1", "anthropic": "", "gemini": ""}
"""What follows its address in a provider's ``base_url``, for each wire format that it speaks and we do."""

BEHIND = {
    "to-openai": ("hosted_vllm/test-model", "openai-chat"),
    "to-anthropic": ("anthropic/test-model", "anthropic"),
    "to-gemini": ("gemini/test-model", "gemini"),
}
"""Its models that the scripted server answers for: how LiteLLM names each, and the API it asks in.

As `hosted_vllm` it asks in the Responses API what it is asked in it, and all else as chat.
"""

MOCKED = {"plain": "Good day to you.", "busy": "litellm.RateLimitError"}
"""Its models that LiteLLM itself answers for."""

_PATIENCE = 180.0
_ENVIRONMENT = {"PATH": os.defpath, "LITELLM_LOCAL_MODEL_COST_MAP": "True"}  # else it asks the network for prices


class NotInstallableError(Exception):
    """The proxy can't be installed. The text says why."""


@dataclass(frozen=True)
class LiteLLM:
    """A running proxy, and the scripted server that it asks."""

    url: str
    upstream: LLMServer

    def base_url(self, api: str) -> str:
        """What config has as ``base_url`` for a wire format."""
        return self.url + BASES[api]

    def endpoint(self, api: str, key: str = KEY) -> Endpoint:
        """It, as an endpoint of a wire format."""
        return Endpoint("lite", api, self.base_url(api), api_key=key)


def install() -> Path:
    """The program, installed now or earlier. Raises `NotInstallableError`."""
    uv = shutil.which("uv")
    if uv is None:
        raise NotInstallableError("there is no uv to install it with")
    chosen = ["--python", sys.executable, "--exclude-newer", AS_OF, "--no-build", "--from", PACKAGE]
    where = ["python", "-c", "import sys; print(sys.executable)"]
    made = subprocess.run(
        [uv, "tool", "run", "--isolated", *chosen, *where], capture_output=True, text=True, check=False
    )
    if made.returncode:
        raise NotInstallableError(made.stderr.strip()[-1000:])
    return Path(made.stdout.strip()).with_name("litellm")


@contextmanager
def running(program: Path, directory: Path) -> Generator[LiteLLM]:
    """The proxy, ready to answer. ``directory``: an empty one for all it writes. Raises `RuntimeError`."""
    with LLMServer(strict=False) as upstream:
        config = directory / "config.yaml"
        config.write_text(json.dumps(_config(upstream)), encoding="utf-8")  # JSON is YAML, too
        port = _free_port()
        log = directory / "log"
        with log.open("wb") as output:
            process = subprocess.Popen(
                [program, "--config", config, "--host", "127.0.0.1", "--port", str(port), "--telemetry", "False"],
                cwd=directory,
                env={**_ENVIRONMENT, "HOME": str(directory)},
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        url = f"http://127.0.0.1:{port}"
        try:
            _wait_ready(process, url, log)
            yield LiteLLM(url, upstream)
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def _config(upstream: LLMServer) -> Mapping[str, object]:
    asked: list[tuple[str, object]] = [
        (name, {"model": model, "api_key": "of-the-upstream", "api_base": upstream.url(api)})
        for name, (model, api) in BEHIND.items()
    ]
    mocked: list[tuple[str, object]] = [
        (name, {"model": "openai/mocked", "api_key": "none", "mock_response": says}) for name, says in MOCKED.items()
    ]
    return {
        "model_list": [{"model_name": name, "litellm_params": how} for name, how in (*asked, *mocked)],
        "general_settings": {"master_key": KEY},
        "litellm_settings": {"telemetry": False},
        "router_settings": {"num_retries": 0, "disable_cooldowns": True},  # each error is told, and told once
    }


def _wait_ready(process: "subprocess.Popen[bytes]", url: str, log: Path) -> None:
    """Ask after its health until it answers. Raises `RuntimeError` with what it printed if it ends or takes long."""
    deadline = monotonic() + _PATIENCE
    with httpx.Client(trust_env=False) as client:
        while process.poll() is None and monotonic() < deadline:
            with suppress(httpx.TransportError):
                if client.get(f"{url}/health/liveliness").is_success:
                    return
            with suppress(subprocess.TimeoutExpired):
                process.wait(0.1)
    printed = log.read_text(encoding="utf-8", errors="replace")[-3000:]
    raise RuntimeError(f"{PACKAGE} did not start (it ended with {process.poll()}):\n{printed}")


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
