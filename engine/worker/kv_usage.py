"""What the KV caches of the running rows cost, by kind."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from mlx_lm.models.cache import ArraysCache

from engine.protocol import CacheKind, KVUsage
from engine.worker.cache.detached import flatten

_FULL_PRECISION_BITS = 32
_Form = tuple[CacheKind, int]


def measure_rows(caches: Iterable[Sequence[Any]], tokens: int) -> tuple[KVUsage, ...]:
    """Usage by kind; `caches` has the layers of each row or batch, `tokens` is what they hold."""
    layers: Counter[_Form] = Counter()
    sizes: Counter[_Form] = Counter()
    for holder in caches:
        forms = [(_form(layer), layer.nbytes) for layer in flatten(holder)]
        layers |= Counter(form for form, _ in forms)
        for form, size in forms:
            sizes[form] += size
    return tuple(
        KVUsage(kind, count, bits, tokens, sizes[kind, bits])
        for (kind, bits), count in layers.items()
    )


def _form(layer: Any) -> _Form:
    return _kind(layer), _bits(layer)


def _kind(layer: Any) -> CacheKind:
    if isinstance(layer, ArraysCache):
        return "recurrent"
    if hasattr(layer, "max_size"):
        return "rotating"
    return "quantized" if hasattr(layer, "bits") else "full"


def _bits(layer: Any) -> int:
    if hasattr(layer, "bits"):
        return int(layer.bits)
    keys = getattr(layer, "keys", None)
    return _FULL_PRECISION_BITS if keys is None else int(keys.dtype.size) * 8
