"""Brings a stored prefix back from its file: every byte is checked before it is used."""

from __future__ import annotations

import io
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import mlx.core as mx

from engine.worker.cache.errors import CacheError
from engine.worker.disk_tier_folder import open_stored
from engine.worker.disk_tier_format import (
    FileRefused,
    LayerRecord,
    TensorRecord,
    digest_text,
    new_digest,
    tensors_of,
)
from engine.worker.disk_tier_layers import check_layers, from_bytes, rebuild

Looks = Sequence[Sequence[LayerRecord]]


@dataclass(frozen=True, slots=True)
class Restored:
    """All tokens of a file, and caches nobody else holds."""

    tokens: list[int]
    caches: list[Any]


def read_caches(path: Path, fingerprint: str, looks: Looks) -> Restored:
    """Read a file written for this fingerprint, one tensor at a time, and mark it as used.

    Raises FileRefused, OSError.
    """
    descriptor, header, start = open_stored(path, fingerprint)
    try:
        check_layers(header.layers, len(header.tokens), looks)
        arrays = _arrays(descriptor, start, header.layers)
        caches = [rebuild(layer, arrays) for layer in header.layers]
        os.utime(descriptor)
    except (CacheError, KeyError, ValueError) as error:
        raise FileRefused("Its layers make no sense.") from error
    finally:
        os.close(descriptor)
    return Restored(list(header.tokens), caches)


def _arrays(descriptor: int, start: int, layers: Sequence[LayerRecord]) -> Iterator[mx.array]:
    file = io.FileIO(descriptor, closefd=False)
    for record in tensors_of(layers):
        file.seek(start + record.offset)
        yield from_bytes(_read(file, record), record)


def _read(file: io.FileIO, record: TensorRecord) -> bytearray:
    data = bytearray(record.nbytes)
    left = memoryview(data)
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
