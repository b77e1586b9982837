"""Finds pages that are no longer there by what they were called."""

import os
from pathlib import Path

from vault.history.git import Repository
from vault.history.home import Home
from vault.history.state import open_repository
from vault.links.mentions import last_part
from vault.names import NOTE_SUFFIX


def find_deleted(folder: Path | Home, name: str) -> str | None:
    """The path of the page of this name that was deleted last; None when the history has none.

    A page that was renamed is not deleted. Raises HistoryUnavailable.
    """
    wanted = last_part(name)
    deleted = _deleted(open_repository(folder))
    return next((path for path in deleted if last_part(path) == wanted), None)


def _deleted(repository: Repository) -> list[str]:
    """The paths of deleted pages, what was deleted last first."""
    commits = repository.run(["rev-list", "HEAD", "--"])
    none = {"GIT_INDEX_FILE": os.fspath(repository.git_dir / "zibaldone-no-index")}
    listed = repository.run(
        [
            *("diff-tree", "--stdin", "--no-commit-id", "-r", "-z", "-M"),
            *("--diff-filter=D", "--name-only"),
        ],
        stdin=commits.output if commits.succeeded else b"",
        environment=none,
    )
    paths = os.fsdecode(listed.output).split("\0") if listed.succeeded else []
    return [path for path in paths if path.endswith(NOTE_SUFFIX)]
