"""What the streaming planner must know of a model, given or read from headers alone."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from engine.models.safetensors_header import Tensor
from engine.plan.families.fields import Fields

STREAMING_FAMILY = "glm_moe_dsa"
"""The only `model_type` whose experts this planner knows how to stream."""

_LAYER = re.compile(r"(?:^|\.)layers\.(\d{1,4})\.")
_EXPERT = re.compile(r"\.(?:experts|switch_mlp)\.(?:(\d{1,5})\.)?")
_INDEXER = ".indexer."


@dataclass(frozen=True, slots=True)
class StreamingGeometry:
    """Sizes in elements, `*_bytes` as stored. The draft layers predict several tokens ahead."""

    resident_bytes: int
    """Every tensor but the routed experts."""
    slot_bytes: int
    """One expert of a main layer, the largest if they differ."""
    draft_slot_bytes: int
    hidden_size: int
    vocabulary_size: int
    layers: int
    sparse_layers: int
    heads: int
    latent_size: int
    rope_size: int
    key_size: int
    """Of one head, its rotary part included."""
    value_size: int
    experts: int
    active_experts: int
    index_layers: int = 0
    """Layers with keys for sparse attention of their own."""
    index_size: int = 0
    draft_layers: int = 0
    context_window: int = 0


def is_streaming_config(config: Mapping[str, object]) -> bool:
    """Whether a config.json is of the kind whose experts could stream from disk."""
    return config.get("model_type") == STREAMING_FAMILY


def read_streaming_geometry(
    config: Mapping[str, object], tensors: Iterable[Tensor]
) -> StreamingGeometry:
    """The geometry of a checkpoint. Raises UnplannableModel where the configuration is silent."""
    fields = Fields(config)
    layers, experts = fields.layer_count(), fields.size("n_routed_experts")
    stored = _sort(tensors, experts)
    main = {layer: size for layer, size in stored.slots.items() if layer < layers}
    draft = {layer: size for layer, size in stored.slots.items() if layer >= layers}
    return StreamingGeometry(
        resident_bytes=stored.resident,
        slot_bytes=max(main.values(), default=0),
        draft_slot_bytes=max(draft.values(), default=0),
        hidden_size=fields.size("hidden_size"),
        vocabulary_size=fields.size("vocab_size"),
        layers=layers,
        sparse_layers=len(main),
        heads=fields.size("num_attention_heads"),
        latent_size=fields.size("kv_lora_rank"),
        rope_size=fields.size("qk_rope_head_dim"),
        key_size=fields.size("qk_nope_head_dim") + fields.size("qk_rope_head_dim"),
        value_size=fields.size("v_head_dim"),
        experts=experts,
        active_experts=fields.size("num_experts_per_tok"),
        index_layers=len(stored.indexed),
        index_size=fields.size("index_head_dim") if stored.indexed else 0,
        draft_layers=len(draft),
        context_window=fields.count("max_position_embeddings"),
    )


@dataclass(frozen=True, slots=True)
class _Stored:
    """Bytes outside the routed experts, bytes of one expert by layer, layers with an index."""

    resident: int
    slots: dict[int, int]
    indexed: frozenset[int]


def _sort(tensors: Iterable[Tensor], experts: int) -> _Stored:
    resident = 0
    single: dict[tuple[int, int], int] = defaultdict(int)
    stacked: dict[int, int] = defaultdict(int)
    indexed = set()
    for tensor in tensors:
        layer, expert = _LAYER.search(tensor.name), _EXPERT.search(tensor.name)
        if layer is None or expert is None:
            resident += tensor.bytes
            if layer is not None and _INDEXER in tensor.name:
                indexed.add(int(layer[1]))
        elif expert[1] is not None:
            single[int(layer[1]), int(expert[1])] += tensor.bytes
        else:
            # One tensor for all experts of the layer.
            stacked[int(layer[1])] += -(-tensor.bytes // experts)
    slots = dict(stacked)
    for (layer_index, _), size in single.items():
        slots[layer_index] = max(slots.get(layer_index, 0), size)
    return _Stored(resident, slots, frozenset(indexed))
