"""Keys are stored where only their owner finds them, and come back as they were."""

import stat
import sys
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import given, strategies as st

from panto import auth
from panto.auth import AuthError, keys_directory, read_stored, remove_key, store_key
from panto.paths import Paths

KEY = "sk-ant-0123456789"


class FakeKeyring(ModuleType):
    """Stands for the optional package. ``backend`` is the module of the backend that it found."""

    def __init__(self, backend: str = "keyring.backends.SecretService") -> None:
        super().__init__("keyring")
        self.kept: dict[tuple[str, str], str] = {}
        self._backend = backend
        self.before: Callable[[], None] = lambda: None

    def get_keyring(self) -> object:
        return type("Keyring", (), {"__module__": self._backend})()

    def get_password(self, service_name: str, username: str) -> str | None:
        return self.kept.get((service_name, username))

    def set_password(self, service_name: str, username: str, password: str) -> None:
        self.before()
        self.kept[service_name, username] = password

    def delete_password(self, service_name: str, username: str) -> None:
        self.before()
        del self.kept[service_name, username]


@pytest.fixture(autouse=True)
def no_keyring(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "keyring", None)


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    return tmp_path / "data" / "keys"


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_keys_are_beside_the_base_layer(tmp_path: Path) -> None:
    paths = Paths.discover(tmp_path, {"HOME": "/home/me", "XDG_DATA_HOME": "/data"}, "linux")
    assert keys_directory(paths) == Path("/data/panto/keys")


def test_a_key_in_a_file(directory: Path) -> None:
    place = store_key(directory, "anthropic", f"  {KEY}\n")
    assert place.endswith("anthropic.key")
    assert [file.name for file in directory.iterdir()] == ["anthropic.key"]
    assert mode(directory) == 0o700
    assert mode(directory / "anthropic.key") == 0o600
    stored = read_stored(directory)
    assert stored.spelling("anthropic") == KEY
    assert stored.source("anthropic") == place
    assert not stored.keys["anthropic"].exposed
    assert KEY not in repr(stored)
    assert (stored.spelling("openai"), stored.source("openai")) == (None, "")


def test_another_key_takes_its_place_and_mends_who_may_read_it(directory: Path) -> None:
    store_key(directory, "openai", "sk-old")
    directory.chmod(0o755)
    (directory / "openai.key").chmod(0o644)
    assert read_stored(directory).keys["openai"].exposed
    store_key(directory, "openai", "sk-new")
    assert read_stored(directory).spelling("openai") == "sk-new"
    assert (mode(directory), mode(directory / "openai.key")) == (0o700, 0o600)


def test_a_link_is_replaced_not_followed(directory: Path, tmp_path: Path) -> None:
    directory.mkdir(parents=True)
    (tmp_path / "elsewhere").write_text("mine")
    (directory / "openai.key").symlink_to(tmp_path / "elsewhere")
    store_key(directory, "openai", KEY)
    assert (tmp_path / "elsewhere").read_text() == "mine"
    assert not (directory / "openai.key").is_symlink()


def test_a_key_is_taken_away(directory: Path) -> None:
    assert not remove_key(directory, "openai")
    store_key(directory, "openai", KEY)
    assert remove_key(directory, "openai")
    assert not remove_key(directory, "openai")
    assert read_stored(directory).keys == {}


@pytest.mark.parametrize("key", ["", " \n", "a b", "a\nb", "a\x1bb", "schlüssel", "x" * 8193])
def test_what_is_no_key_is_not_stored(key: str, directory: Path) -> None:
    with pytest.raises(AuthError) as refused:
        store_key(directory, "openai", key)
    assert not directory.exists()
    assert key.strip() == "" or key not in str(refused.value) + refused.value.hint


@pytest.mark.parametrize("key", ["env:OTHER", "keyring:other", "!rm -rf /"])
def test_what_says_where_a_key_is_is_none(key: str, directory: Path) -> None:
    with pytest.raises(AuthError, match="says where a key is"):
        store_key(directory, "openai", key)


