"""Bytes of the KV cache and of recurrent state, by layer kind.

Two figures: `exact_kv_bytes`, what the tokens need, and `allocated_kv`, what mlx-lm's caches
hold for them: steps of 256 tokens, a chunk beyond the window while a prompt is read, and every
row as long as the longest.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import assert_never

from engine.plan.contract import PlanItem
from engine.plan.geometry import (
    FullAttention,
    Geometry,
    LatentAttention,
    Mixer,
    NoCache,
    RecurrentState,
    SharedAttention,
    SlidingAttention,
    TokenIndex,
)
from engine.plan.kv_placement import placed
from engine.plan.kv_scheme import PLAIN, KVScheme, Quantization
from engine.plan.workload import KV_STEP, Workload

_FLOAT32_BYTES = 4


def exact_kv_bytes(
    geometry: Geometry, tokens: int, element_bytes: int, scheme: KVScheme = PLAIN
) -> int:
    """Bytes of one row of `tokens` tokens without any rounding."""
    return sum(
        _mixer_bytes(mixer, _exact_tokens(mixer, tokens), element_bytes, stored)
        for _, mixer, stored in placed(geometry, scheme.at(tokens))
    )


def allocated_kv(workload: Workload) -> tuple[PlanItem, ...]:
    """What the caches of every row hold at their fullest, one item a kind of layer."""
    return max(
        (_held(work, scheme) for work, scheme in _stages(workload)),
        key=lambda items: sum(item.bytes for item in items),
    )


def _stages(workload: Workload) -> Iterator[tuple[Workload, KVScheme]]:
    """The longest a row is stored in each way: a start is noticed after the chunk it lies in."""
    scheme, tokens = workload.scheme, workload.context_tokens
    yield workload, scheme.at(tokens)
    if scheme.bits and 0 < scheme.start_tokens <= tokens:
        yield workload.at(min(tokens, scheme.start_tokens - 1 + workload.chunk)), PLAIN


def _held(workload: Workload, scheme: KVScheme) -> tuple[PlanItem, ...]:
    sums: dict[str, tuple[int, int]] = {}
    for _, mixer, stored in placed(workload.geometry, scheme):
        label = _label(mixer, stored)
        if label is None:
            continue
        tokens = _allocated_tokens(mixer, workload.context_tokens, workload.chunk)
        size = _mixer_bytes(mixer, tokens, workload.element_bytes, stored) * workload.rows
        layers, total = sums.get(label, (0, 0))
        sums[label] = layers + 1, total + size
    return tuple(
        PlanItem("kv", f"{label}, {_layers(layers)}", total)
        for label, (layers, total) in sums.items()
    )


def largest_layer_kv(workload: Workload) -> int:
    """What the caches of the layer that holds most take, every row."""
    sizes: dict[tuple[int, int], int] = {}
    for stage, (work, scheme) in enumerate(_stages(workload)):
        for index, mixer, stored in placed(work.geometry, scheme):
            tokens = _allocated_tokens(mixer, work.context_tokens, work.chunk)
            size = _mixer_bytes(mixer, tokens, work.element_bytes, stored)
            sizes[stage, index] = sizes.get((stage, index), 0) + size
    return max(sizes.values(), default=0) * workload.rows


def uneven_step_kv(workload: Workload) -> int:
    """What a resumed conversation's caches may hold beyond whole steps.

    mlx-lm cuts a kept cache to its tokens and grows it by whole steps from there, so it has room
    for up to one token less than a step too many, wherever it ends.
    """
    scheme = workload.scheme.at(workload.context_tokens)
    return workload.rows * sum(
        _uneven_bytes(workload, mixer, stored)
        for _, mixer, stored in placed(workload.geometry, scheme)
        if not isinstance(mixer, SlidingAttention)
    )


def _uneven_bytes(workload: Workload, mixer: Mixer, stored: Quantization | None) -> int:
    tokens, size = workload.context_tokens, workload.element_bytes
    stepped = _allocated_tokens(mixer, tokens, workload.chunk)
    return _mixer_bytes(mixer, tokens + KV_STEP - 1, size, stored) - _mixer_bytes(
        mixer, stepped, size, stored
    )


def _mixer_bytes(mixer: Mixer, tokens: int, element_bytes: int, stored: Quantization | None) -> int:
    match mixer:
        case FullAttention() | SlidingAttention():
            sizes = (mixer.key_size, mixer.value_size)
            vectors = (
                stored.vector_bytes(size, element_bytes) if stored else size * element_bytes
                for size in sizes
            )
            return mixer.kv_heads * tokens * sum(vectors)
        case LatentAttention():
            return (mixer.latent_size + mixer.rope_size) * element_bytes * tokens
        case TokenIndex():
            return 2 * mixer.size * element_bytes * tokens
        case RecurrentState():
            return mixer.float32_elements * _FLOAT32_BYTES + mixer.elements * element_bytes
        case SharedAttention() | NoCache():
            return 0
        case _:
            assert_never(mixer)


def _exact_tokens(mixer: Mixer, tokens: int) -> int:
    return min(tokens, mixer.window) if isinstance(mixer, SlidingAttention) else tokens


def _allocated_tokens(mixer: Mixer, tokens: int, chunk: int) -> int:
    if not isinstance(mixer, SlidingAttention):
        return -(-tokens // KV_STEP) * KV_STEP
    # A chunk is appended to the last window - 1 tokens before older ones go; after the prompt,
    # the first token of the answer adds a whole step to whatever length that left.
    while_reading = min(tokens, mixer.window - 1 + chunk)
    return max(while_reading, min(tokens + KV_STEP - 1, mixer.window))


def _label(mixer: Mixer, stored: Quantization | None) -> str | None:
    """What the layers of a kind are called together; None for those that hold nothing."""
    suffix = f", {stored.bits} bits" if stored else ""
    match mixer:
        case FullAttention():
            return f"full attention{suffix}"
        case SlidingAttention():
            return f"sliding attention over {mixer.window} tokens{suffix}"
        case LatentAttention():
            return "latent attention"
        case TokenIndex():
            return "sparse attention's index"
        case RecurrentState():
            return "recurrent state"
        case SharedAttention() | NoCache():
            return None
        case _:
            assert_never(mixer)


def _layers(count: int) -> str:
    return "1 layer" if count == 1 else f"{count} layers"
