"""Noticing changed theme files."""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from pathlib import Path

from tui.themes.load import ThemeSet, load_themes, theme_files

_RESCAN_SECONDS = 5


async def watch_themes(dirs: Sequence[Path]) -> AsyncGenerator[ThemeSet, None]:
    """The themes anew whenever a file changes; folders may come and go. Runs until closed."""
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
                    yield load_themes(dirs)
                if {_nearest_existing(folder) for folder in dirs} != places:
                    break
        except (OSError, RuntimeError):
            await asyncio.sleep(_RESCAN_SECONDS)


def _signature(dirs: Sequence[Path]) -> frozenset[tuple[Path, int, int]]:
    states = []
    for path in (path for folder in dirs for path in theme_files(folder, [])):
        try:
            state = path.stat()
        except OSError:
            continue
        states.append((path, state.st_mtime_ns, state.st_size))
    return frozenset(states)


def _nearest_existing(folder: Path) -> Path:
    return next(place for place in (folder, *folder.absolute().parents) if place.is_dir())
