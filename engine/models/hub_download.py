"""Download one model of the hub into a Hugging Face cache.

Run as `python -P -m engine.models.hub_download CACHE REPOSITORY REVISION`, a process of its own
because a running transfer cannot be cancelled otherwise. huggingface_hub is asked for addresses,
tokens and listings; bytes are moved here, since it neither resumes nor checks what it fetched.
Standard output carries the events of `download_events`. The process ends with its parent.
"""

from __future__ import annotations

import contextlib
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from filelock import FileLock, Timeout

from engine.errors import ModelUnavailable
from engine.models.download_events import Downloaded, Event, Progress, Refused, Waiting, encode
from engine.models.hub_cache import repository_folder
from engine.models.hub_listing import Listing, RemoteFile, list_model
from engine.models.hub_refusal import FAILURES, explain
from engine.models.hub_snapshot import has_file, publish
from engine.models.hub_transfer import fetch_file, partial_file
from engine.models.lifeline import die_with_parent

SPARE_BYTES = 1 << 30
"""Left free on the disk."""

_WAIT_SECONDS = 0.25
_REPORT_SECONDS = 0.1

Tell = Callable[[Event], None]


def main() -> int:
    """Run one download from the command line."""
    die_with_parent()
    cache, repository, revision = Path(sys.argv[1]), sys.argv[2], sys.argv[3]
    try:
        commit = download(cache, repository, revision, _print)
    except ModelUnavailable as error:
        _print(Refused(str(error)))
        return 1
    except FAILURES as error:
        _print(Refused(str(explain(repository, revision, error))))
        return 1
    _print(Downloaded(commit))
    return 0


def download(cache: Path, repository: str, revision: str, tell: Tell) -> str:
    """Bring everything that is missing and return the commit; one process at a time does it."""
    listing = list_model(repository, revision)
    folder = repository_folder(cache, repository)
    with _alone(cache / ".locks" / folder.name / "zib.lock", tell):
        blobs = folder / "blobs"
        blobs.mkdir(parents=True, exist_ok=True)
        missing = [file for file in listing.files if not has_file(folder, listing.commit, file)]
        _check_space(repository, blobs, missing)
        meter = _Meter(listing, missing, tell)
        for file in missing:
            fetch_file(repository, listing.commit, file, blobs, meter.show)
            meter.finish(file)
        publish(folder, listing, revision)
    return listing.commit


class _Meter:
    """Adds up files; tells ten times a second at most."""

    def __init__(self, listing: Listing, missing: list[RemoteFile], tell: Tell) -> None:
        self._total = listing.total_bytes
        self._before = self._total - sum(file.size for file in missing)
        self._tell = tell
        self._told_at = 0.0
        self.show(0)

    def show(self, done: int) -> None:
        now = time.monotonic()
        if now - self._told_at >= _REPORT_SECONDS:
            self._told_at = now
            self._tell(Progress(self._before + done, self._total))

    def finish(self, file: RemoteFile) -> None:
        self._before += file.size
        self._told_at = 0.0
        self.show(0)


def _check_space(repository: str, blobs: Path, missing: list[RemoteFile]) -> None:
    parts = (partial_file(blobs, file) for file in missing)
    remaining = sum(file.size for file in missing) - sum(map(_size, parts))
    free = shutil.disk_usage(blobs).free
    if remaining > 0 and free < remaining + SPARE_BYTES:
        raise ModelUnavailable(
            f"{repository} was not downloaded: {remaining / 1e9:.1f} GB are missing and 1.1 GB "
            f"stay free, but {blobs} has room for {free / 1e9:.1f} GB. Free some space, or point "
            "HF_HUB_CACHE at another disk."
        )


@contextlib.contextmanager
def _alone(lock_file: Path, tell: Tell) -> Iterator[None]:
    lock_file.parent.mkdir(parents=True, exist_ok=True)
    lock = FileLock(lock_file)
    while True:
        try:
            lock.acquire(blocking=False)
            break
        except Timeout:
            tell(Waiting())
            time.sleep(_WAIT_SECONDS)
    try:
        yield
    finally:
        lock.release()


def _size(file: Path) -> int:
    try:
        return file.stat().st_size
    except OSError:
        return 0


def _print(event: Event) -> None:
    sys.stdout.write(f"{encode(event)}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
