"""Every model on this machine, found without loading one."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from engine.models.describe import describe
from engine.models.entry import Capability, ModelEntry, Purpose, Source
from engine.models.folder_walk import is_folder, model_folders, real_folder
from engine.models.hub_cache import hub_entries
from engine.models.places import ModelPlaces, find_places

__all__ = [
    "Capability",
    "ModelEntry",
    "ModelPlaces",
    "Purpose",
    "Source",
    "find_models",
    "find_places",
    "model_at",
]


def find_models(places: ModelPlaces) -> tuple[ModelEntry, ...]:
    """The built-in model first, whether fetched or not, then the others by place and name.

    A folder reached in two ways counts once. Never raises; what cannot be read has a `problem`.
    """
    found: dict[Path, ModelEntry] = {}
    for entry in _entries(places):
        found.setdefault(real_folder(entry.folder), entry)
    return tuple(found.values())


def model_at(folder: Path) -> ModelEntry:
    """The entry of a folder given by its path; `problem` says when it holds no model."""
    name = folder.name or str(folder)
    if not is_folder(folder):
        problem = f"There is no folder {folder}; give the folder that holds config.json."
        return ModelEntry(name, folder, "path", problem=problem)
    return describe(name, folder, "path")


def _entries(places: ModelPlaces) -> Iterator[ModelEntry]:
    yield _builtin(places.builtin)
    yield from _walked(places.models_dir, "models-folder")
    yield from hub_entries(places.hub_cache)
    for folder in places.lm_studio_dirs:
        yield from _walked(folder, "lm-studio")


def _builtin(folder: Path) -> ModelEntry:
    """Fetched on first use, so that its absence is no problem."""
    if not folder.exists():
        return ModelEntry(folder.name, folder, "builtin")
    return describe(folder.name, folder, "builtin")


def _walked(root: Path, source: Source) -> Iterator[ModelEntry]:
    found = sorted(model_folders(root), key=lambda pair: pair[0].casefold())
    return (describe(name, folder, source) for name, folder in found)
