"""Bytes of a model's weights once it is loaded, on each backend."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from engine.models.safetensors_header import Tensor
from engine.plan.cpu_form import CpuForm, choose_cpu_form
from engine.plan.device import Device
from engine.plan.stored_weights import PackedLayer, StoredWeights, is_expert, sort_weights

_FLOAT32_BYTES = 4
_HALF_BYTES = 2
_DTYPE_BYTES = {"F64": 8, "F32": 4, "F16": 2, "BF16": 2}
_EMBEDDINGS = ("embed_tokens.", "embeddings.", "word_embeddings.", "wte.")


@dataclass(frozen=True, slots=True)
class Weights:
    """`element_bytes` is the size of an activation and of a plain KV element.

    `expert_bytes` is the share of the routed experts. `expanded_bytes` is the largest matrix that
    is dequantized for the length of one call, 0 where none is.
    """

    resident_bytes: int
    expert_bytes: int
    expanded_bytes: int
    element_bytes: int
    form: CpuForm | Literal["as-stored"]


def plan_weights(
    tensors: Sequence[Tensor], config: Mapping[str, object], device: Device, usable_bytes: int
) -> Weights:
    """`tensors` are those mlx-lm keeps (`kept_tensors`)."""
    stored = sort_weights(tensors, config)
    half = _stored_element_bytes(tensors)
    if device.backend != "cpu":
        return Weights(stored.bytes, _expert_bytes(stored, "as-stored"), 0, half, "as-stored")
    form = choose_cpu_form(
        weights_bytes(stored, "expanded"),
        is_quantized=any(layer.role != "heads" for layer in stored.packed),
        is_fast=device.compute != "reference",
        usable_bytes=usable_bytes,
    )
    return Weights(
        resident_bytes=weights_bytes(stored, form),
        expert_bytes=_expert_bytes(stored, form),
        expanded_bytes=_largest_expansion(stored) if form == "expanded-on-demand" else 0,
        element_bytes=half if form == "as-stored" else _FLOAT32_BYTES,
        form=form,
    )


def weights_bytes(stored: StoredWeights, form: CpuForm) -> int:
    """Bytes of everything in that form."""
    return sum(_plain_bytes(tensor, form) for tensor in stored.plain) + sum(
        _packed_bytes(layer, form) for layer in stored.packed
    )


def adapter_bytes(tensors: Sequence[Tensor], form: CpuForm) -> int:
    """Bytes of an adapter's own matrices beside the weights they change."""
    return sum(_plain_bytes(tensor, form) for tensor in tensors)


def _expert_bytes(stored: StoredWeights, form: CpuForm) -> int:
    return sum(_plain_bytes(tensor, form) for tensor in stored.plain if is_expert(tensor.name)) + (
        sum(_packed_bytes(layer, form) for layer in stored.packed if is_expert(layer.name))
    )


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
    embeddings = [t for t in floating if any(name in t.name for name in _EMBEDDINGS)]
    largest = max(embeddings or floating, key=lambda tensor: tensor.bytes, default=None)
    return _DTYPE_BYTES[largest.dtype] if largest else _HALF_BYTES
