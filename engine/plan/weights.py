"""Bytes of a model's weights once it is loaded, on each backend."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from engine.models.safetensors_header import Tensor
from engine.plan.cpu_form import CpuForm, choose_cpu_form
from engine.plan.device import Device
from engine.plan.stored_weights import (
    PackedLayer,
    StoredWeights,
    is_embedding,
    is_expert,
    is_output,
    sort_weights,
)

_FLOAT32_BYTES = 4
_HALF_BYTES = 2
_DTYPE_BYTES = {"F64": 8, "F32": 4, "F16": 2, "BF16": 2}
_PER_LAYER_TABLE = "embed_tokens_per_layer."


@dataclass(frozen=True, slots=True)
class Weights:
    """`element_bytes` is the size of an activation and of a plain KV element.

    `expert_bytes` is the share of the routed experts, `lookup_bytes` that of tables of which a
    token reads one row. `expanded_bytes` is the largest matrix that is dequantized for the length
    of one call, 0 where none is. `has_packed_heads`: latent attention's matrices are quantized.
    """

    resident_bytes: int
    expert_bytes: int
    lookup_bytes: int
    expanded_bytes: int
    element_bytes: int
    form: CpuForm
    has_packed_heads: bool = False


def plan_weights(
    tensors: Sequence[Tensor],
    config: Mapping[str, object],
    device: Device,
    usable_bytes: int,
    form: CpuForm | None = None,
) -> Weights:
    """`tensors` are those mlx-lm keeps (`kept_tensors`); `form` is theirs if they are loaded."""
    stored = sort_weights(tensors, config)
    half = _stored_element_bytes(tensors)
    if device.backend != "cpu":
        return _weights(stored, "as-stored", half)
    form = form or choose_cpu_form(
        weights_bytes(stored, "expanded"),
        is_quantized=any(layer.role != "heads" for layer in stored.packed),
        is_fast=device.compute != "reference",
        usable_bytes=usable_bytes,
    )
    return _weights(stored, form, half if form == "as-stored" else _FLOAT32_BYTES)


def _weights(stored: StoredWeights, form: CpuForm, element_bytes: int) -> Weights:
    return Weights(
        resident_bytes=weights_bytes(stored, form),
        expert_bytes=weights_bytes(_only(stored, is_expert), form),
        lookup_bytes=weights_bytes(_only(stored, _lookups(stored)), form),
        expanded_bytes=_largest_expansion(stored) if form == "expanded-on-demand" else 0,
        element_bytes=element_bytes,
        form=form,
        has_packed_heads=any(layer.role == "heads" for layer in stored.packed),
    )


def weights_bytes(stored: StoredWeights, form: CpuForm) -> int:
    """Bytes of everything in that form."""
    return sum(_plain_bytes(tensor, form) for tensor in stored.plain) + sum(
        _packed_bytes(layer, form) for layer in stored.packed
    )


def adapter_bytes(tensors: Sequence[Tensor], form: CpuForm) -> int:
    """Bytes of an adapter's own matrices beside the weights they change."""
    return sum(_plain_bytes(tensor, form) for tensor in tensors)


def _only(stored: StoredWeights, is_meant: Callable[[str], bool]) -> StoredWeights:
    return StoredWeights(
        tuple(tensor for tensor in stored.plain if is_meant(tensor.name)),
        tuple(layer for layer in stored.packed if is_meant(f"{layer.name}.")),
    )


def _lookups(stored: StoredWeights) -> Callable[[str], bool]:
    """Which tensors are only looked up: embeddings, unless they make the logits as well."""
    names = [*(tensor.name for tensor in stored.plain), *(f"{la.name}." for la in stored.packed)]
    has_output = any(is_output(name) for name in names)

    def is_lookup(name: str) -> bool:
        return _PER_LAYER_TABLE in name or (has_output and is_embedding(name))

    return is_lookup


def _plain_bytes(tensor: Tensor, form: CpuForm) -> int:
    is_cast = form != "as-stored" and tensor.is_floating
    return tensor.elements * _FLOAT32_BYTES if is_cast else tensor.bytes


def _packed_bytes(layer: PackedLayer, form: CpuForm) -> int:
    # Latent attention's matrices are of a kind that is never expanded.
    if form == "expanded" and layer.role != "heads":
        return layer.elements * _FLOAT32_BYTES
    return layer.weight.bytes + sum(_plain_bytes(scale, form) for scale in layer.scales)


def _largest_expansion(stored: StoredWeights) -> int:
    sizes = (layer.matrix_elements for layer in stored.packed if layer.role == "linear")
    return max(sizes, default=0) * _FLOAT32_BYTES


def _stored_element_bytes(tensors: Sequence[Tensor]) -> int:
    """The type of the embeddings, which every activation inherits."""
    floating = [tensor for tensor in tensors if tensor.dtype in _DTYPE_BYTES]
    embeddings = [tensor for tensor in floating if is_embedding(tensor.name)]
    largest = max(embeddings or floating, key=lambda tensor: tensor.bytes, default=None)
    return _DTYPE_BYTES[largest.dtype] if largest else _HALF_BYTES
