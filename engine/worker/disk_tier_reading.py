"""Brings a stored prefix back from its file: every byte is checked before it is used.

Reading and hashing happen on the tier's thread, one tensor ahead; the compute thread makes arrays.
"""

from __future__ import annotations

import contextlib
import io
import os
from collections import deque
from collections.abc import Generator, Sequence
from concurrent.futures import Executor, Future, wait
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import mlx.core as mx

from engine.worker.cache.errors import CacheError
from engine.worker.disk_tier_folder import open_stored
from engine.worker.disk_tier_format import (
    FileRefused,
    Header,
    LayerRecord,
    TensorRecord,
    digest_text,
    new_digest,
    tensors_of,
)
from engine.worker.disk_tier_layers import check_layers, from_bytes, rebuild

Looks = Sequence[Sequence[LayerRecord]]
_AHEAD = 2
"""Tensors that are read or wait to be made arrays."""


@dataclass(frozen=True, slots=True)
class Restored:
    """All tokens of a file, and caches nobody else holds."""

    tokens: list[int]
    caches: list[Any]


@dataclass(frozen=True, slots=True)
class _Opened:
    """An open file whose header fits the model."""

    descriptor: int
    header: Header
    start: int


Steps = Generator["Future[Any]", None, Restored]
"""Go on once the future that was yielded is done."""


class Restoration:
    """A file on its way into memory. Both methods raise FileRefused, OSError."""

    def __init__(self, steps: Steps) -> None:
        self._steps = steps
        self._awaited: Future[Any] | None = None

    def advance(self, seconds: float) -> Restored | None:
        """Make one array at most, after waiting no longer than so for its bytes."""
        if self._awaited is not None:
            wait([self._awaited], seconds)
            if not self._awaited.done():
                return None
        try:
            self._awaited = next(self._steps)
        except StopIteration as end:
            restored: Restored = end.value
            return restored
        return None

    def finish(self) -> Restored:
        """Go on to the end, however long it takes."""
        while (restored := self.advance(1.0)) is None:
            pass
        return restored


def read_caches(path: Path, fingerprint: str, looks: Looks, executor: Executor) -> Restoration:
    """Read a file written for this fingerprint, one tensor at a time, and mark it as used."""
    return Restoration(_read_caches(path, fingerprint, looks, executor))


def _read_caches(path: Path, fingerprint: str, looks: Looks, executor: Executor) -> Steps:
    opening = executor.submit(_open, path, fingerprint, looks)
    try:
        yield opening
        opened = opening.result()
        left = deque(tensors_of(opened.header.layers))
        reading: deque[tuple[TensorRecord, Future[bytearray]]] = deque()
        arrays: list[mx.array] = []
        while left or reading:
            while left and len(reading) < _AHEAD:
                record = left.popleft()
                reading.append((record, executor.submit(_read, opened, record)))
            record, data = reading.popleft()
            yield data
            arrays.append(from_bytes(data.result(), record))
        held = iter(arrays)
        caches = [rebuild(layer, held) for layer in opened.header.layers]
    except (CacheError, KeyError, ValueError) as error:
        raise FileRefused("Its layers make no sense.") from error
    finally:
        executor.submit(_close, opening)
    return Restored(list(opened.header.tokens), caches)


def _open(path: Path, fingerprint: str, looks: Looks) -> _Opened:
    descriptor, header, start = open_stored(path, fingerprint)
    try:
        check_layers(header.layers, len(header.tokens), looks)
        os.utime(descriptor)
    except BaseException:
        os.close(descriptor)
        raise
    return _Opened(descriptor, header, start)


def _close(opening: Future[_Opened]) -> None:
    """After whatever was still to be read: the thread does one thing after the other."""
    with contextlib.suppress(OSError, FileRefused, KeyError, ValueError):
        os.close(opening.result().descriptor)


def _read(opened: _Opened, record: TensorRecord) -> bytearray:
    data = bytearray(record.nbytes)
    left = memoryview(data)
    file = io.FileIO(opened.descriptor, closefd=False)
    file.seek(opened.start + record.offset)
    while left:
        count = file.readinto(left)
        if not count:
            raise FileRefused("It ends before its tensors do.")
        left = left[count:]
    digest = new_digest()
    digest.update(data)
    if digest_text(digest) != record.digest:
        raise FileRefused(f"The tensor {record.name} is damaged.")
    return data
