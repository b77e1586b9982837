"""Reads tree entries and writes them into an index, all NUL-terminated and as bytes."""

import hashlib
import os
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from vault.history.git import Repository

_MOST_PATHS_AS_ARGUMENTS = 100


@dataclass(frozen=True, slots=True)
class Entry:
    """A file of a tree: its mode as git writes it, and the id of its content."""

    mode: str
    blob: str


def read_entries(
    repository: Repository, commit: str | None, paths: Collection[str] | None = None
) -> dict[str, Entry]:
    """Return the files of a commit, or those among `paths`; nothing for an unborn branch."""
    if commit is None:
        return {}
    named = list(paths) if paths is not None and len(paths) <= _MOST_PATHS_AS_ARGUMENTS else []
    finished = repository.run(["ls-tree", "-r", "-z", "--full-tree", commit, "--", *named])
    entries = _parsed(finished.output, "ls-tree")
    return entries if paths is None else {path: entries[path] for path in paths if path in entries}


def is_blob(content: bytes, entry: Entry | None) -> bool:
    """Whether this is the content of an entry."""
    if entry is None:
        return False
    header = b"blob %d\0" % len(content)
    kind = "sha1" if len(entry.blob) == 40 else "sha256"
    found = hashlib.new(kind, header + content, usedforsecurity=False)
    return found.hexdigest() == entry.blob


def as_index_lines(entries: Mapping[str, Entry | None], id_length: int | None) -> bytes:
    """Return what `update-index -z --index-info` reads; None removes a path."""
    zero = "0" * (id_length or 40)
    return b"".join(
        (f"0 {zero}\t" if entry is None else f"{entry.mode} {entry.blob}\t").encode()
        + os.fsencode(path)
        + b"\0"
        for path, entry in entries.items()
    )


def refresh_index(
    repository: Repository,
    commit: str,
    before: Mapping[str, Entry],
    after: Mapping[str, Entry | None],
) -> bool:
    """Bring the user's index in line for the committed paths, except where they staged something.

    Best effort: a locked or damaged index is left as it is, and `git status` tells the rest. False
    when git was killed at it.
    """
    if not (repository.git_dir / "index").exists():
        return not repository.run(["read-tree", commit]).was_killed
    listed = repository.run(["ls-files", "-s", "-z"])
    if not listed.succeeded:
        return True
    staged = _parsed(listed.output, "ls-files")
    untouched = {
        path: entry for path, entry in after.items() if staged.get(path) == before.get(path)
    }
    if not untouched:
        return True
    lines = as_index_lines(untouched, len(commit))
    return not repository.run(["update-index", "-z", "--index-info"], stdin=lines).was_killed


def finish_refresh(repository: Repository, commit: str) -> None:
    """Refresh the user's index for a commit that was made just before its maker was killed.

    Without this, the user's next commit would take the article back to its older text.
    """
    if not repository.run(["merge-base", "--is-ancestor", commit, "HEAD"]).succeeded:
        return
    head = read_entries(repository, "HEAD")
    before, made = read_entries(repository, f"{commit}^"), read_entries(repository, commit)
    after = {
        path: made.get(path)
        for path in before.keys() | made.keys()
        if before.get(path) != made.get(path) == head.get(path)
    }
    refresh_index(repository, commit, before, after)


def _parsed(output: bytes, command: str) -> dict[str, Entry]:
    """Parse `mode type id TAB path` (ls-tree) or `mode id stage TAB path` (ls-files)."""
    entries = {}
    for record in output.split(b"\0"):
        facts, tab, path = record.partition(b"\t")
        if tab:
            mode, second, third = facts.decode("ascii").split()
            blob = third if command == "ls-tree" else second
            entries[os.fsdecode(path)] = Entry(mode, blob)
    return entries
