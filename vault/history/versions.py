"""What an article was in a commit: one version, or many with few git commands."""

import os
from collections.abc import Iterable, Iterator, Sequence

from vault.errors import HistoryUnavailable
from vault.files import MOST_EDITED_BYTES
from vault.history.git import Repository
from vault.history.trees import read_entries

_MOST_BYTES_A_BATCH = 16_000_000


def content_at(repository: Repository, commit: str, path: str) -> bytes | None:
    """The file's content in a commit; None when it is not there. Raises HistoryUnavailable."""
    entry = read_entries(repository, commit, [path]).get(path)
    if entry is None:
        return None
    return next(iter(contents_of(repository, [entry.blob])))


def blobs_at(repository: Repository, places: Sequence[tuple[str, str]]) -> list[str | None]:
    """The ids of the files at (commit, path); None where there is none."""
    if any("\n" in path for _, path in places):
        entries = (read_entries(repository, commit, [path]).get(path) for commit, path in places)
        return [entry.blob if entry else None for entry in entries]
    names = b"".join(f"{commit}:".encode() + os.fsencode(path) + b"\n" for commit, path in places)
    finished = repository.run(["cat-file", "--batch-check"], stdin=names)
    lines = finished.output.split(b"\n")[:-1]
    if not finished.succeeded or len(lines) != len(places):
        raise _unreadable(finished.complaint)
    rows = (line.split(b" ") for line in lines)
    blobs = [row[0].decode("ascii") if row[1:2] == [b"blob"] else None for row in rows]
    for blob, (commit, path) in zip(blobs, places, strict=True):
        if blob is None and path in read_entries(repository, commit, [path]):
            raise _unreadable("a version is missing")
    return blobs


def contents_of(repository: Repository, blobs: Sequence[str]) -> Iterator[bytes]:
    """The contents in order. What is too large for an article raises, as what is missing does."""
    for batch in _batches(blobs, _sizes(repository, blobs)):
        finished = repository.run(["cat-file", "--batch"], stdin=_lines(batch))
        if not finished.succeeded:
            raise _unreadable(finished.complaint)
        yield from _parsed(finished.output, len(batch))


def _sizes(repository: Repository, blobs: Sequence[str]) -> list[int]:
    finished = repository.run(["cat-file", "--batch-check"], stdin=_lines(blobs))
    rows = [line.split() for line in finished.output.splitlines()]
    if not finished.succeeded or len(rows) != len(blobs):
        raise _unreadable(finished.complaint)
    sizes = []
    for row in rows:
        if len(row) != 3 or row[1] != b"blob":
            raise _unreadable("a version is missing")
        sizes.append(int(row[2]))
    if max(sizes, default=0) > MOST_EDITED_BYTES:
        limit = MOST_EDITED_BYTES // 1_000_000
        raise HistoryUnavailable(f"A version is larger than {limit} MB, so it is not shown.")
    return sizes


def _batches(blobs: Sequence[str], sizes: Sequence[int]) -> Iterator[list[str]]:
    """Few at a time: all versions of a large article would not fit into memory."""
    batch: list[str] = []
    held = 0
    for blob, size in zip(blobs, sizes, strict=True):
        if batch and held + size > _MOST_BYTES_A_BATCH:
            yield batch
            batch, held = [], 0
        batch.append(blob)
        held += size
    if batch:
        yield batch


def _parsed(output: bytes, count: int) -> Iterator[bytes]:
    start = 0
    for _ in range(count):
        head = output.find(b"\n", start)
        size = int(output[start:head].split()[2])
        yield output[head + 1 : head + 1 + size]
        start = head + size + 2


def _lines(blobs: Iterable[str]) -> bytes:
    return "".join(f"{blob}\n" for blob in blobs).encode("ascii")


def _unreadable(complaint: str) -> HistoryUnavailable:
    why = complaint.strip().splitlines()[0] if complaint.strip() else "git gave no reason"
    return HistoryUnavailable(
        f"A version could not be read ({why}); run `git fsck` in the wiki's folder."
    )
