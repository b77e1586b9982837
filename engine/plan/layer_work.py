"""Working memory of one layer while a chunk of a prompt is read, beside its own cache.

MLX's CPU backend allocates about a hundred operations ahead of the one it computes, which is
most of a layer: so a layer's activations count as alive together, while its scores, the largest
buffer, are reused by each step of the softmax. Counts were fitted to measured peaks.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import assert_never

from engine.plan.geometry import (
    Combined,
    FullAttention,
    LatentAttention,
    Layer,
    Mixer,
    NoCache,
    RecurrentState,
    SharedAttention,
    SlidingAttention,
    TokenIndex,
)
from engine.plan.kv_bytes import largest_layer_kv
from engine.plan.recurrent_work import is_stepped, recurrent_activations, scan_bytes
from engine.plan.workload import Workload

_FUSED_HEAD_SIZES = (64, 72, 80, 96, 128)
_UNFUSED_GPU_COPIES = 2.5
_SINK_COPIES = 3
"""With attention sinks the scores are concatenated with the sinks and cut again."""
_LATENT_COPIES = 2
"""The rotary part's scores, masked, are the mask of the others."""


@dataclass(frozen=True, slots=True)
class LayerWork:
    """Bytes by kind."""

    scores: int = 0
    rebuilt: int = 0
    scan: int = 0
    activations: int = 0
    cache_copy: int = 0
    is_recurrent: bool = False

    @property
    def total(self) -> int:
        """All of them together."""
        return self.scores + self.rebuilt + self.scan + self.activations + self.cache_copy


def layer_work(workload: Workload, layer: Layer, is_quantized: bool = False) -> LayerWork:
    """What the layer needs with its feed-forward block; several mixers follow each other.

    `is_quantized` says so of the keys and values it attends to.
    """
    if isinstance(layer, RecurrentState) and is_stepped(workload, layer):
        return _mixer_work(workload, layer)
    parts = layer.parts if isinstance(layer, Combined) else (layer,)
    works = [_mixer_work(workload, part, is_quantized) for part in parts]
    block = workload.read_tokens * _block_widths(workload) * workload.element_bytes
    return LayerWork(
        cache_copy=largest_layer_kv(workload),
        scores=max(work.scores for work in works),
        rebuilt=sum(work.rebuilt for work in works),
        scan=sum(work.scan for work in works),
        activations=block + sum(work.activations for work in works),
        is_recurrent=any(work.is_recurrent for work in works),
    )


def _mixer_work(workload: Workload, mixer: Mixer, is_quantized: bool = False) -> LayerWork:
    tokens, size = workload.read_tokens, workload.element_bytes
    match mixer:
        case FullAttention() | SlidingAttention():
            return _attention_work(workload, mixer, is_quantized)
        case SharedAttention():
            return _shared_work(workload, mixer, is_quantized)
        case LatentAttention():
            heads = mixer.query_heads
            rebuilt = heads * workload.context_tokens * _rebuilt_widths(workload, mixer)
            widths = 3 * heads * (mixer.head_size + mixer.rope_size) + 2 * heads * mixer.value_size
            return LayerWork(
                _scores(workload, mixer),
                rebuilt=rebuilt * size,
                activations=tokens * (widths + 4 * mixer.latent_size) * size,
            )
        case TokenIndex():
            scores = mixer.query_heads * tokens * workload.context_tokens * size
            return LayerWork(activations=tokens * mixer.query_heads * mixer.size * size + scores)
        case RecurrentState():
            return LayerWork(
                scan=scan_bytes(workload, mixer),
                activations=recurrent_activations(workload, mixer),
                is_recurrent=True,
            )
        case NoCache():
            return LayerWork()
        case _:
            assert_never(mixer)


def _attention_work(
    workload: Workload, mixer: FullAttention | SlidingAttention, is_quantized: bool
) -> LayerWork:
    size, scores = workload.element_bytes, _scores(workload, mixer)
    query = mixer.query_heads * max(mixer.key_size, mixer.value_size)
    pair = mixer.kv_heads * (mixer.key_size + mixer.value_size)
    activations = workload.read_tokens * (5 * query + 5 * pair // 2) * size
    if not is_quantized:
        return LayerWork(scores, activations=activations)
    # On the CPU one head after the other is made plain and attended to.
    shares = mixer.kv_heads if workload.backend == "cpu" else 1
    plain = pair * _seen_tokens(workload, mixer) * size
    return LayerWork(scores // shares, rebuilt=plain // shares, activations=activations)


def _shared_work(workload: Workload, mixer: SharedAttention, is_quantized: bool) -> LayerWork:
    source = workload.geometry.layers[mixer.source]
    if isinstance(source, Combined):
        return LayerWork()
    return _mixer_work(workload, source, is_quantized)


def _rebuilt_widths(workload: Workload, mixer: LatentAttention) -> int:
    """Elements a head and token. MLX's quantized product on the CPU first copies the latent."""
    is_copied = workload.backend == "cpu" and workload.has_packed_heads
    return mixer.head_size + mixer.value_size + (mixer.latent_size if is_copied else 0)


def _block_widths(workload: Workload) -> int:
    """Elements a token outside the mixer: residual stream, norms, feed-forward block."""
    geometry = workload.geometry
    widths = (6 + geometry.residual_streams) * geometry.hidden_size
    experts = geometry.experts
    if experts is None:
        return widths + 3 * geometry.intermediate_size
    each = 2 * geometry.hidden_size + 3 * experts.intermediate_size
    return widths + experts.active * each + 3 * experts.shared_intermediate_size


def _scores(workload: Workload, mixer: FullAttention | SlidingAttention | LatentAttention) -> int:
    """Attention scores where no fused kernel computes them piece by piece."""
    keys = _seen_tokens(workload, mixer)
    one = mixer.query_heads * workload.read_tokens * keys * workload.element_bytes
    if workload.backend == "cpu":
        return one * _cpu_copies(workload, mixer)
    is_fused = _head_size(mixer) in _FUSED_HEAD_SIZES
    return 0 if is_fused else int(one * _UNFUSED_GPU_COPIES)


def _seen_tokens(
    workload: Workload, mixer: FullAttention | SlidingAttention | LatentAttention
) -> int:
    """Keys that a chunk's queries are compared with."""
    if isinstance(mixer, SlidingAttention):
        return min(workload.context_tokens, mixer.window - 1 + workload.read_tokens)
    return workload.context_tokens


def _cpu_copies(
    workload: Workload, mixer: FullAttention | SlidingAttention | LatentAttention
) -> int:
    if isinstance(mixer, LatentAttention):
        return _LATENT_COPIES
    return _SINK_COPIES if workload.geometry.has_sinks else 1


def _head_size(mixer: FullAttention | SlidingAttention | LatentAttention) -> int:
    return mixer.head_size if isinstance(mixer, LatentAttention) else mixer.key_size
