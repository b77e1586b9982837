"""Entries, tiers and files for the tests of the disk tier."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import mlx.core as mx

from engine.worker.cache_entry import CacheKey, Entry, token_array
from engine.worker.disk_tier import DiskTier, HeldOnDisk
from engine.worker.disk_tier_format import LayerRecord
from engine.worker.disk_tier_layers import samples
from tests.cache.subjects import KVCache

KEY = CacheKey("model", "tokenizer", "template", "", "plain")
HEADS, WIDTH = 2, 16
PLENTY = 1 << 30


def caches_of(tokens: Sequence[int], layers: int = 2) -> list[Any]:
    """Full attention whose keys and values say which token they are of."""
    caches = []
    for layer in range(layers):
        cache = KVCache()
        numbers = mx.array(list(tokens), mx.float32)[None, None, :, None] + 1000 * layer
        keys = mx.broadcast_to(numbers, (1, HEADS, len(tokens), WIDTH))
        cache.update_and_fetch(keys, -keys)
        caches.append(cache)
    return caches


LOOKS = (samples(caches_of([1, 2])),)


SHELF: deque[Entry] = deque(maxlen=64)
"""In the place of the prompt cache: the tier keeps no entry alive."""


def entry_of(tokens: Sequence[int], *owners: str, key: CacheKey = KEY) -> Entry:
    """An entry as the prompt cache keeps it."""
    entry = Entry(key, token_array(tokens), caches_of(tokens), set(owners) or {"chat"})
    SHELF.append(entry)
    return entry


def opened(
    root: Path,
    limit: int | None = PLENTY,
    key: CacheKey = KEY,
    looks: Sequence[Sequence[LayerRecord]] = LOOKS,
) -> DiskTier:
    """A tier with a model."""
    tier = DiskTier(root, limit)
    tier.open(key, looks)
    return tier


def kept(tier: DiskTier, entry: Entry) -> Entry:
    """Offer an entry and have it written."""
    tier.offer(entry)
    flushed = tier.flush(30)
    assert flushed.is_durable
    return entry


def files_in(root: Path) -> list[Path]:
    """Every file below, whatever it is."""
    return sorted(path for path in root.rglob("*") if path.is_file())


def found(tier: DiskTier, prompt: Sequence[int], at_least: int = 0) -> int:
    """How many tokens of a prompt the tier would save."""
    held = tier.longest(KEY, prompt, at_least)
    return held.usable if held else 0


def read_whole(held: HeldOnDisk | None) -> tuple[list[int], list[Any]] | None:
    """What comes of fetching it."""
    if held is None:
        return None
    fetching = held.fetch()
    while not fetching.advance(1.0):
        pass
    return fetching.result


def restored(tier: DiskTier, prompt: Sequence[int], key: CacheKey = KEY) -> list[int] | None:
    """The tokens that come back for a prompt; their caches are looked at as well."""
    back = read_whole(tier.longest(key, prompt, 0))
    if back is None:
        tier.forget("nobody")  # comes after what is to be removed
        return None
    tokens, caches = back
    for layer, cache in enumerate(caches):
        assert cache.offset == len(tokens)
        assert [int(key) for key in cache.keys[0, 0, :, 0]] == [
            token + 1000 * layer for token in tokens
        ]
        assert bool(mx.array_equal(cache.keys, -cache.values))
    return tokens
