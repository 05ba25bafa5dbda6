"""Where things are kept, and that no variable of the environment leads astray."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from platformdirs import windows

from panto.paths import Paths


def environ(home: Path, **variables: str) -> dict[str, str]:
    return {"HOME": str(home), **variables}


def test_the_layers_lie_at_the_xdg_defaults(tmp_path: Path) -> None:
    project = tmp_path / "project"
    paths = Paths.discover(project, environ(tmp_path), platform="linux")

    assert paths.base.directory == tmp_path / ".local/share/panto/agent"
    assert paths.user.directory == tmp_path / ".config/panto"
    assert paths.project.directory == project / ".panto"
    assert paths.state == tmp_path / ".local/state/panto"
    assert paths.cache == tmp_path / ".cache/panto"
    assert [layer.name for layer in paths.layers] == ["base", "user", "project"]


def test_the_variables_move_them(tmp_path: Path) -> None:
    variables = {
        name: str(tmp_path / name) for name in ("XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME")
    }
    paths = Paths.discover(tmp_path, environ(tmp_path, **variables), platform="linux")

    assert paths.base.directory == tmp_path / "XDG_DATA_HOME/panto/agent"
    assert paths.user.directory == tmp_path / "XDG_CONFIG_HOME/panto"
    assert paths.state == tmp_path / "XDG_STATE_HOME/panto"
    assert paths.cache == tmp_path / "XDG_CACHE_HOME/panto"


@pytest.mark.parametrize("value", ["", "relative/place", ".", "~someone/else"])
def test_r2_an_empty_or_relative_variable_counts_as_unset(tmp_path: Path, value: str) -> None:
    paths = Paths.discover(tmp_path, environ(tmp_path, XDG_CONFIG_HOME=value, XDG_DATA_HOME=value), platform="linux")

    assert paths.user.directory == tmp_path / ".config/panto"
    assert paths.base.directory == tmp_path / ".local/share/panto/agent"


@pytest.mark.parametrize(("value", "place"), [("~", "."), ("~/settings", "settings")])
def test_a_tilde_that_no_shell_expanded_is_home(tmp_path: Path, value: str, place: str) -> None:
    paths = Paths.discover(tmp_path, environ(tmp_path, XDG_CONFIG_HOME=value), platform="linux")

    assert paths.user.directory == tmp_path / place / "panto"


def test_macos_uses_the_xdg_places_too(tmp_path: Path) -> None:
    assert Paths.discover(tmp_path, environ(tmp_path), "darwin") == Paths.discover(tmp_path, environ(tmp_path), "linux")


@pytest.mark.parametrize("home", ["", "not/absolute"])
def test_without_a_usable_home_the_system_is_asked(tmp_path: Path, home: str) -> None:
    paths = Paths.discover(tmp_path, {"HOME": home}, platform="linux")

    assert paths.user.directory == Path.home() / ".config/panto"


def test_windows_has_places_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(windows, "get_win_folder", windows.get_win_folder_from_env_vars)
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path / "Local"))
    paths = Paths.discover(tmp_path, environ(tmp_path, XDG_CONFIG_HOME=str(tmp_path / "xdg")), platform="win32")

    assert paths.user.directory == tmp_path / "Local/panto"
    assert paths.base.directory == tmp_path / "Local/panto/agent"
    assert paths.state.is_relative_to(tmp_path / "Local/panto")
    assert paths.cache.is_relative_to(tmp_path / "Local/panto")
    assert paths.project.directory == tmp_path / ".panto"


def test_a_layer_holds_its_kinds_of_file_in_directories_of_their_own(tmp_path: Path) -> None:
    layer = Paths.discover(tmp_path, environ(tmp_path), platform="linux").user

    assert layer.config_file == layer.directory / "config.toml"
    assert layer.rules_dir == layer.directory
    for name in ("skills", "agents", "commands", "extensions", "themes"):
        assert getattr(layer, name) == layer.directory / name


def test_a_projects_rules_lie_at_its_root(tmp_path: Path) -> None:
    paths = Paths.discover(tmp_path, environ(tmp_path), platform="linux")

    assert paths.project.rules_dir == tmp_path == paths.root
    assert paths.project.config_file == tmp_path / ".panto/config.toml"


def test_the_database_and_the_log_are_state(tmp_path: Path) -> None:
    paths = Paths.discover(tmp_path, environ(tmp_path), platform="linux")

    assert paths.database.parent == paths.log_file.parent == paths.state


def test_the_project_is_found_by_its_real_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "real/sub").mkdir(parents=True)
    (tmp_path / "link").symlink_to("real/sub")
    monkeypatch.chdir(tmp_path)

    assert Paths.discover(Path("link"), environ(tmp_path)).root == tmp_path / "real/sub"
    assert Paths.discover(Path("link/.."), environ(tmp_path)).root == tmp_path / "real"


def test_a_loop_of_links_raises_nothing(tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to("loop")

    assert Paths.discover(tmp_path / "loop", environ(tmp_path)).root.is_absolute()


def test_nothing_is_created(tmp_path: Path) -> None:
    home = tmp_path / "home"
    Paths.discover(tmp_path / "project", environ(home))

    assert list(tmp_path.iterdir()) == []


def test_the_suite_runs_in_a_home_of_its_own(home: Path) -> None:
    paths = Paths.discover(home / "project")

    for place in (paths.base.directory, paths.user.directory, paths.state, paths.cache):
        assert place.is_relative_to(home)


def test_the_module_asks_for_nothing_heavy() -> None:
    """Windows alone pays for platformdirs."""
    source = Path(sys.modules[Paths.__module__].__file__ or "")
    code = (
        "import sys, runpy; runpy.run_path(sys.argv[1]);"
        "print(*sorted({'platformdirs', 'msgspec', 'asyncio'} & set(sys.modules)))"
    )
    run = subprocess.run(
        [sys.executable, "-c", code, str(source)], capture_output=True, text=True, check=True, env={**os.environ}
    )

    assert run.stdout.strip() == ""
