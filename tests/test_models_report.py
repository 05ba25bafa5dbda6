"""`panto-py models`: what the servers list beside what is known, and nothing raw on the terminal."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from panto.models_report import UnknownProviderError, models
from tests.support.json_server import JSONServer

LIST = {"data": [{"id": "qwen3-8b", "max_model_len": 32768}, {"id": "mystery"}, {"id": "claude-opus-5-5"}]}


@pytest.fixture
def server() -> Iterator[JSONServer]:
    with JSONServer({"/v1/models": LIST}) as found:
        yield found


def configured(home: Path, text: str) -> dict[str, str]:
    """An environment with that as the user's config, and no keys."""
    config = home / ".config/panto/config.toml"
    config.parent.mkdir(parents=True, exist_ok=True)
    config.write_text(text)
    return {"HOME": str(home)}


def mine(server: JSONServer, extra: str = "") -> str:
    return f'[providers.mine]\napi = "openai-chat"\nbase_url = "{server.url}/v1"\n{extra}'


def test_what_a_server_lists_with_what_is_known(server: JSONServer, home: Path, tmp_path: Path) -> None:
    extra = '[providers.mine.models."mystery"]\ncontext_window = 200000\nmax_tokens = 1500\ninput = ["text", "image"]\n'
    lines = models(tmp_path, "mine", configured(home, mine(server, extra)))
    assert lines[0] == "mine: 3 models"
    assert [line.split() for line in lines[1:]] == [
        ["claude-opus-5-5"],
        ["mystery", "200k", "window", "1.5k", "answer", "text,", "images"],
        ["qwen3-8b", "32.8k", "window", "text", "thinks:", "off", "low", "medium", "high"],
    ]


def test_without_a_key_what_is_known_is_shown(home: Path, tmp_path: Path) -> None:
    lines = models(tmp_path, "anthropic", {"HOME": str(home)})
    assert lines[0] == "anthropic: no key, so it is not asked"
    [line] = [line for line in lines if line.split()[0] == "claude-opus-5-5"]
    assert " ".join(line.split()[1:]) == "1M window 128k answer text, images thinks: low medium high"


def test_all_of_them_in_short(server: JSONServer, home: Path, tmp_path: Path) -> None:
    dead = "\n".join(
        f'[providers.{name}]\nbase_url = "http://127.0.0.1:9{path}"'
        for name, path in (("ollama", ""), ("lmstudio", "/v1"), ("llamacpp", "/v1"), ("vllm", "/v1"))
    )
    lines = models(tmp_path, None, configured(home, f"{dead}\n{mine(server)}"))
    assert "mine: 3 models" in lines
    assert any(line.startswith("anthropic: no key; ") for line in lines)
    [ollama] = [line for line in lines if line.startswith("ollama: ")]
    assert "no connection to 127.0.0.1:9" in ollama


def test_a_provider_that_is_not_there(home: Path, tmp_path: Path) -> None:
    with pytest.raises(UnknownProviderError, match="there are anthropic"):
        models(tmp_path, "nobody", {"HOME": str(home)})
    done = subprocess.run(
        [sys.executable, "-m", "panto.cli", "models", "no\x1b[31mbody"], capture_output=True, timeout=120, check=False
    )
    assert done.returncode == 2
    assert b"there is no provider" in done.stderr
    assert b"\x1b" not in done.stderr


def test_the_command_prints_it(server: JSONServer, home: Path, tmp_path: Path) -> None:
    configured(home, mine(server))
    done = subprocess.run(
        [sys.executable, "-m", "panto.cli", "models", "mine"],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        timeout=120,
        check=True,
    )
    assert done.stdout.splitlines()[0] == "mine: 3 models"
