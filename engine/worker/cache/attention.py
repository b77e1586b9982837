"""Attention over quantized keys and values; `attention_patch` makes mlx-lm's models use it.

Quantized keys or values are triples (packed, scales, biases). Their bits and group size follow
from their shapes, so that a layer which borrows another layer's keys needs no cache that knows.
"""

from __future__ import annotations

from dataclasses import dataclass

import mlx.core as mx

from engine.worker.cache.array_rows import Triple
from engine.worker.cache.attention_routes import Route

Mask = mx.array | str | None


@dataclass(frozen=True, slots=True)
class Attended:
    """One call: queries of shape (rows, heads, new tokens, head size), and what they attend to."""

    queries: mx.array
    keys: Triple
    values: Triple
    scale: float
    mask: Mask

    @property
    def kv_heads(self) -> int:
        """Heads that keys and values have."""
        return self.keys[0].shape[1]

    @property
    def repeats(self) -> int:
        """Query heads that share a KV head."""
        return self.queries.shape[1] // self.kv_heads

    @property
    def group_size(self) -> int:
        """Elements that share a scale."""
        return self.queries.shape[-1] // self.keys[1].shape[-1]

    def bits(self, triple: Triple) -> int:
        """Bits of an element."""
        packed, scales, _ = triple
        return packed.shape[-1] * 32 // (scales.shape[-1] * self.group_size)


def attend(call: Attended, route: Route) -> mx.array:
    """Attention on the route's way for this many queries."""
    new_tokens = call.queries.shape[2]
    if route.is_quantized(new_tokens, call.repeats * new_tokens):
        return quantized_attention(call)
    return attention_by_head(call) if route.is_by_head else dequantized_attention(call)


def quantized_attention(call: Attended) -> mx.array:
    """Products with the packed keys and values themselves.

    The queries of a KV head are stacked on the token axis: to broadcast the packed keys to every
    query head would copy them.
    """
    rows, heads, new_tokens, size = call.queries.shape
    stacked = (rows, call.kv_heads, call.repeats * new_tokens)
    scores = mx.quantized_matmul(
        (call.queries * call.scale).reshape(*stacked, size),
        *call.keys,
        transpose=True,
        group_size=call.group_size,
        bits=call.bits(call.keys),
    )
    if call.mask is not None:
        grouped = scores.reshape(rows, call.kv_heads, call.repeats, new_tokens, -1)
        scores = _masked(grouped, call.mask).reshape(scores.shape)
    output = mx.quantized_matmul(
        mx.softmax(scores, axis=-1, precise=True),
        *call.values,
        transpose=False,
        group_size=call.group_size,
        bits=call.bits(call.values),
    )
    return output.reshape(rows, heads, new_tokens, -1)


def dequantized_attention(call: Attended) -> mx.array:
    """All keys and values made plain, then MLX's own attention."""
    keys, values = (
        mx.dequantize(*triple, group_size=call.group_size, bits=call.bits(triple))
        for triple in (call.keys, call.values)
    )
    return mx.fast.scaled_dot_product_attention(
        call.queries, keys, values, scale=call.scale, mask=call.mask
    )


def attention_by_head(call: Attended) -> mx.array:
    """The same, one KV head after the other, so that only one is plain at a time."""
    outputs: list[mx.array] = []
    for head in range(call.kv_heads):
        packed = [part[:, head : head + 1] for part in (*call.keys, *call.values)]
        if outputs:
            # Without an order MLX would dequantize many heads before it attends to the first.
            packed = mx.depends(packed, outputs[-1:])
        first = head * call.repeats
        query_heads = slice(first, first + call.repeats)
        outputs.append(
            dequantized_attention(
                Attended(
                    call.queries[:, query_heads],
                    (packed[0], packed[1], packed[2]),
                    (packed[3], packed[4], packed[5]),
                    call.scale,
                    _mask_of(call.mask, query_heads),
                )
            )
        )
    return mx.concatenate(outputs, axis=1)


def _masked(scores: mx.array, mask: mx.array | str) -> mx.array:
    """Scores of shape (rows, KV heads, repeats, new tokens, tokens) under any mask of mlx-lm's."""
    kv_heads, repeats, new_tokens, tokens = scores.shape[1:]
    if isinstance(mask, str):
        last = mx.arange(tokens - new_tokens, tokens)
        mask = last[:, None] >= mx.arange(tokens)[None]
    if mask.ndim > 2:
        heads = mask.shape[-3]
        split = (kv_heads, repeats) if heads > 1 else (1, 1)
        mask = mask.reshape(*mask.shape[:-3], *split, *mask.shape[-2:])
    if mask.dtype == mx.bool_:
        return mx.where(mask, scores, mx.finfo(scores.dtype).min)
    return scores + mask.astype(scores.dtype)


def _mask_of(mask: Mask, query_heads: slice) -> Mask:
    if not isinstance(mask, mx.array) or mask.ndim < 3 or mask.shape[-3] == 1:
        return mask
    return mask[..., query_heads, :, :]
