"""A folder that was moved: the history kept of it under its old path is continued under its new.

Only when the user says so: a folder that is gone may be on a disk that is not plugged in.
"""

import os
from pathlib import Path

from vault.errors import HistoryUnavailable
from vault.history.git import Repository
from vault.history.home import Home, history_dir
from vault.names import displayable

_MOST_LOOKED_AT = 200


def continue_history(home: Home, data_dir: Path, old: Path) -> None:
    """Make the history of the folder `old`, which is gone, that of this one.

    What was begun of this one is put aside. Raises HistoryUnavailable.
    """
    if home.git_dir is None:
        raise HistoryUnavailable(
            "This wiki has its history in its own folder, with which it moves."
        )
    kept = history_dir(data_dir, old)
    shown = displayable(os.fspath(old))
    if old.is_dir():
        raise HistoryUnavailable(f"The folder {shown} is still there, and so is its history.")
    if not (kept / "HEAD").is_file():
        raise HistoryUnavailable(
            f"No history of a folder {shown} is kept; give the path the folder had before."
        )
    try:
        if home.git_dir.exists():
            home.git_dir.rename(_free_name(home.git_dir))
        kept.rename(home.git_dir)
    except OSError as error:
        raise HistoryUnavailable(f"The history could not be moved: {error.strerror}.") from error
    Repository(home.git_dir, home.root).run(["config", "core.worktree", os.fspath(home.root)])


def histories_that_fit(home: Home, data_dir: Path) -> tuple[Path, ...]:
    """The folders that are gone and had mostly pages that are in this one."""
    found = sorted((data_dir / "histories").glob("*.git"))[:_MOST_LOOKED_AT]
    return tuple(
        folder
        for git_dir in found
        if (folder := _folder_of(git_dir)) is not None
        and not folder.is_dir()
        and history_dir(data_dir, folder) == git_dir
        and _fits(git_dir, home.root)
    )


def _folder_of(git_dir: Path) -> Path | None:
    try:
        named = Repository(git_dir, git_dir).run(["config", "--local", "--get", "core.worktree"])
    except HistoryUnavailable:
        return None
    return Path(os.fsdecode(named.output).removesuffix("\n")) if named.succeeded else None


def _fits(git_dir: Path, root: Path) -> bool:
    listed = Repository(git_dir, git_dir).run(
        ["ls-tree", "-r", "-z", "--name-only", "--full-tree", "HEAD"]
    )
    paths = [path for path in os.fsdecode(listed.output).split("\0") if path.endswith(".md")]
    here = sum(os.path.lexists(root / path) for path in paths)
    return here * 2 > len(paths)


def _free_name(git_dir: Path) -> Path:
    names = (git_dir.with_name(f"{git_dir.stem}.replaced-{n}.git") for n in range(1, 10_000))
    return next(name for name in names if not name.exists())
