"""Where panto keeps things: the layers of settings and text, the state and the cache.

Nothing here touches the disk but to find the project's real path, and nothing is created: a layer may well be absent.
"""

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

LayerName = Literal["base", "user", "project"]


@dataclass(frozen=True, slots=True)
class Layer:
    """One place that holds settings and text. Later layers win over earlier ones.

    `rules_dir` is where the layer's AGENTS.md lies: the directory itself, or for a project its root.
    """

    name: LayerName
    directory: Path
    rules_dir: Path

    @property
    def config_file(self) -> Path:
        return self.directory / "config.toml"

    @property
    def skills(self) -> Path:
        return self.directory / "skills"

    @property
    def agents(self) -> Path:
        return self.directory / "agents"

    @property
    def commands(self) -> Path:
        return self.directory / "commands"

    @property
    def extensions(self) -> Path:
        return self.directory / "extensions"

    @property
    def themes(self) -> Path:
        return self.directory / "themes"


@dataclass(frozen=True, slots=True)
class Paths:
    """Every directory the program uses, all of them absolute.

    `state` holds what must outlive a run (the session database, the log); `cache` what may be deleted at any time.
    """

    root: Path
    base: Layer
    user: Layer
    project: Layer
    state: Path
    cache: Path

    @classmethod
    def discover(cls, project: Path, environ: Mapping[str, str] = os.environ, platform: str = sys.platform) -> "Paths":
        """Find the directories for a session in `project`, the directory the program was launched in or on.

        `environ` gives the XDG variables and the home directory; `platform` is spelled as `sys.platform`. Windows
        has places of its own, which the system itself names.
        """
        root = Path(os.path.realpath(project))  # not Path.resolve, which raises on a loop of links
        homes = _windows_homes() if platform == "win32" else _xdg_homes(environ)
        data = homes.data / "agent"
        return cls(
            root=root,
            base=Layer("base", data, data),
            user=Layer("user", homes.config, homes.config),
            project=Layer("project", root / ".panto", root),
            state=homes.state,
            cache=homes.cache,
        )

    @property
    def layers(self) -> tuple[Layer, Layer, Layer]:
        """Base, user, project: lowest first."""
        return (self.base, self.user, self.project)

    @property
    def database(self) -> Path:
        return self.state / "sessions.db"

    @property
    def model_shelf(self) -> Path:
        """The user's favourite models, and those chosen last."""
        return self.state / "models.json"

    @property
    def log_file(self) -> Path:
        return self.state / "panto.log"

    @property
    def wire_log(self) -> Path:
        """What went over the wire, if that is wanted."""
        return self.state / "wire.jsonl"


@dataclass(frozen=True, slots=True)
class _Homes:
    """The program's own directory of each kind."""

    data: Path
    config: Path
    state: Path
    cache: Path


def _xdg_homes(environ: Mapping[str, str]) -> _Homes:
    """The XDG places, on macOS too. platformdirs reads only the process's own environment, so it is done here."""
    home = environ.get("HOME", "")
    home_dir = Path(home) if Path(home).is_absolute() else Path.home()

    def place(variable: str, default: str) -> Path:
        value = environ.get(variable, "")
        if value == "~" or value.startswith("~/"):  # written where no shell expands it, as in a service file
            value = f"{home_dir}{value[1:]}"
        # The XDG specification: a relative path is invalid and to be ignored, like an empty one.
        chosen = Path(value) if Path(value).is_absolute() else home_dir / default
        return chosen / "panto"

    return _Homes(
        data=place("XDG_DATA_HOME", ".local/share"),
        config=place("XDG_CONFIG_HOME", ".config"),
        state=place("XDG_STATE_HOME", ".local/state"),
        cache=place("XDG_CACHE_HOME", ".cache"),
    )


def _windows_homes() -> _Homes:
    from platformdirs.windows import Windows  # noqa: PLC0415  only Windows pays for the import

    places = Windows("panto", appauthor=False)
    return _Homes(
        data=places.user_data_path,
        config=places.user_config_path,
        state=places.user_state_path,
        cache=places.user_cache_path,
    )
