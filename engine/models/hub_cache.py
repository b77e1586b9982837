"""The models in a Hugging Face cache: one folder a repository, one snapshot of it that counts.

Layout: `models--ORG--NAME/{blobs,refs,snapshots/COMMIT}`; a snapshot is a folder of links.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

from engine.models.describe import describe
from engine.models.entry import ModelEntry
from engine.models.hub_name import FOLDER_PREFIX, SEPARATOR, name_of
from engine.models.model_file import read_object, read_text
from engine.models.safetensors_header import WEIGHT_FILES

_MOST_REPOSITORIES = 5000
_COMMIT = re.compile(r"[0-9a-f]{40}")
PARTIAL_SUFFIX = ".incomplete"
"""Of a file of which a part is there, ours and huggingface_hub's."""

_REPOSITORY = re.compile(r"(?:[\w.-]{1,96}/)?[\w.-]{1,96}", re.ASCII)


@dataclass(frozen=True, slots=True)
class HubRepository:
    """One repository's folder in the cache."""

    name: str
    folder: Path

    @property
    def snapshot(self) -> Path | None:
        """What `refs/main` names, else the newest snapshot, or None without any."""
        commit = (read_text(self.folder / "refs" / "main") or "").strip()
        named = self.folder / "snapshots" / commit
        if _COMMIT.fullmatch(commit) and named.is_dir():
            return named
        return max(self.snapshots, key=_changed_at, default=None)

    @property
    def snapshots(self) -> tuple[Path, ...]:
        """Every snapshot folder."""
        return tuple(
            Path(entry.path)
            for entry in _scan(self.folder / "snapshots")
            if entry.is_dir(follow_symlinks=False) and not entry.name.startswith(".")
        )

    @property
    def has_partial_files(self) -> bool:
        """Whether a download of some file was broken off."""
        return any(entry.name.endswith(PARTIAL_SUFFIX) for entry in _scan(self.folder / "blobs"))


def is_repository_name(text: str) -> bool:
    """Whether the hub could know a model by this name."""
    return (
        _REPOSITORY.fullmatch(text) is not None
        and SEPARATOR not in text
        and ".." not in text
        and all(part[:1] not in "-." and part[-1:] not in "-." for part in text.split("/"))
    )


def repository_folder(cache: Path, name: str) -> Path:
    """Where the cache keeps a repository."""
    return cache / (FOLDER_PREFIX + name.replace("/", SEPARATOR))


def hub_repositories(cache: Path) -> Iterator[HubRepository]:
    """Every model repository in the cache, in the order of their names."""
    names = (entry.name for entry in _scan(cache) if entry.is_dir(follow_symlinks=False))
    found = sorted(name for name in names if name.startswith(FOLDER_PREFIX))
    for name in found[:_MOST_REPOSITORIES]:
        folder = cache / name
        yield HubRepository(name_of(folder / "snapshots" / "any"), folder)


def hub_entries(cache: Path) -> Iterator[ModelEntry]:
    """One entry a repository; what is not there in full has a `problem` that says so."""
    for repository in hub_repositories(cache):
        snapshot = repository.snapshot
        if snapshot is not None:
            problem = _unfinished(repository, snapshot)
            yield describe(repository.name, snapshot, "hub", problem)
        elif repository.has_partial_files:
            yield ModelEntry(
                repository.name, repository.folder, "hub", problem=_resume(repository.name)
            )


def _unfinished(repository: HubRepository, snapshot: Path) -> str:
    names: set[str] = set()
    for entry in _scan(snapshot):
        if not Path(entry.path).exists():
            return _resume(repository.name)
        names.add(entry.name)
    lacks_listed = bool(_listed_weights(repository.folder, snapshot.name) - names)
    if lacks_listed or (repository.has_partial_files and not _has_all(snapshot, names)):
        return _resume(repository.name)
    return ""


def _listed_weights(repository: Path, commit: str) -> set[str]:
    """The weight files of the commit, where huggingface_hub noted what it holds."""
    listing = read_object(repository / "trees" / f"{commit}.json") or {}
    files = listing.get("files")
    names = files if isinstance(files, dict) else {}
    return {name for name in names if fnmatchcase(name, WEIGHT_FILES)}


def _has_all(snapshot: Path, names: set[str]) -> bool:
    """Whether every weight file is there, as far as an index or a lone file can tell."""
    index = read_object(snapshot / "model.safetensors.index.json")
    shards = index.get("weight_map") if index else None
    if not isinstance(shards, dict):
        return "model.safetensors" in names
    return {shard for shard in shards.values() if isinstance(shard, str)} <= names


def _resume(name: str) -> str:
    return f"Its download is unfinished: `zib models get {name}` goes on with it."


def _changed_at(folder: Path) -> float:
    try:
        return folder.stat().st_mtime
    except OSError:
        return 0.0


def _scan(folder: Path) -> list[os.DirEntry[str]]:
    """What is in a folder; nothing when it cannot be read."""
    try:
        with os.scandir(folder) as entries:
            return list(entries)
    except OSError:
        return []
