"""The working memory of an answer beside weights and KV cache, at its fullest moment.

Two moments compete: reading a full chunk at the end of the prompt, and the first token of the
answer, for which mlx-lm copies every row's cache on its way from one batch to another.
"""

from __future__ import annotations

from collections.abc import Sequence

from engine.plan.contract import PlanItem
from engine.plan.geometry import RecurrentState
from engine.plan.kv_bytes import largest_layer_kv, uneven_step_kv
from engine.plan.kv_placement import stored_layers
from engine.plan.layer_work import LayerWork, layer_work
from engine.plan.recurrent_work import held_bytes
from engine.plan.workload import Workload

_LOGIT_COPIES = 12
"""The model's logits, their logarithms, and what sorting and filtering them for a draw takes."""
MOST_DRAFTED = 15
"""Tokens that are checked in one pass beside the one that is certain."""
_FLOAT32_BYTES = 4
_MASK_COPIES = 2
_SHARE_AHEAD = 2
"""One part in so many of a following recurrent layer is allocated already."""
_EXPANSIONS_ALIVE = 2
"""A matrix dequantized for one product, and the same before scales and biases are applied."""
_SMALL_ARRAYS = 1 << 21
"""Positions, tokens and norms of a step, and every buffer's rounding up to whole pages."""


def transient_items(workload: Workload) -> tuple[PlanItem, ...]:
    """The bill of the fullest moment, line by line."""
    moments = (*_readings(workload), _joining(workload))
    return (
        *max(moments, key=lambda items: sum(item.bytes for item in items)),
        *_items(
            ("uneven steps of a resumed chat", uneven_step_kv(workload)),
            ("small arrays", _SMALL_ARRAYS),
        ),
    )


def _readings(workload: Workload) -> list[tuple[PlanItem, ...]]:
    """The bill while each kind of layer is at work: which is fullest shows only in the sum."""
    # Of the last layer only the cache is computed until the first token of the answer.
    layers = stored_layers(workload)
    works = [
        layer_work(workload, layer, stored is not None)
        for layer, stored in set(layers[:-1] or layers)
    ]
    return [
        _reading(workload, work, [other for other in works if other is not work]) for work in works
    ]


def _reading(
    workload: Workload, work: LayerWork, others: Sequence[LayerWork]
) -> tuple[PlanItem, ...]:
    ahead = max((each.activations for each in others if each.is_recurrent), default=0)
    mask = _MASK_COPIES * workload.read_tokens * workload.context_tokens
    return _items(
        ("attention scores", work.scores),
        ("attention mask", mask if work.scores else 0),
        ("keys and values made plain", work.rebuilt),
        ("states of the recurrence", work.scan),
        ("activations", work.activations),
        ("activations of the next layer", ahead // _SHARE_AHEAD),
        ("chunks held by recurrent layers", _held(workload)),
        ("one layer's cache while it grows", work.cache_copy),
        ("expanded weights", _EXPANSIONS_ALIVE * workload.expanded_bytes),
    )


def _held(workload: Workload) -> int:
    """Of all recurrent layers but the one at work, which needs more than that."""
    held = [
        held_bytes(workload, mixer)
        for mixer in workload.geometry.mixers()
        if isinstance(mixer, RecurrentState)
    ]
    return sum(held) - max(held, default=0)


def _joining(workload: Workload) -> tuple[PlanItem, ...]:
    vocabulary_bytes = workload.geometry.vocabulary_size * _FLOAT32_BYTES
    return _items(
        ("one layer's cache, copied and grown", 2 * largest_layer_kv(workload)),
        ("one layer's cache, gathered to be multiplied", _gathered(workload)),
        ("logits", _LOGIT_COPIES * vocabulary_bytes * workload.rows),
        ("logits of drafted tokens", MOST_DRAFTED * vocabulary_bytes),
    )


def _gathered(workload: Workload) -> int:
    """MLX's quantized product on the CPU copies what has room to grow; alone that is freed first.

    Two layers of it: the next one's is made ahead.
    """
    is_quantized = any(stored for _, stored in stored_layers(workload))
    is_copied = is_quantized and workload.backend == "cpu" and workload.rows > 1
    return 2 * largest_layer_kv(workload) if is_copied else 0


def _items(*lines: tuple[str, int]) -> tuple[PlanItem, ...]:
    return tuple(PlanItem("transient", label, size) for label, size in lines if size)
