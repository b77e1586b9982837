"""Bringing a model that lies elsewhere on this machine into the models folder."""

from __future__ import annotations

import errno
import re
import shutil
from collections.abc import Callable
from pathlib import Path

from engine.errors import ModelUnavailable
from engine.models.builtin_source import FetchProgress
from engine.models.folder_walk import is_model_folder
from engine.models.gguf_conversion import convert_gguf
from engine.models.library import model_at

SPARE_BYTES = 1 << 30
"""Left free on the disk."""

_SHOWN_LETTERS = 100
_NAME = re.compile(r"[\w][\w.+-]{0,95}(?:/[\w][\w.+-]{0,95})?")


async def import_model(
    source: Path, models_dir: Path, name: str, report: Callable[[FetchProgress], None]
) -> Path:
    """Convert a GGUF file, or link a model folder, into `models_dir`; returns where it is now.

    An empty `name` means the file's own. A linked folder stays where it is and takes no space.
    Raises ModelUnavailable.
    """
    source = source.expanduser().absolute()
    name = name or (source.stem if source.suffix.lower() == ".gguf" else source.name)
    if not _NAME.fullmatch(name):
        shown = name if len(name) <= _SHOWN_LETTERS else f"{name[:_SHOWN_LETTERS]}…"
        raise ModelUnavailable(
            f"{shown!r} cannot be a model's name: use letters, digits, `.`, `_`, `+`, `-`, and at "
            "most one `/`. Give another with --name."
        )
    destination = models_dir / name
    try:
        if destination.exists() or destination.is_symlink():
            raise ModelUnavailable(f"{destination} exists already; give another name with --name.")
        if destination.parent != models_dir and is_model_folder(destination.parent):
            raise ModelUnavailable(
                f"{destination.parent} is a model, and none is looked for inside another; give "
                "another name with --name."
            )
        if source.is_dir():
            return _link(source, destination)
        if not source.is_file():
            what = "is neither a file nor a folder" if source.exists() else "does not exist"
            raise ModelUnavailable(f"{source} {what}; give a GGUF file or a model's folder.")
        destination.parent.mkdir(parents=True, exist_ok=True)
        _check_space(source, destination.parent)
    except OSError as error:
        raise _not_written(error, destination) from error
    await convert_gguf(source, destination, report)
    return destination


def _link(source: Path, destination: Path) -> Path:
    if problem := model_at(source).problem:
        raise ModelUnavailable(f"{source} was not imported. {problem}")
    destination.parent.mkdir(parents=True, exist_ok=True)
    destination.symlink_to(source.resolve(), target_is_directory=True)
    return destination


def _check_space(source: Path, folder: Path) -> None:
    needed, free = source.stat().st_size + SPARE_BYTES, shutil.disk_usage(folder).free
    if free < needed:
        raise ModelUnavailable(
            f"{source.name} was not imported: {needed / 1e9:.1f} GB are needed in {folder}, "
            f"where {free / 1e9:.1f} GB are free. Free some space."
        )


def _not_written(error: OSError, destination: Path) -> ModelUnavailable:
    if error.errno in {errno.ENOSPC, errno.EDQUOT}:
        return ModelUnavailable("The disk is full. Free some space and try again.")
    place = error.filename or destination
    return ModelUnavailable(f"{place} cannot be used: {error.strerror or error}.")
