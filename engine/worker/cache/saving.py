"""Writes caches of every class to a safetensors file and reads them back.

Only live tokens are written: what was trimmed away does not reach the disk. Batches are written
row by row. Classes are named in `formats`, never looked up by what a file says.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import mlx.core as mx
import msgspec

from engine.worker.cache.errors import CacheError
from engine.worker.cache.formats import pack, unpack
from engine.worker.cache.packed import Packed

VERSION = "1"
_VERSION_KEY, _LAYERS_KEY, _NOTE_PREFIX = "zib.version", "zib.layers", "note."


class _Layer(msgspec.Struct, forbid_unknown_fields=True):
    kind: str
    arrays: list[str]
    numbers: dict[str, int]
    children: list[_Layer]


@dataclass(frozen=True, slots=True)
class SavedCaches:
    """What a file held: one cache a layer, and the notes given when it was saved."""

    caches: list[Any]
    notes: dict[str, str]


def save_caches(file: Path, caches: Sequence[Any], notes: Mapping[str, str] | None = None) -> None:
    """Write the caches; `file` ends in .safetensors. Raises CacheError for an unknown class."""
    if file.suffix != ".safetensors":
        raise CacheError(f"A saved cache is a .safetensors file, which {file.name} is not.")
    tensors: dict[str, mx.array] = {}
    layers = [_describe(str(index), pack(cache), tensors) for index, cache in enumerate(caches)]
    metadata = {
        _VERSION_KEY: VERSION,
        _LAYERS_KEY: msgspec.json.encode(layers).decode(),
        **{f"{_NOTE_PREFIX}{key}": text for key, text in (notes or {}).items()},
    }
    mx.save_safetensors(str(file), tensors, metadata)


def load_caches(file: Path) -> SavedCaches:
    """Read them back, evaluated. Raises CacheError for a file that is damaged or not ours."""
    try:
        loaded: Any = mx.load(str(file), return_metadata=True)
        tensors, metadata = loaded
        mx.eval(tensors)
        if metadata.get(_VERSION_KEY) != VERSION:
            raise CacheError(f"The saved cache {file} is not of version {VERSION}; delete it.")
        layers = msgspec.json.decode(metadata[_LAYERS_KEY], type=list[_Layer])
        caches = [
            unpack(_restore(str(index), layer, tensors)) for index, layer in enumerate(layers)
        ]
    except (RuntimeError, ValueError, KeyError, IndexError, OSError) as error:
        raise CacheError(f"The saved cache {file} is damaged ({error}); delete it.") from error
    notes = {
        key.removeprefix(_NOTE_PREFIX): text
        for key, text in metadata.items()
        if key.startswith(_NOTE_PREFIX)
    }
    return SavedCaches(caches, notes)


def _describe(place: str, packed: Packed, tensors: dict[str, mx.array]) -> _Layer:
    for name, array in packed.arrays.items():
        tensors[f"{place}.{name}"] = array
    return _Layer(
        packed.kind,
        list(packed.arrays),
        dict(packed.numbers),
        [
            _describe(f"{place}.{index}", child, tensors)
            for index, child in enumerate(packed.children)
        ],
    )


def _restore(place: str, layer: _Layer, tensors: dict[str, mx.array]) -> Packed:
    return Packed(
        layer.kind,
        {name: tensors[f"{place}.{name}"] for name in layer.arrays},
        layer.numbers,
        tuple(
            _restore(f"{place}.{index}", child, tensors)
            for index, child in enumerate(layer.children)
        ),
    )
