"""Where the history of a folder is kept: in its own `.git`, or in the data folder.

A folder of the user's gets no `.git` from us and his own repository no commit. Nor is a repository
put where another program carries files to other machines one by one: that damages it.
"""

import contextlib
import os
import stat
from dataclasses import dataclass
from pathlib import Path

from vault.errors import HistoryUnavailable
from vault.history.git import find_git, run
from vault.marker import read_marker
from vault.root import folder_key

_CLOUD_FOLDERS = {"Mobile Documents", "CloudStorage"}
_CLOUD_NAMES = ("dropbox", "onedrive", "icloud", "google drive", "googledrive", "nextcloud")
_CLOUD_MARKS = (".dropbox", ".dropbox.cache", ".stfolder")


@dataclass(frozen=True, slots=True)
class Home:
    """A folder and where its history is: `git_dir` is None for the `.git` in the folder."""

    root: Path
    git_dir: Path | None = None


def home_of(folder: Path | Home) -> Home:
    """A bare path means a folder that has its history in itself."""
    return folder if isinstance(folder, Home) else Home(folder)


def find_home(root: Path, data_dir: Path | None, *, is_ours: bool) -> Home:
    """Decide where the history is. What was once begun in the data folder stays there."""
    if data_dir is None:
        return Home(root)
    kept = history_dir(data_dir, root)
    if kept.is_dir() or not is_ours or _is_unfit(root):
        return Home(root, kept)
    return Home(root)


def history_dir(data_dir: Path, root: Path) -> Path:
    """The git directory in the data folder, named by the folder's real path as its index is."""
    return data_dir / "histories" / f"{folder_key(root)}.git"


def start_history(home: Home) -> None:
    """Make the repository unless it is there, or git is not; none in a folder of the user's."""
    if home.git_dir is None and read_marker(home.root) is None:
        return
    git_dir = home.git_dir or home.root / ".git"
    if find_git() is None or (git_dir / "HEAD").is_file() or git_dir.is_symlink():
        return
    if git_dir.exists() and not git_dir.is_dir():
        return
    arguments = ["-c", "init.defaultBranch=main", "init", "-q", "--template="]
    with contextlib.suppress(HistoryUnavailable, OSError):
        if home.git_dir is None:
            run([*arguments, "--", os.fspath(home.root)], home.root)
            return
        git_dir.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        places = {"GIT_DIR": os.fspath(git_dir), "GIT_WORK_TREE": os.fspath(home.root)}
        run(arguments, git_dir.parent, environment=places)


def _is_unfit(root: Path) -> bool:
    """Whether a repository of ours may not lie in the folder itself."""
    try:
        status = (root / ".git").lstat()
    except OSError:
        return is_in_repository(root) or is_in_cloud(root)
    return not stat.S_ISDIR(status.st_mode) or status.st_uid != os.geteuid()


def is_in_repository(root: Path) -> bool:
    """Whether a folder above belongs to a repository."""
    return any(os.path.lexists(folder / ".git") for folder in root.parents)


def is_in_cloud(root: Path) -> bool:
    """Whether the folder is one that iCloud, Dropbox or their like keep in step elsewhere."""
    places = (root, *root.parents)
    if any(
        (place.name in _CLOUD_FOLDERS and place.parent.name == "Library")
        or place.name.casefold().startswith(_CLOUD_NAMES)
        for place in places
    ):
        return True
    return any(os.path.lexists(place / mark) for place in places for mark in _CLOUD_MARKS)
