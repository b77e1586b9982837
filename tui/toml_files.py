"""Folders of small TOML files that users write: themes and personas."""

from __future__ import annotations

import asyncio
import tomllib
from collections.abc import AsyncGenerator, Sequence
from pathlib import Path
from typing import Any

_LARGEST = 64 * 1024
_RESCAN_SECONDS = 5


class BadToml(Exception):
    """A file cannot be read; `str()` is a sentence for the user."""


def toml_files(folder: Path, problems: list[tuple[Path, str]]) -> list[Path]:
    """The files of a folder, in order; notes when it cannot be read."""
    try:
        return sorted(path for path in folder.iterdir() if path.suffix == ".toml")
    except FileNotFoundError:
        return []
    except OSError as error:
        problems.append((folder, f"The folder cannot be read: {error.strerror}."))
        return []


def read_table(path: Path, what: str) -> dict[str, Any]:
    """What a file says, which is to be `what`. Raises BadToml."""
    try:
        if not path.is_file():
            raise BadToml("It is not a regular file.")
        with path.open("rb") as file:
            data = file.read(_LARGEST + 1)
        if len(data) > _LARGEST:
            raise BadToml(f"It is larger than 64 KiB: it cannot be {what}.")
        return tomllib.loads(data.decode("utf-8-sig"))
    except OSError as error:
        raise BadToml(f"It cannot be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise BadToml("It is not UTF-8 text.") from error
    except RecursionError as error:
        raise BadToml("It is nested too deeply.") from error
    except ValueError as error:
        raise BadToml(f"It is not valid TOML: {error}.") from error


async def watch_toml(dirs: Sequence[Path]) -> AsyncGenerator[None, None]:
    """Says whenever a file changes; folders may come and go. Runs until closed."""
    from watchfiles import awatch

    seen = _signature(dirs)
    while True:
        # Notices get lost, and the watch goes deaf when its folder is replaced.
        places = {_nearest_existing(folder) for folder in dirs}
        try:
            async for _ in awatch(
                *places,
                watch_filter=None,
                debounce=200,
                recursive=False,
                rust_timeout=_RESCAN_SECONDS * 1000,
                yield_on_timeout=True,
            ):
                if (now := _signature(dirs)) != seen:
                    seen = now
                    yield
                if {_nearest_existing(folder) for folder in dirs} != places:
                    break
        except (OSError, RuntimeError):
            await asyncio.sleep(_RESCAN_SECONDS)


def _signature(dirs: Sequence[Path]) -> frozenset[tuple[Path, int, int]]:
    states = []
    for path in (path for folder in dirs for path in toml_files(folder, [])):
        try:
            state = path.stat()
        except OSError:
            continue
        states.append((path, state.st_mtime_ns, state.st_size))
    return frozenset(states)


def _nearest_existing(folder: Path) -> Path:
    return next(place for place in (folder, *folder.absolute().parents) if place.is_dir())
