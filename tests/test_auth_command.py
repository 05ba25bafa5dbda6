"""`panto-py auth` as its users call it. A key never comes out again, whatever is typed where."""

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.support.terminal import Terminal

KEY = "sk-secret-0123456789"


def run(*arguments: str, typed: str | bytes = "", env: Mapping[str, str] | None = None) -> tuple[int, str]:
    """The status, and all that was written."""
    given = typed.encode() if isinstance(typed, str) else typed
    done = subprocess.run(
        [sys.executable, "-m", "panto.cli", *arguments],
        input=given,
        capture_output=True,
        env={**os.environ, **(env or {})},
        timeout=120,
        check=False,
    )
    return done.returncode, (done.stdout + done.stderr).decode()


def line_of(provider: str, output: str) -> str:
    return next(line for line in output.splitlines() if line.startswith(f"{provider} "))


@pytest.fixture(autouse=True)
def plain_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in [name for name in os.environ if name.endswith("_API_KEY")]:
        monkeypatch.delenv(name)


def test_a_key_is_piped_in_listed_and_taken_away(home: Path) -> None:
    status, output = run("auth")
    assert status == 0
    assert "no key: set ANTHROPIC_API_KEY, or panto-py auth set anthropic" in line_of("anthropic", output)
    assert "needs no key" in line_of("ollama", output)

    status, output = run("auth", "set", "anthropic", typed=f"{KEY}\n")
    assert (status, KEY in output) == (0, False)
    file = home / ".local/share/panto/keys/anthropic.key"
    assert file.read_text().strip() == KEY
    assert str(file).replace(str(home), "~") in output

    status, output = run("auth")
    assert "anthropic.key" in line_of("anthropic", output)
    assert KEY not in output

    status, output = run("auth", "remove", "anthropic")
    assert (status, file.exists()) == (0, False)
    assert "there is no stored key" in run("auth", "remove", "anthropic")[1]


def test_the_environment_counts_more_and_that_is_said() -> None:
    env = {"ANTHROPIC_API_KEY": "sk-of-the-environment"}
    _, output = run("auth", "set", "anthropic", typed=KEY, env=env)
    assert "ANTHROPIC_API_KEY is set as well, and is used before it" in output
    _, output = run("auth", env=env)
    assert line_of("anthropic", output).endswith("ANTHROPIC_API_KEY")
    assert "anthropic.key is not used" in output
    assert "sk-of" not in output


def test_a_file_that_others_can_read_is_pointed_out(home: Path) -> None:
    run("auth", "set", "openai", typed=KEY)
    (home / ".local/share/panto/keys/openai.key").chmod(0o644)
    assert "others can read" in run("auth")[1]
    run("auth", "set", "openai", typed=KEY)
    assert "others can read" not in run("auth")[1]


def test_a_provider_of_ones_own_has_a_key_too(home: Path) -> None:
    config = home / ".config/panto/config.toml"
    config.parent.mkdir(parents=True)
    config.write_text('[providers.work]\napi = "openai-chat"\nbase_url = "http://127.0.0.1:9/v1"\n')
    assert run("auth", "set", "work", typed=KEY)[0] == 0
    assert "work.key" in line_of("work", run("auth")[1])


@pytest.mark.parametrize(
    "arguments",
    [
        ("set", "openai", KEY),
        ("set", "openai", "--key", KEY),
        ("set", KEY),
        ("set", KEY, "openai"),
        ("set",),
        (KEY,),
        ("--key", KEY),
        (f"--key={KEY}",),
        ("set", f"openai={KEY}"),
        ("remove", "openai", KEY),
        ("remove", KEY),
        ("remove",),
        ("list", KEY),
    ],
)
def test_a_key_in_the_arguments_is_refused_and_not_repeated(arguments: tuple[str, ...], home: Path) -> None:
    status, output = run("auth", *arguments, typed="other-key\n")
    assert status == 2
    assert output
    assert KEY not in output
    assert not (home / ".local/share/panto/keys").exists()


def test_it_is_said_why_a_key_is_not_taken_from_the_arguments() -> None:
    assert "the shell's history" in run("auth", "set", "openai", KEY)[1]


@pytest.mark.parametrize("typed", ["", "\n", "two words\n", f"{KEY}\n{KEY}\n", b"\xff\xfe", "x" * 100_000])
def test_what_is_piped_in_must_be_a_key(typed: str | bytes, home: Path) -> None:
    status, output = run("auth", "set", "openai", typed=typed)
    assert status == 2
    assert "this is no key" in output
    assert KEY not in output
    assert not (home / ".local/share/panto/keys").exists()


def test_help() -> None:
    status, output = run("auth", "--help")
    assert status == 0
    assert "panto-py auth set PROVIDER" in output
    assert "auth " in run("--help")[1]


def test_a_key_that_is_typed_is_not_shown(home: Path, tmp_path: Path) -> None:
    program = [sys.executable, "-m", "panto.cli", "auth", "set", "openai"]
    with Terminal.start(program, cwd=tmp_path, home=home) as terminal:
        terminal.wait_for("key for openai (not shown):")
        terminal.send(f"{KEY}\r")
        terminal.wait_for("is stored in")
        assert terminal.wait_exit() == 0
        assert KEY.encode() not in terminal.raw
    stored = [file.read_text().strip() for file in home.rglob("openai.key")]
    assert stored == [KEY]
