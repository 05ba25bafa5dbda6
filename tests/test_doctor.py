"""`panto-py doctor`: what is fine, what is wrong, and what to do about it."""

from collections.abc import Callable
from pathlib import Path

import pytest

from panto.doctor import doctor
from tests.support.json_server import JSONServer

SERVED = '[providers.mine]\napi = "openai-chat"\nbase_url = "{}"\n'


def encoded(name: str) -> Callable[..., str]:
    """What the machine is set to."""

    def encoding(*, do_setlocale: bool) -> str:
        assert not do_setlocale
        return name

    return encoding


@pytest.fixture(autouse=True)
def utf8(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the machine is set to."""
    monkeypatch.setattr("locale.getpreferredencoding", encoded("UTF-8"))


def configured(home: Path, text: str) -> dict[str, str]:
    """An environment with that as the user's config, and no keys."""
    config = home / ".config/panto/config.toml"
    config.parent.mkdir(parents=True, exist_ok=True)
    config.write_text(text)
    return {"HOME": str(home)}


def found(lines: list[str], what: str) -> str:
    """The line about something."""
    return next(line for line in lines if line[3:].startswith(f"{what} "))


def test_where_all_is_well_it_says_so(home: Path, tmp_path: Path) -> None:
    with JSONServer({"/v1/models": {"data": [{"id": "m"}]}}) as server:
        lines, is_well = doctor(tmp_path, configured(home, SERVED.format(f"{server.url}/v1")))
    assert is_well, lines
    assert lines[-1] == "nothing is wrong"
    assert found(lines, "mine").endswith("answers, with 1 models")
    assert "git version" in found(lines, "git")
    assert "not asked" in found(lines, "terminal")
    assert found(lines, "sessions").endswith("(none yet)")


def test_what_is_wrong_is_marked_with_what_to_do(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("locale.getpreferredencoding", encoded("ANSI_X3.4-1968"))
    environ = configured(home, 'mode = "bild"\n' + SERVED.format("http://127.0.0.1:1/v1"))
    state = home / ".local/state/panto"
    state.mkdir(parents=True)
    (state / "sessions.db").write_bytes(b"no database \x1b[31m" * 100)
    lines, is_well = doctor(tmp_path, environ)
    assert not is_well
    assert "\x1b" not in "\n".join(lines)
    problems = [line for line in lines if line.startswith(" ! ")]
    assert [line.split()[1] for line in problems] == ["encoding", "sessions", "warning", "mine"]
    assert 'did you mean "build"?' in found(lines, "warning")
    assert lines[-1] == "4 things are wrong"


def test_without_a_provider_it_says_how_to_come_by_one(home: Path, tmp_path: Path) -> None:
    lines, is_well = doctor(tmp_path, {"HOME": str(home)})
    assert not is_well
    assert "none is set up" in found(lines, "providers")
    assert lines[-1] == "1 thing is wrong"


def test_a_file_where_a_directory_should_be(home: Path, tmp_path: Path) -> None:
    (home / ".local").write_text("")
    lines, _ = doctor(tmp_path, {"HOME": str(home)})
    assert "can't be written to" in found(lines, "state")
