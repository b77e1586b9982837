"""Removing one model from this machine, and nothing else."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import assert_never

from filelock import FileLock, Timeout

from engine.errors import ModelUnavailable
from engine.models.entry import ModelEntry
from engine.models.hub_cache import HubRepository, repository_folder
from engine.models.hub_name import name_of
from engine.models.places import ModelPlaces


@dataclass(frozen=True, slots=True)
class Removal:
    """What will go. `paths` are files, links or whole folders; a link's target stays."""

    name: str
    paths: tuple[Path, ...]
    freed_bytes: int
    tidied: Path
    """Up to below this folder, folders that are empty afterwards go as well."""
    lock: Path | None = None
    """Held by whoever downloads the model."""


def plan_removal(entry: ModelEntry, places: ModelPlaces) -> Removal:
    """What removing the model means; changes nothing. Raises ModelUnavailable when it is refused.

    Of a hub repository goes the revision that counts, with what no other revision uses.
    """
    match entry.source:
        case "builtin" if not entry.folder.exists():
            raise ModelUnavailable(
                f"{entry.name} is not on this machine: it is fetched when it is first needed."
            )
        case "builtin":
            root = places.builtin.parent
            return _folder_removal(entry, root, root / f".{entry.folder.name}.fetching.lock")
        case "models-folder":
            return _folder_removal(entry, places.models_dir)
        case "lm-studio":
            return _folder_removal(entry, _root_of(entry.folder, places.lm_studio_dirs))
        case "hub":
            return _hub_removal(entry, places.hub_cache)
        case "path":
            raise ModelUnavailable(
                f"{entry.folder} is in none of the places where models are kept, so it is not "
                "touched; delete the folder yourself."
            )
        case never:
            assert_never(never)


def remove(removal: Removal) -> None:
    """Do it. Raises ModelUnavailable when somebody downloads the model, or a file will not go."""
    lock = FileLock(removal.lock) if removal.lock and removal.lock.parent.is_dir() else None
    try:
        if lock:
            lock.acquire(blocking=False)
        try:
            for path in removal.paths:
                _delete(path)
                _tidy(path.parent, removal.tidied)
        finally:
            if lock:
                lock.release()
    except Timeout as error:
        raise ModelUnavailable(
            f"{removal.name} is being downloaded; stop that first, then remove it."
        ) from error
    except OSError as error:
        raise ModelUnavailable(
            f"{error.filename or removal.name} cannot be removed: {error.strerror or error}."
        ) from error


def _folder_removal(entry: ModelEntry, root: Path, lock: Path | None = None) -> Removal:
    _check_inside(entry.folder, root)
    # A conversion's, which would keep the folder above from being empty.
    leftover = entry.folder.with_name(f".{entry.folder.name}.converting.lock")
    paths = (entry.folder, leftover) if leftover.is_file() else (entry.folder,)
    return Removal(entry.name, paths, _bytes_of(entry.folder), root, lock)


def _hub_removal(entry: ModelEntry, cache: Path) -> Removal:
    name = entry.name
    repository = HubRepository(name, repository_folder(cache, name))
    _check_inside(repository.folder, cache)
    if not repository.folder.is_dir():
        raise ModelUnavailable(f"{name} is not in {cache} any more.")
    lock = cache / ".locks" / repository.folder.name / "zib.lock"
    others = tuple(folder for folder in repository.snapshots if folder != entry.folder)
    if not others or entry.folder == repository.folder:
        locks = (lock.parent,) if lock.parent.is_dir() else ()
        paths = (repository.folder, *locks)
        return Removal(name, paths, _bytes_of(repository.folder), cache, lock)
    if name_of(entry.folder) != name or entry.folder not in repository.snapshots:
        raise ModelUnavailable(f"{entry.folder} is no revision of {name}.")
    kept = {target for folder in others for target in _targets(folder)}
    blobs = [blob for blob in _targets(entry.folder) if blob not in kept]
    references = _references_to(repository.folder / "refs", entry.folder.name)
    paths = (*references, entry.folder, *sorted(blobs))
    return Removal(name, paths, sum(map(_bytes_of, paths)), repository.folder, lock)


def _targets(snapshot: Path) -> set[Path]:
    """The blobs that a snapshot's links lead to, as far as they lie in the repository."""
    blobs = snapshot.parent.parent / "blobs"
    found: set[Path] = set()
    for folder, _, names in os.walk(snapshot):
        for name in names:
            link = Path(folder, name)
            if link.is_symlink():
                target = Path(os.path.normpath(link.parent / link.readlink()))
                if target.parent == blobs:
                    found.add(target)
    return found


def _references_to(folder: Path, commit: str) -> Iterator[Path]:
    for reference in sorted(folder.rglob("*")):
        if reference.is_file() and reference.read_bytes()[:64].strip() == commit.encode():
            yield reference


def _root_of(folder: Path, roots: tuple[Path, ...]) -> Path:
    for root in roots:
        if folder.is_relative_to(root):
            return root
    raise ModelUnavailable(f"{folder} is in none of LM Studio's folders, so it is not touched.")


def _check_inside(folder: Path, root: Path) -> None:
    """The folder itself may be a link; what leads to it must not leave the root."""
    real_root = root.resolve()
    is_inside = folder != root and ".." not in folder.parts and folder.is_relative_to(root)
    if not is_inside or not folder.parent.resolve().is_relative_to(real_root):
        raise ModelUnavailable(
            f"{folder} really lies outside {root}, so it is not touched; delete it yourself."
        )


def _bytes_of(path: Path) -> int:
    """What deleting it frees; a link is nothing, and what has another name as well stays."""
    if path.is_symlink():
        return 0
    if not path.is_dir():
        return _bytes_of_file(path)
    return sum(
        _bytes_of_file(Path(folder, name)) for folder, _, names in os.walk(path) for name in names
    )


def _bytes_of_file(path: Path) -> int:
    try:
        status = path.lstat()
    except OSError:
        return 0
    return status.st_size if status.st_nlink == 1 and not path.is_symlink() else 0


def _delete(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def _tidy(folder: Path, root: Path) -> None:
    while folder != root and folder.is_relative_to(root):
        try:
            folder.rmdir()
        except OSError:
            return
        folder = folder.parent
