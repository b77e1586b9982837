"""Finding model folders below a folder that a person or another program arranges.

Nothing here raises: what cannot be read is not there.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

_DEEPEST = 4
_MOST_FOLDERS = 20_000


def model_folders(root: Path) -> Iterator[tuple[str, Path]]:
    """Name (the path below `root`) and folder of everything that looks like a model.

    Links to folders are followed, each real folder is entered once; hidden ones are left out.
    A model inside a model is not looked for.
    """
    visited: set[tuple[int, int]] = set()
    pending = [(root, 0)]
    while pending and len(visited) < _MOST_FOLDERS:
        folder, depth = pending.pop()
        try:
            status = folder.stat()
            if (status.st_dev, status.st_ino) in visited:
                continue
            visited.add((status.st_dev, status.st_ino))
            with os.scandir(folder) as scanned:
                entries = sorted(scanned, key=lambda entry: entry.name, reverse=True)
        except (OSError, ValueError):
            continue
        if depth and _holds_model(entries):
            yield folder.relative_to(root).as_posix(), folder
        elif depth < _DEEPEST:
            pending.extend((Path(entry.path), depth + 1) for entry in entries if _is_open(entry))


def is_model_folder(folder: Path) -> bool:
    """Whether the walk would take the folder for a model."""
    try:
        with os.scandir(folder) as entries:
            return _holds_model(entries)
    except OSError:
        return False


def _holds_model(entries: Iterable[os.DirEntry[str]]) -> bool:
    return any(
        entry.name == "config.json" or entry.name.lower().endswith((".safetensors", ".gguf"))
        for entry in entries
    )


def _is_open(entry: os.DirEntry[str]) -> bool:
    try:
        return not entry.name.startswith(".") and entry.is_dir()
    except OSError:
        return False


def is_folder(path: Path) -> bool:
    """As `Path.is_dir`, but false for a path that cannot be, such as one that is too long."""
    try:
        return path.is_dir()
    except OSError:
        return False


def is_file(path: Path) -> bool:
    """As `Path.is_file`, but false for a path that cannot be."""
    try:
        return path.is_file()
    except OSError:
        return False


def real_folder(path: Path) -> Path:
    """Where the links in a path lead; the path itself when that cannot be told."""
    try:
        return path.resolve()
    except (OSError, RuntimeError, ValueError):
        return path
