"""Writes one entry a small piece at a time, so that a question never waits for it.

The compute thread makes the pieces; hashing and writing happen on the tier's own thread.
"""

from __future__ import annotations

import contextlib
import time
import weakref
from collections.abc import Generator, Iterator
from concurrent.futures import Executor, Future
from itertools import islice
from pathlib import Path
from typing import Any, TypeVar

from engine.worker.cache.formats import pack
from engine.worker.cache_entry import Entry, token_array
from engine.worker.disk_tier_folder import Stored
from engine.worker.disk_tier_format import (
    Header,
    LayerRecord,
    TensorRecord,
    lay_out,
    tensors_of,
)
from engine.worker.disk_tier_layers import arrays_of, check_layers, describe, pieces, to_bytes
from engine.worker.disk_tier_reading import Looks
from engine.worker.disk_tier_writing import FileInWriting

PIECE_BYTES = 4 << 20
"""What one step computes and holds beside the caches."""

Steps = Generator["Future[Any]", None, Stored | None]
"""Go on once the future that was yielded is done; the result is None for a lost entry."""

_T = TypeVar("_T")


def header_of(entry: Entry, fingerprint: str, looks: Looks) -> Header:
    """What a file of this entry will say. Raises FileRefused, CacheError."""
    layers = lay_out(describe(entry.caches or ()))
    check_layers(layers, len(entry.tokens), looks)
    return Header(fingerprint, time.time(), tuple(entry.tokens), entry.is_trimmable, layers)


def store(
    entry: weakref.ref[Entry], name: str, header: Header, root: Path, executor: Executor
) -> Steps:
    """Write the entry unless its caches go elsewhere meanwhile. Raises OSError."""
    folder = root / header.fingerprint
    opening = executor.submit(FileInWriting, folder, name, header)
    is_finished = False
    try:
        yield opening
        file = opening.result()
        for pending in _write(entry, header, file, executor):
            yield pending
            pending.result()
        if _caches(entry) is None:
            return None
        finishing = executor.submit(file.finish)
        yield finishing
        size = finishing.result()
        is_finished = True
    finally:
        if not is_finished:
            executor.submit(_abandon, opening)
    tokens = token_array(header.tokens)
    return Stored(folder / name, tokens, header.is_trimmable, size, time.time())


def _caches(entry: weakref.ref[Entry]) -> list[Any] | None:
    living = entry()
    return living.caches if living is not None else None


def _abandon(opening: Future[FileInWriting]) -> None:
    with contextlib.suppress(OSError):
        opening.result().abandon()


def _write(
    entry: weakref.ref[Entry], header: Header, file: FileInWriting, executor: Executor
) -> Iterator[Future[Any]]:
    """While one piece is written the next one is made."""
    pending: Future[Any] | None = None
    for tensor, (layer, place, record) in enumerate(_places(header.layers)):
        offset, number = record.offset, 0
        while offset < record.offset + record.nbytes:
            data = _piece(entry, layer, place, number)
            if pending is not None:
                yield pending
            if data is None:
                return
            pending = executor.submit(file.write, tensor, offset, [data])
            offset, number = offset + data.nbytes, number + 1
    if pending is not None:
        yield pending


def _places(layers: tuple[LayerRecord, ...]) -> Iterator[tuple[int, int, TensorRecord]]:
    """Each tensor with its layer and its place among the layer's tensors."""
    for index, layer in enumerate(layers):
        for place, record in enumerate(tensors_of((layer,))):
            yield index, place, record


def _piece(entry: weakref.ref[Entry], layer: int, place: int, number: int) -> memoryview | None:
    """Found anew each time: between two steps nothing here keeps a cache in memory."""
    caches = _caches(entry)
    if caches is None:
        return None
    array = _nth(arrays_of(pack(caches[layer])), place)
    return to_bytes(_nth(pieces(array, PIECE_BYTES), number))


def _nth(items: Iterator[_T], index: int) -> _T:
    return next(islice(items, index, None))
