"""Where the folders are and how they are made."""

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from tui.paths import Paths, PathsError, ensure, find_paths

XDG = ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR")


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in XDG:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    return tmp_path


def test_xdg_variables_win_on_every_platform(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in XDG:
        folder = home / name
        folder.mkdir(mode=0o700)
        monkeypatch.setenv(name, str(folder))
    paths = find_paths()
    found = (paths.config_dir, paths.data_dir, paths.cache_dir, paths.state_dir, paths.runtime_dir)
    assert found == tuple(home / name / "zibaldone" for name in XDG)


@pytest.mark.skipif(sys.platform != "linux", reason="the platform's own places differ")
def test_places_on_linux(home: Path) -> None:
    paths = find_paths()
    assert paths.config_file == home / ".config/zibaldone/config.toml"
    assert paths.themes_dir == home / ".config/zibaldone/themes"
    assert paths.models_dir == home / ".local/share/zibaldone/models"
    assert paths.engine_cache_dir == home / ".cache/zibaldone/engine"
    assert paths.logs == home / ".local/state/zibaldone/logs"
    assert not list(home.iterdir())


def test_a_shared_temporary_folder_is_never_the_runtime_folder(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shared = home / "shared"
    shared.mkdir(mode=0o777)
    (shared / "zib").symlink_to(home)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(shared / "zib"))
    assert shared not in find_paths().runtime_dir.parents


def test_relative_xdg_variables_are_ignored(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", "data")
    assert find_paths().data_dir.is_absolute()


@pytest.mark.skipif(os.geteuid() != 0, reason="takes root to be a user without an entry")
def test_no_home_at_all_is_one_clear_sentence() -> None:
    # Everything is imported first: the other user may not read where Python is installed.
    code = """
import os, platformdirs, pwd, tempfile, warnings
from tui.paths import PathsError, find_paths
platformdirs.PlatformDirs("x").user_config_path
os.setuid(54_321)
del os.environ["HOME"]
try:
    find_paths()
except PathsError as error:
    print("PathsError", error)
"""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout.startswith("PathsError No home directory is known")
    assert done.stderr == ""


def test_folders_are_made_for_the_user_alone(tmp_path: Path) -> None:
    deep = ensure(tmp_path / "a" / "b" / "c")
    for folder in (deep, deep.parent, deep.parent.parent):
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    deep.chmod(0o755)
    assert stat.S_IMODE(ensure(deep).stat().st_mode) == 0o755


@pytest.mark.parametrize("kind", ["file", "below a file", "dangling link", "loop"])
def test_what_stands_in_the_way_is_named(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "x"
    match kind:
        case "file":
            path.write_text("")
        case "below a file":
            path.write_text("")
            path = path / "y"
        case "dangling link":
            path.symlink_to(tmp_path / "gone" / "too")
        case _:
            path.symlink_to(path)
    with pytest.raises(PathsError, match="Cannot make the folder") as caught:
        ensure(path)
    assert str(path) in str(caught.value)


def test_an_unwritable_home_is_one_clear_sentence(tmp_path: Path) -> None:
    place = Path("/proc/zibaldone") if os.geteuid() == 0 else tmp_path / "shut" / "x"
    if os.geteuid() != 0:
        place.parent.mkdir(mode=0o500)
    with pytest.raises(PathsError, match="HOME or the XDG variables"):
        ensure(place)


def test_paths_are_a_plain_value(tmp_path: Path) -> None:
    paths = Paths(*(tmp_path / name for name in "abcde"))
    assert paths.config_file.parent == tmp_path / "a"
    with pytest.raises(AttributeError):
        paths.data_dir = tmp_path  # type: ignore[misc]  # what must fail
