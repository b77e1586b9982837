"""Finds out whether a commit may be made in a vault, and why not."""

import os
import stat
import sys
import unicodedata
from dataclasses import dataclass
from enum import Enum, auto
from pathlib import Path

from vault.errors import HistoryUnavailable
from vault.history.git import Repository, find_git
from vault.history.home import Home, home_of
from vault.marker import read_marker


class SkipReason(Enum):
    """Why nothing was committed."""

    UNCHANGED = auto()
    NOT_OURS = auto()
    NO_GIT = auto()
    NO_REPOSITORY = auto()
    FOREIGN_OWNER = auto()
    DETACHED_HEAD = auto()
    OPERATION_IN_PROGRESS = auto()
    LOCKED = auto()
    DAMAGED = auto()


@dataclass(frozen=True, slots=True)
class Skipped:
    """Nothing was committed; `message` is a sentence for the user. The files stand as saved."""

    reason: SkipReason
    message: str


@dataclass(frozen=True, slots=True)
class Head:
    """The branch commits go to; `sha` is None before its first commit."""

    branch: str
    sha: str | None


_IN_PROGRESS = {
    "MERGE_HEAD": "a merge",
    "CHERRY_PICK_HEAD": "a cherry-pick",
    "REVERT_HEAD": "a revert",
    "REBASE_HEAD": "a rebase",
    "rebase-merge": "a rebase",
    "rebase-apply": "a rebase",
    "sequencer": "a cherry-pick",
    "BISECT_LOG": "a bisect",
}


def git_path(relative: str) -> str:
    """Return how git spells a path: macOS hands out decomposed names and git composes them."""
    return unicodedata.normalize("NFC", relative) if sys.platform == "darwin" else relative


def find_repository(folder: Path | Home) -> Repository | Skipped:
    """Return the vault's own repository; never one further up, linked, or of someone else."""
    home = home_of(folder)
    git_dir = home.git_dir or home.root / ".git"
    if read_marker(home.root) is None and (home.git_dir is None or not git_dir.is_dir()):
        return Skipped(
            SkipReason.NOT_OURS, "This folder was not made by zib, so its history is left alone."
        )
    if find_git() is None:
        return Skipped(SkipReason.NO_GIT, "git is not installed, so no history is kept.")
    try:
        status = git_dir.lstat()
        owners = {status.st_uid, git_dir.parent.stat().st_uid}
    except OSError:
        return Skipped(
            SkipReason.NO_REPOSITORY, f"The wiki has no history: its {git_dir.name} is missing."
        )
    if not stat.S_ISDIR(status.st_mode):
        return Skipped(
            SkipReason.NO_REPOSITORY,
            "The wiki's .git points to another repository, so zib does not commit there.",
        )
    if owners != {os.geteuid()}:
        return Skipped(
            SkipReason.FOREIGN_OWNER,
            "The wiki's folder belongs to another user of this machine, so zib does not commit"
            " there; give it to your user with chown.",
        )
    return Repository(git_dir, home.root)


def open_repository(folder: Path | Home) -> Repository:
    """The vault's repository, to read from. Raises HistoryUnavailable."""
    repository = find_repository(folder)
    if isinstance(repository, Skipped):
        raise HistoryUnavailable(repository.message)
    return repository


def find_head(repository: Repository) -> Head | Skipped:
    """Return the branch to commit to, unless the user is in the middle of something."""
    for name, what in _IN_PROGRESS.items():
        if (repository.git_dir / name).exists():
            return Skipped(
                SkipReason.OPERATION_IN_PROGRESS,
                f"git is in the middle of {what} in the wiki; finish it and the next save commits.",
            )
    unmerged = repository.run(["ls-files", "-u", "-z"])
    if unmerged.succeeded and unmerged.output:
        return Skipped(
            SkipReason.OPERATION_IN_PROGRESS,
            "The wiki's git has unresolved conflicts; resolve them and the next save commits.",
        )
    named = repository.run(["symbolic-ref", "-q", "HEAD"])
    branch = os.fsdecode(named.output).removesuffix("\n")
    if named.status == 1:
        return Skipped(
            SkipReason.DETACHED_HEAD,
            "The wiki's git is not on a branch; switch to one and the next save commits.",
        )
    if not named.succeeded or not branch.startswith("refs/heads/"):
        return damaged(named.complaint)
    found = repository.run(["rev-parse", "-q", "--verify", f"{branch}^{{commit}}"])
    return Head(branch, found.output.decode("ascii").strip() if found.succeeded else None)


def damaged(complaint: str) -> Skipped:
    """Say that git itself failed, in git's words."""
    first = complaint.strip().splitlines()[0] if complaint.strip() else "git gave no reason"
    return Skipped(
        SkipReason.DAMAGED,
        f"The history could not be written ({first}); run `git fsck` in the wiki folder.",
    )
