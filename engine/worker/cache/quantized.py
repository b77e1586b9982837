"""Quantized full attention, one row; `batch_quantized` holds many."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Self

import mlx.core as mx
from mlx_lm.models.cache import create_attention_mask

from engine.worker.cache.array_rows import QuantizedPair, Triple
from engine.worker.cache.errors import CacheError
from engine.worker.cache.quantized_layer import (
    DEFAULT_BITS,
    DEFAULT_GROUP_SIZE,
    QuantizedLayer,
    append,
)

if TYPE_CHECKING:
    from engine.worker.cache.batch_quantized import BatchQuantizedKVCache


class QuantizedKVCache(QuantizedLayer):
    """Full attention, one row. Unlike mlx-lm's it knows its size, its bytes and how to merge."""

    def __init__(self, group_size: int = DEFAULT_GROUP_SIZE, bits: int = DEFAULT_BITS) -> None:
        super().__init__(group_size, bits)
        self.offset = 0

    @classmethod
    def from_plain(cls, cache: Any, group_size: int, bits: int) -> Self:
        """Quantize mlx-lm's KVCache, live tokens only, or take over its QuantizedKVCache."""
        quantized = cls(group_size, bits)
        quantized.offset = cache.offset
        if cache.keys is None or not cache.offset:
            return quantized
        if hasattr(cache, "bits"):
            quantized._restore(cache.keys, cache.values, (cache.group_size, cache.bits))
            quantized.rows = quantized.rows and quantized.rows.shared()
        else:
            quantized.rows = append(None, 0, quantized.quantize(*cache.keys_and_values()))
        return quantized

    def update_and_fetch(self, keys: mx.array, values: mx.array) -> tuple[Triple, Triple]:
        """Append tokens; returns all keys and all values as triples."""
        part = self.quantize(keys, values)
        self.rows = append(self.rows, self.offset, part)
        self.offset += part.tokens
        return self.keys_and_values()

    def keys_and_values(self) -> tuple[Triple, Triple]:
        """The live keys and values as triples."""
        live = self.live_rows()
        if live is None:
            raise CacheError("A cache that holds no token has no keys and values yet.")
        return live.keys, live.values

    def live_rows(self) -> QuantizedPair | None:
        """A view of the tokens held, without slack; None when there is none."""
        return self.rows.cut(tokens=(0, self.offset)) if self.rows and self.offset else None

    @property
    def state(self) -> Any:
        """Keys, values, offset, group size, bits: mlx-lm's order."""
        return self.keys, self.values, self.offset, self.group_size, self.bits

    @state.setter
    def state(self, state: Any) -> None:
        keys, values, offset, *scheme = state
        self._restore(keys, values, (scheme[0], scheme[1]))
        self.offset = offset

    def is_trimmable(self) -> bool:
        """Always."""
        return True

    def trim(self, tokens: int) -> int:
        """Forget the last tokens; returns how many. Their bytes stay until overwritten."""
        amount = min(self.offset, tokens)
        self.offset -= amount
        return amount

    def size(self) -> int:
        """Tokens held."""
        return self.offset

    def make_mask(
        self, tokens: int, return_array: bool = False, window_size: int | None = None
    ) -> Any:
        """mlx-lm's mask of an unpadded row: none, "causal" or an array."""
        return create_attention_mask(
            tokens, offset=self.offset, return_array=return_array, window_size=window_size
        )

    @classmethod
    def merge(cls, caches: Sequence[QuantizedKVCache]) -> BatchQuantizedKVCache:
        """One batch of these rows, empty ones included."""
        from engine.worker.cache.batch_quantized import BatchQuantizedKVCache

        return BatchQuantizedKVCache.merge(caches)
