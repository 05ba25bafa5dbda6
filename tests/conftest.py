"""What every test stands on: a home directory of its own, so that none touches the real one."""

import signal
from pathlib import Path

import hypothesis
import pytest

hypothesis.settings.register_profile("panto", deadline=None)  # a busy machine is no failure
hypothesis.settings.load_profile("panto")

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # as in what a script starts behind it; children would inherit it
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGQUIT, signal.SIG_DFL)

_XDG_VARIABLES = {
    "XDG_CONFIG_HOME": ".config",
    "XDG_DATA_HOME": ".local/share",
    "XDG_STATE_HOME": ".local/state",
    "XDG_CACHE_HOME": ".cache",
    "XDG_RUNTIME_DIR": ".runtime",
}


@pytest.fixture(autouse=True)
def home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty home directory, which HOME and the XDG variables point into."""
    directory = tmp_path_factory.mktemp("home")
    for variable in ("HOME", "USERPROFILE"):
        monkeypatch.setenv(variable, str(directory))
    for variable, place in _XDG_VARIABLES.items():
        monkeypatch.setenv(variable, str(directory / place))
    monkeypatch.delenv("NO_COLOR", raising=False)  # pictures have colours wherever the tests run
    return directory