@pytest.mark.parametrize("provider", ["", "../x", "a/b", ".hidden", "a b", "x" * 65, "a\0b"])
def test_a_name_is_no_path(provider: str, directory: Path) -> None:
    for deed in (lambda: store_key(directory, provider, KEY), lambda: remove_key(directory, provider)):
        with pytest.raises(AuthError):
            deed()
    assert not directory.exists()


def test_what_lies_there_besides_is_no_key(directory: Path) -> None:
    directory.mkdir(parents=True)
    (directory / "a.key").mkdir()
    (directory / "b.key").write_bytes(b"\xff\xfe")
    (directory / "c.key").write_text("two words")
    (directory / "d.key").write_text("x" * 100_000)
    (directory / "e.txt").write_text(KEY)
    (directory / ".0123").write_text(KEY)
    assert read_stored(directory).keys == {}
    assert read_stored(directory / "a.key" / "nowhere").keys == {}


def test_a_directory_that_can_not_be_written_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(AuthError, match="can't be written"):
        store_key(tmp_path / "file" / "keys", "openai", KEY)


def test_a_keyring_that_works_keeps_the_key(directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store_key(directory, "openai", "sk-old")
    keyring = FakeKeyring()
    monkeypatch.setitem(sys.modules, "keyring", keyring)
    assert store_key(directory, "openai", KEY) == "the system's keyring"
    assert keyring.kept == {("panto", "openai"): KEY}
    assert all(KEY not in file.read_text() and "sk-old" not in file.read_text() for file in directory.iterdir())
    assert read_stored(directory).spelling("openai") == "keyring:openai"
    assert read_stored(directory).source("openai") == "the keyring"
    assert remove_key(directory, "openai")
    assert keyring.kept == {}
    assert read_stored(directory).keys == {}


@pytest.mark.parametrize("backend", ["keyring.backends.fail", "keyring.backends.null"])
def test_a_keyring_that_keeps_nothing_is_not_used(
    backend: str, directory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    keyring = FakeKeyring(backend)
    monkeypatch.setitem(sys.modules, "keyring", keyring)
    assert store_key(directory, "openai", KEY).endswith("openai.key")
    assert keyring.kept == {}


def test_a_keyring_that_fails_leaves_the_file(directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> None:
        raise RuntimeError(f"locked, says the system of {KEY}")

    keyring = FakeKeyring()
    monkeypatch.setitem(sys.modules, "keyring", keyring)
    store_key(directory, "other", KEY)
    keyring.before = fail
    assert store_key(directory, "openai", KEY).endswith("openai.key")
    with pytest.raises(AuthError, match="could not be taken out") as refused:
        remove_key(directory, "other")
    assert KEY not in str(refused.value)
    assert read_stored(directory).source("other") == "the keyring"


def test_a_keyring_that_waits_for_nobody_is_left(directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    unlocked = threading.Event()
    keyring = FakeKeyring()
    keyring.before = lambda: (unlocked.wait(), None)[1]
    monkeypatch.setitem(sys.modules, "keyring", keyring)
    monkeypatch.setattr(auth, "KEYRING_SECONDS", 0.05)
    assert store_key(directory, "openai", KEY).endswith("openai.key")
    unlocked.set()


PROVIDERS = st.from_regex(r"[A-Za-z0-9_-][A-Za-z0-9._-]{0,20}", fullmatch=True)
KEYS = st.text(st.characters(min_codepoint=33, max_codepoint=126), min_size=1, max_size=200).filter(
    lambda key: not key.startswith(("env:", "keyring:", "!"))
)


@given(st.dictionaries(PROVIDERS, KEYS, max_size=5))
def test_every_key_comes_back_as_it_was(keys: dict[str, str]) -> None:
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name) / "keys"
        for provider, key in keys.items():
            store_key(directory, provider, key)
        stored = read_stored(directory)
        assert {provider: stored.spelling(provider) for provider in stored.keys} == keys
        for provider in keys:
            assert remove_key(directory, provider)
        assert read_stored(directory).keys == {}
