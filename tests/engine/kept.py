"""Small caches and entries for tests of what is kept."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import mlx.core as mx
from mlx_lm.models import cache as mlx_caches

from engine.worker.cache_entry import CacheKey, Entry, EntryKind, token_array

# mlx-lm carries hardly any types.
KVCache: Any = mlx_caches.KVCache
RotatingKVCache: Any = mlx_caches.RotatingKVCache

KEY = CacheKey("model", "tokenizer", "template", "", "plain")
OTHER = CacheKey("model", "tokenizer", "template", "adapter", "plain")


def filled(tokens: Sequence[int], window: int | None = None) -> list[Any]:
    """Two layers that hold so many tokens, each with its id as key."""
    layers = [RotatingKVCache(window) if window else KVCache() for _ in range(2)]
    for layer in layers:
        for token in tokens:
            row = mx.full((1, 1, 1, 4), float(token))
            layer.update_and_fetch(row, row)
        mx.eval(layer.keys, layer.values)
    return layers


def entry(
    tokens: Iterable[int],
    *owners: str,
    key: CacheKey = KEY,
    window: int | None = None,
    kind: EntryKind = "turn",
    is_temporary: bool = False,
) -> Entry:
    """An entry whose caches hold exactly its tokens."""
    ids = list(tokens)
    return Entry(key, token_array(ids), filled(ids, window), set(owners), is_temporary, kind)


def held(caches: Sequence[Any]) -> list[list[int]]:
    """The tokens each layer can still see, oldest first where nothing has wrapped."""
    return [
        [int(token) for token in layer.keys_and_values()[0][0, 0, :, 0].tolist()]
        for layer in caches
    ]


def go_on(caches: Sequence[Any], token: int) -> None:
    """Write one more token into each layer."""
    for layer in caches:
        row = mx.full((1, 1, 1, 4), float(token))
        layer.update_and_fetch(row, row)
        mx.eval(layer.keys, layer.values)
