"""A model's stored tensors as layers: which are packed by quantization, and what is in them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from engine.models.safetensors_header import Tensor

LayerRole = Literal["linear", "embedding", "switch", "heads", "output"]
"""`switch` holds all experts of a layer, `heads` is latent attention's matrix for every head."""

_DEFAULT_GROUP_SIZE = 64
_GROUP_SIZES = frozenset({16, 32, 64, 128})
_WORD_BITS = 32
# Bits times group size tell the fixed formats apart: mxfp4, nvfp4 and mxfp8.
_BYTE_SCALED_GROUPS = {128: 32, 64: 16, 256: 32}
_EXPERTS = re.compile(r"\.(?:experts|switch_mlp|switch_glu)\.")
_EMBEDDING = re.compile(
    r"(?:^|\.)(?:embed_tokens(?:_per_layer)?|embeddings?|word_embeddings|wte)\."
)
_OUTPUT = re.compile(r"(?:^|\.)(?:lm_head|output)\.")
_SCALES = ("scales", "biases", "global_scale")


@dataclass(frozen=True, slots=True)
class PackedLayer:
    """One quantized layer. `elements` is how many numbers its packed weight stands for."""

    name: str
    role: LayerRole
    elements: int
    matrix_elements: int
    weight: Tensor
    scales: tuple[Tensor, ...]


@dataclass(frozen=True, slots=True)
class StoredWeights:
    """All tensors of a model, each either plain or part of a packed layer."""

    plain: tuple[Tensor, ...]
    packed: tuple[PackedLayer, ...]

    @property
    def bytes(self) -> int:
        """As they are stored."""
        return sum(tensor.bytes for tensor in self.plain) + sum(
            layer.weight.bytes + sum(scale.bytes for scale in layer.scales) for layer in self.packed
        )


def is_expert(name: str) -> bool:
    """Whether a tensor or layer belongs to the routed experts."""
    return _EXPERTS.search(f"{name}.") is not None


def is_embedding(name: str) -> bool:
    """Whether a tensor belongs to a table of one row a token."""
    return _EMBEDDING.search(name) is not None


def is_output(name: str) -> bool:
    """Whether a tensor belongs to the matrix that makes the logits."""
    return _OUTPUT.search(name) is not None


def sort_weights(tensors: Sequence[Tensor], config: Mapping[str, object]) -> StoredWeights:
    """Find the packed layers by their names; `config` says in what groups they were packed."""
    by_name = {tensor.name: tensor for tensor in tensors}
    packed = tuple(
        layer for name in by_name if (layer := _packed_layer(name, by_name, config)) is not None
    )
    taken = {tensor.name for layer in packed for tensor in (layer.weight, *layer.scales)}
    plain = tuple(tensor for tensor in tensors if tensor.name not in taken)
    return StoredWeights(plain, packed)


def _packed_layer(
    name: str, tensors: Mapping[str, Tensor], config: Mapping[str, object]
) -> PackedLayer | None:
    if name.endswith("_blocks"):
        return _gpt_oss_layer(name, tensors)
    layer, _, kind = name.rpartition(".")
    scales = tensors.get(f"{layer}.scales")
    if kind != "weight" or scales is None or not tensors[name].shape or not scales.shape:
        return None
    weight = tensors[name]
    elements = scales.elements * _group_size(layer, weight, scales, config)
    found = tuple(tensors[part] for suffix in _SCALES if (part := f"{layer}.{suffix}") in tensors)
    count = weight.shape[0] if len(weight.shape) > 2 else 1
    return PackedLayer(layer, _role(layer), elements, elements // max(count, 1), weight, found)


def _gpt_oss_layer(name: str, tensors: Mapping[str, Tensor]) -> PackedLayer | None:
    """OpenAI's own form of mxfp4: two numbers a byte in blocks, their scales beside them."""
    weight, scales = tensors[name], tensors.get(f"{name.removesuffix('_blocks')}_scales")
    if scales is None:
        return None
    elements = 2 * weight.elements
    count = weight.shape[0] if weight.shape else 1
    layer = name.removesuffix("_blocks")
    return PackedLayer(layer, "switch", elements, elements // max(count, 1), weight, (scales,))


def _group_size(layer: str, weight: Tensor, scales: Tensor, config: Mapping[str, object]) -> int:
    if scales.dtype == "U8":
        ratio = _WORD_BITS * weight.shape[-1] // max(scales.shape[-1], 1)
        return _BYTE_SCALED_GROUPS.get(ratio, 32)
    for scheme in (config.get("quantization"), config.get("quantization_config")):
        if isinstance(scheme, Mapping):
            own = scheme.get(layer)
            for source in (own if isinstance(own, Mapping) else {}, scheme):
                size = source.get("group_size")
                if isinstance(size, int) and size in _GROUP_SIZES:
                    return size
    return _DEFAULT_GROUP_SIZE


def _role(layer: str) -> LayerRole:
    last = layer.rpartition(".")[2]
    if last in ("embed_q", "unembed_out"):
        return "heads"
    if is_expert(layer):
        return "switch"
    if is_output(f"{layer}."):
        return "output"
    return "embedding" if is_embedding(f"{layer}.") else "linear"
