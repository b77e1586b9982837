"""Where Zibaldone keeps its files: folders only, without settings, and none made by itself."""

import os
import sys
import warnings
from dataclasses import dataclass
from pathlib import Path

APP_NAME = "zibaldone"


class PathsError(Exception):
    """A folder cannot be found or made; `str()` is a sentence for the user."""


@dataclass(frozen=True, slots=True)
class Paths:
    """The folders of one user: the XDG variables, on macOS too, else the platform's own."""

    config_dir: Path
    """What the user writes: config.toml and themes."""
    data_dir: Path
    """What cannot be made again: conversations, models."""
    cache_dir: Path
    """What can be deleted at any time without losing anything."""
    state_dir: Path
    """What is worth keeping but not worth a backup: logs, histories."""
    runtime_dir: Path
    """Sockets of the running program."""

    @property
    def config_file(self) -> Path:
        """The user's settings; may be missing."""
        return self.config_dir / "config.toml"

    @property
    def themes_dir(self) -> Path:
        """The user's own themes."""
        return self.config_dir / "themes"

    @property
    def personas_dir(self) -> Path:
        """The user's own personas."""
        return self.config_dir / "personas"

    @property
    def models_dir(self) -> Path:
        """Models we fetched: data, because emptying a cache must not break an offline machine."""
        return self.data_dir / "models"

    @property
    def consents_dir(self) -> Path:
        """Which folders of the user's own zib may write to."""
        return self.data_dir / "consents"

    @property
    def records_dir(self) -> Path:
        """What models really cost and how fast they ran on this machine."""
        return self.data_dir / "records"

    @property
    def engine_cache_dir(self) -> Path:
        """Compiled kernels of the engine."""
        return self.cache_dir / "engine"

    @property
    def kept_dir(self) -> Path:
        """What models have read of conversations, so that it need not be read again."""
        return self.cache_dir / "kept"

    @property
    def logs(self) -> Path:
        """Log files."""
        return self.state_dir / "logs"


def find_paths() -> Paths:
    """Work out the folders from the environment; touches no disk.

    Raises PathsError when no home directory can be found.
    """
    # Costs 20 ms that `zib --help` need not pay.
    from platformdirs import PlatformDirs

    dirs = PlatformDirs(APP_NAME, appauthor=False)
    try:
        config_dir, data_dir = dirs.user_config_path, dirs.user_data_path
        cache_dir, state_dir = dirs.user_cache_path, dirs.user_state_path
    except RuntimeError as error:
        raise PathsError(
            "No home directory is known for this user. Set HOME to an absolute folder,"
            " or set XDG_CONFIG_HOME, XDG_DATA_HOME, XDG_CACHE_HOME and XDG_STATE_HOME."
        ) from error
    runtime_dir = _session_runtime_dir() or cache_dir / "run"
    return Paths(config_dir, data_dir, cache_dir, state_dir, runtime_dir)


def _session_runtime_dir() -> Path | None:
    """The login session's private folder; None where only a shared /tmp is left."""
    from platformdirs import PlatformDirs

    # Two windows must agree on this folder, so its choice depends on nothing that comes and goes.
    has_session = os.environ.get("XDG_RUNTIME_DIR") or Path(f"/run/user/{os.geteuid()}").is_dir()
    if not has_session and sys.platform != "darwin":
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return PlatformDirs(APP_NAME, appauthor=False).user_runtime_path
        except (PermissionError, RuntimeError):
            return None


def ensure(path: Path) -> Path:
    """Make the folder and its missing parents, for the user alone (0700).

    Existing folders keep their mode. Raises PathsError when it cannot be made or is no folder.
    """
    try:
        _make(path)
    except OSError as error:
        hint = "Free that name" if isinstance(error, FileExistsError) else "Make it writable"
        raise PathsError(
            f"Cannot make the folder {path}: {error.strerror or error}."
            f" {hint}, or point HOME or the XDG variables at another place."
        ) from error
    return path


def _make(path: Path) -> None:
    try:
        path.mkdir(mode=0o700, exist_ok=True)
    except FileNotFoundError:
        if path.parent == path:
            raise
        _make(path.parent)
        path.mkdir(mode=0o700, exist_ok=True)
