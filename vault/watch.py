"""Tells which notes really changed on disk, whoever changed them.

watchfiles is only a hint: it may lose events, stop at a file name it cannot decode, or go deaf
when the folder is replaced. So every hint is checked against the files, the watcher is started
again when it stops, and everything is looked at once a minute and after a flood.
"""

import asyncio
import contextlib
import os
import time
from collections.abc import AsyncGenerator, Callable
from pathlib import Path
from typing import Literal

from vault.marker import read_marker
from vault.setup import OUR_FOLDERS
from vault.snapshot import Snapshot

_GROUPING_MS = 400
_QUIET_MS = 100
_WAKE_MS = 2000
_RESCAN_SECONDS = 60.0
_MOST_HINTS = 1000
_SHORTEST_PAUSE_SECONDS = 0.5
_LONGEST_PAUSE_SECONDS = 30.0

_Identity = tuple[tuple[Path, int, int], ...]
WatchState = Literal["watching", "rescan", "off"]
"""Told of each change; looked at now and then, for there are no events; not looked at."""


def _ignored(_: WatchState) -> None:
    """Nobody wants to know."""


async def watch(
    root: Path,
    stop: asyncio.Event,
    on_ready: Callable[[], object] | None = None,
    on_state: Callable[[WatchState], object] = _ignored,
) -> AsyncGenerator[frozenset[str], None]:
    """Yield sets of relative paths whose content changed, appeared or went, until `stop` is set.

    Saves by this program are reported too: compare the content with what you hold. What changed
    before `on_ready` is called is not reported: look at it then.
    """
    snapshot = await asyncio.to_thread(Snapshot, root)
    if on_ready is not None:
        on_ready()
    async with contextlib.aclosing(_hints(root, stop, on_state)) as hints:
        async for hint in hints:
            if hint is None:
                changed = await asyncio.to_thread(snapshot.rescan)
            else:
                changed = await asyncio.to_thread(snapshot.check, hint)
            if changed:
                yield changed


async def _hints(
    root: Path, stop: asyncio.Event, on_state: Callable[[WatchState], object]
) -> AsyncGenerator[set[str] | None, None]:
    """Yield paths to look at, None for all of them; starts the watcher again when it stops."""
    pause = _SHORTEST_PAUSE_SECONDS
    while not stop.is_set():
        started = time.monotonic()
        watched = _identity(root)
        if watched:
            yield None
            on_state("watching")
            try:
                async with contextlib.aclosing(_watched(root, watched, stop)) as hints:
                    async for hint in hints:
                        yield hint
            except* (OSError, RuntimeError):
                # The watcher stopped, often at a file name it cannot decode; it is started again.
                pass
        on_state("rescan" if watched else "off")
        has_lasted = time.monotonic() - started > _RESCAN_SECONDS
        pause = _SHORTEST_PAUSE_SECONDS if has_lasted or not watched else pause * 2
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(stop.wait(), min(pause, _LONGEST_PAUSE_SECONDS))


async def _watched(
    root: Path, watched: _Identity, stop: asyncio.Event
) -> AsyncGenerator[set[str] | None, None]:
    """Yield hints until one of the watched folders is replaced."""
    from watchfiles import awatch

    changes = awatch(
        *(path for path, _, _ in watched),
        watch_filter=lambda _, path: not _is_hidden(root, path),
        debounce=_GROUPING_MS,
        step=_QUIET_MS,
        stop_event=stop,
        rust_timeout=_WAKE_MS,
        yield_on_timeout=True,
        ignore_permission_denied=True,
    )
    # What changed while the watcher was starting is found at the first quiet moment.
    next_scan = time.monotonic()
    async with contextlib.aclosing(changes):
        async for batch in changes:
            if _identity(root) != watched:
                return
            is_due = time.monotonic() >= next_scan and not batch
            if is_due or len(batch) > _MOST_HINTS:
                next_scan = time.monotonic() + _RESCAN_SECONDS
                yield None
            elif batch:
                yield {_relative(root, path) for _, path in batch}


def _identity(root: Path) -> _Identity:
    """Return the folders to watch, with what tells them from later ones of the same name."""
    places = [root]
    if read_marker(root) is not None:
        # Leaves out .git, which changes with every commit.
        places = [root / name for name in OUR_FOLDERS]
    found = []
    for place in places:
        with contextlib.suppress(OSError):
            status = place.lstat()
            found.append((place, status.st_dev, status.st_ino))
    return tuple(found)


def _is_hidden(root: Path, path: str) -> bool:
    return any(part.startswith(".") for part in _relative(root, path).split("/"))


def _relative(root: Path, path: str) -> str:
    return path.removeprefix(os.fspath(root)).lstrip("/")
