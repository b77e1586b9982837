"""Caches as records of a file, and back; what a record must be like to be used here."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import mlx.core as mx

from engine.worker.cache.errors import CacheError
from engine.worker.cache.formats import pack, unpack
from engine.worker.cache.packed import Packed
from engine.worker.disk_tier_format import FileRefused, LayerRecord, TensorRecord

_TOKEN_AXIS = 2
_RECURRENT = "mlx_lm.ArraysCache"
_MOVING = {"offset", "ring_index", "start"}
"""Numbers that change as a cache is fed; all others belong to its model."""
_OF_BATCHES = {"left_padding", "lengths"}
"""Arrays of a recurrent cache that a row may or may not have."""


def describe(caches: Sequence[Any]) -> tuple[LayerRecord, ...]:
    """Records without places and digests; nothing is computed.

    Raises CacheError for a class that cannot be kept.
    """
    return tuple(_describe(pack(cache)) for cache in caches)


def arrays_of(packed: Packed) -> Iterator[mx.array]:
    """The arrays of a cache in the order of its records, none of them evaluated."""
    yield from packed.arrays.values()
    for child in packed.children:
        yield from arrays_of(child)


def rebuild(layer: LayerRecord, arrays: Iterator[mx.array]) -> Any:
    """The cache again, from its arrays in the order of `arrays_of`. Raises as `unpack`."""
    return unpack(_packed(layer, arrays))


def pieces(array: mx.array, limit: int) -> Iterator[mx.array]:
    """Parts that together, in order, are the array's bytes; each of at most `limit` if it can."""
    axis = next((axis for axis, size in enumerate(array.shape) if size > 1), None)
    if array.nbytes <= limit or axis is None:
        yield array
        return
    size = array.shape[axis]
    count = min(-(-array.nbytes // limit), size)
    for part in range(count):
        window = slice(size * part // count, size * (part + 1) // count)
        yield from pieces(array[(slice(None),) * axis + (window,)], limit)


def to_bytes(array: mx.array) -> memoryview:
    """The array's bytes, computed now; they stay while somebody holds them."""
    flat = mx.contiguous(array).reshape(-1).view(mx.uint8)
    mx.eval(flat)
    return memoryview(flat)  # type: ignore[arg-type]  # arrays offer the buffer protocol


def from_bytes(data: bytes | bytearray, record: TensorRecord) -> mx.array:
    """A tensor of its own from its bytes, computed now."""
    flat = mx.array(memoryview(data), dtype=mx.uint8)  # type: ignore[arg-type]  # takes buffers
    array = flat.view(getattr(mx, record.dtype)).reshape(record.shape)
    mx.eval(array)
    return array


def samples(caches: Sequence[Any]) -> tuple[LayerRecord, ...]:
    """What rows of this model look like, from one that holds some tokens; empty: not to be kept."""
    try:
        return describe(caches)
    except CacheError:
        return ()


def check_layers(
    layers: Sequence[LayerRecord], tokens: int, looks: Sequence[Sequence[LayerRecord]]
) -> None:
    """Refuse layers that cannot be so many tokens of a row of this model.

    Each layer has to look like that layer in one of `looks`, which are `samples`. Raises
    FileRefused.
    """
    if any(len(layers) != len(look) for look in looks):
        raise FileRefused(f"It has {len(layers)} layers, unlike the model.")
    for layer, *alike in zip(layers, *looks, strict=True):
        if not any(_is_alike(layer, sample) for sample in alike):
            raise FileRefused(f"A layer of kind {layer.kind} is not one of the model's.")
        _check_tokens(layer, tokens)


def _describe(packed: Packed) -> LayerRecord:
    tensors = tuple(
        TensorRecord(name, str(array.dtype).rpartition(".")[2], tuple(array.shape))
        for name, array in packed.arrays.items()
    )
    children = tuple(_describe(child) for child in packed.children)
    return LayerRecord(packed.kind, dict(packed.numbers), tensors, children)


def _packed(layer: LayerRecord, arrays: Iterator[mx.array]) -> Packed:
    own = {tensor.name: next(arrays) for tensor in layer.tensors}
    children = tuple(_packed(child, arrays) for child in layer.children)
    return Packed(layer.kind, own, layer.numbers, children)


def _is_alike(layer: LayerRecord, sample: LayerRecord) -> bool:
    return (
        layer.kind == sample.kind
        and _fixed(layer.numbers) == _fixed(sample.numbers)
        and _forms(layer) == _forms(sample)
        and len(layer.children) == len(sample.children)
        and all(map(_is_alike, layer.children, sample.children))
    )


def _fixed(numbers: dict[str, int]) -> dict[str, int]:
    return {name: number for name, number in numbers.items() if name not in _MOVING}


def _forms(layer: LayerRecord) -> dict[str, tuple[str, tuple[int, ...]]]:
    """Names, types and shapes without the number of tokens."""
    is_recurrent = layer.kind == _RECURRENT
    return {
        tensor.name: (tensor.dtype, tensor.shape if is_recurrent else _without_tokens(tensor))
        for tensor in layer.tensors
        if tensor.name not in _OF_BATCHES
    }


def _without_tokens(tensor: TensorRecord) -> tuple[int, ...]:
    return tensor.shape[:_TOKEN_AXIS] + tensor.shape[_TOKEN_AXIS + 1 :]


def _check_tokens(layer: LayerRecord, tokens: int) -> None:
    for child in layer.children:
        _check_tokens(child, tokens)
    if layer.kind == _RECURRENT or not layer.tensors:
        return
    held = {tensor.shape[_TOKEN_AXIS] for tensor in layer.tensors}
    numbers = layer.numbers
    if "max_size" in numbers:
        is_right = held == {min(tokens, numbers["max_size"])} and (
            0 <= numbers["ring_index"] <= max(held)
        )
    else:
        is_right = held == {tokens - numbers.get("start", 0)}
    if not is_right or numbers.get("offset", tokens) != tokens:
        raise FileRefused(f"A layer does not hold the {tokens} tokens it should.")
