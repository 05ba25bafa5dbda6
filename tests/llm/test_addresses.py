"""Addresses as environment variables have them, and what becomes of them."""

from pathlib import Path

import pytest

from panto.config import load
from panto.config.source import TomlValue
from panto.llm.addresses import address_of
from panto.llm.providers import ResolvedModel, resolve
from panto.paths import Paths


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("", ""),
        (" ", ""),
        ("127.0.0.1", "http://127.0.0.1:11434"),
        ("0.0.0.0", "http://127.0.0.1:11434"),
        ("0.0.0.0:8080", "http://127.0.0.1:8080"),
        (":8080", "http://127.0.0.1:8080"),
        ("box.example", "http://box.example:11434"),
        ("box.example:80/path/", "http://box.example:80/path"),
        ("http://box.example", "http://box.example"),
        ("https://box.example/ollama/", "https://box.example/ollama"),
        ("https://box.example:8443", "https://box.example:8443"),
        ("[::1]:9", "http://[::1]:9"),
        ("::1", "http://[::1]:11434"),
        ("::", "http://[::1]:11434"),
        ('  "', 'http://":11434'),
        ("ftp://box.example", ""),
        ("http://", ""),
        ("box:port", ""),
        ("box:99999", ""),
        ("me:word@box", ""),
        ("[::1", ""),
    ],
)
def test_what_is_asked(text: str, address: str) -> None:
    assert address_of(text) == address


def base_url(directory: Path, environ: dict[str, str], **ollama: TomlValue) -> str:
    resolved = resolve("ollama/qwen3", load(Paths.discover(directory), {"providers": {"ollama": ollama}}), environ)
    assert isinstance(resolved, ResolvedModel), resolved
    return resolved.endpoint.base_url


def test_ollama_is_where_its_own_variable_says_unless_config_does(tmp_path: Path) -> None:
    assert base_url(tmp_path, {}) == "http://127.0.0.1:11434"
    assert base_url(tmp_path, {"OLLAMA_HOST": "box:1"}) == "http://box:1"
    assert base_url(tmp_path, {"OLLAMA_HOST": "nonsense://"}) == "http://127.0.0.1:11434"
    assert base_url(tmp_path, {"OLLAMA_HOST": "box:1"}, base_url="http://other:2") == "http://other:2"


def test_the_room_of_a_model_is_asked_for_and_counted_on(tmp_path: Path) -> None:
    models: TomlValue = {"qwen3": {"num_ctx": 32768}, "gpt-oss": {"num_ctx": 8192, "context_window": 4096}}
    config = load(Paths.discover(tmp_path), {"providers": {"ollama": {"models": models}}})
    found = {name: resolve(f"ollama/{name}", config, {}) for name in ("qwen3", "gpt-oss", "llama3")}
    rooms = {
        name: (model.endpoint.num_ctx, model.context_window)
        for name, model in found.items()
        if isinstance(model, ResolvedModel)
    }
    assert rooms == {"qwen3": (32768, 32768), "gpt-oss": (8192, 4096), "llama3": (None, None)}
