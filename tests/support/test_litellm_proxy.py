"""Installing and running what others wrote, played by small scripts: what is told, and that nothing is left of it."""

import json
import os
import select
import sys
from pathlib import Path

import httpx
import pytest

from tests.support.litellm_proxy import KEY, NotInstallableError, install, running

SERVER = """
import http.server, json, os, pathlib, subprocess, sys

class Healthy(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200 if self.path == "/health/liveliness" else 404)
        self.end_headers()

subprocess.Popen(["sleep", "1000"], stdout=open("alive", "w"))
pathlib.Path("environment.json").write_text(json.dumps(dict(os.environ)))
port = int(sys.argv[sys.argv.index("--port") + 1])
http.server.HTTPServer(("127.0.0.1", port), Healthy).serve_forever()
"""


def program(directory: Path, name: str, interpreter: str, text: str) -> Path:
    file = directory / name
    file.write_text(f"#!{interpreter}\n{text}")
    file.chmod(0o755)
    return file


def test_without_uv_it_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(NotInstallableError, match="no uv"):
        install()


def test_what_uv_says_is_the_reason(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program(tmp_path, "uv", "/bin/sh", 'echo "no registry" >&2; exit 2')
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(NotInstallableError, match="no registry"):
        install()


def test_a_program_that_ends_fails_with_what_it_printed(tmp_path: Path) -> None:
    broken = program(tmp_path, "broken", "/bin/sh", 'echo "cannot import"; exit 3')
    with pytest.raises(RuntimeError, match=r"(?s)ended with 3.*cannot import"), running(broken, tmp_path):
        pass


def test_it_gets_no_variable_of_ours_and_nothing_of_it_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET_OF_OURS", "x")
    alive = tmp_path / "alive"
    os.mkfifo(alive)
    reader = os.open(alive, os.O_RDONLY | os.O_NONBLOCK)
    with running(program(tmp_path, "server", sys.executable, SERVER), tmp_path) as proxy:
        environment = json.loads((tmp_path / "environment.json").read_text())
        config = json.loads((tmp_path / "config.yaml").read_text())
    assert "SECRET_OF_OURS" not in environment
    assert environment["HOME"] == str(tmp_path)
    assert config["general_settings"]["master_key"] == KEY
    assert proxy.upstream.url("anthropic") in json.dumps(config["model_list"])
    with pytest.raises(httpx.TransportError):
        httpx.get(proxy.url, trust_env=False)
    ended, _, _ = select.select([reader], [], [], 30)
    assert ended, "what it started still runs"
    assert os.read(reader, 1) == b""
    os.close(reader)
