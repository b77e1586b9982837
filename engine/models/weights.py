"""Parameters and number format of a model, from its configuration and its weights' headers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from engine.models.safetensors_header import Tensor

_PACKED_TYPES = frozenset({"U32", "I32"})
_PACKED_NAMES = ("weight", "qweight", "weight_packed")
_SCALE_NAMES = ("scales", "biases", "qzeros", "g_idx", "weight_scale", "weight_shape")
_BITS_PER_WORD = 32
_TYPE_NAMES = {"BF16": "bf16", "F16": "fp16", "F32": "fp32", "F8_E4M3": "fp8", "F8_E5M2": "fp8"}
_METHODS_WITH_BITS = frozenset({"awq", "gptq", "compressed-tensors"})


def count_parameters(tensors: Iterable[Tensor], config: Mapping[str, Any]) -> int:
    """How many numbers the model was trained to; packed weights count what is packed in them."""
    scheme = _scheme(config)
    by_name = {tensor.name: tensor for tensor in tensors}
    packed = {name for name, tensor in by_name.items() if _is_packed(tensor)}
    layers = {name.rpartition(".")[0] for name in packed}
    total = 0
    for name, tensor in by_name.items():
        layer, _, kind = name.rpartition(".")
        if name in packed:
            total += tensor.elements * _BITS_PER_WORD // _bits(layer, scheme)
        elif tensor.dtype == "U8" and kind.endswith("_blocks"):
            # OpenAI's own form of MXFP4: two weights a byte, their scales beside them.
            total += 2 * tensor.elements
        elif tensor.dtype == "U8" and kind.endswith("_scales"):
            continue
        elif layer not in layers or kind not in _SCALE_NAMES:
            total += tensor.elements
    return total


def describe_quantization(tensors: Iterable[Tensor], config: Mapping[str, Any]) -> str:
    """`4-bit`, `4/6-bit`, `mxfp4`, `awq 4-bit`, or the type in which most weights are stored."""
    scheme = config.get("quantization")
    if isinstance(scheme, dict) and (bits := _all_bits(scheme)):
        mode = scheme.get("mode", "affine")
        if isinstance(mode, str) and mode != "affine":
            return mode[:16]
        return f"{'/'.join(map(str, sorted(bits)))}-bit"
    foreign = config.get("quantization_config")
    if isinstance(foreign, dict) and isinstance(method := foreign.get("quant_method"), str):
        bits = _all_bits(foreign)
        has_bits = bits and method in _METHODS_WITH_BITS
        return f"{method} {min(bits)}-bit" if has_bits else method[:24]
    sizes: Counter[str] = Counter()
    for tensor in tensors:
        sizes[tensor.dtype] += tensor.bytes
    if not sizes:
        return ""
    ((dtype, _),) = sizes.most_common(1)
    return _TYPE_NAMES.get(dtype, dtype.lower())


def _scheme(config: Mapping[str, Any]) -> Mapping[str, Any]:
    for key in ("quantization", "quantization_config"):
        if isinstance(scheme := config.get(key), dict):
            return scheme
    return {}


def _is_packed(tensor: Tensor) -> bool:
    return tensor.dtype in _PACKED_TYPES and tensor.name.rpartition(".")[2] in _PACKED_NAMES


def _bits(layer: str, scheme: Mapping[str, Any]) -> int:
    """Bits of one layer: its own, or everybody's."""
    own = scheme.get(layer)
    for source in (own if isinstance(own, dict) else {}, scheme):
        if bits := _number_of_bits(source.get("bits")):
            return bits
    return 4


def _all_bits(scheme: Mapping[str, Any]) -> set[int]:
    found = {_number_of_bits(scheme.get("bits"))}
    found |= {_number_of_bits(own.get("bits")) for own in scheme.values() if isinstance(own, dict)}
    return found - {0}


def _number_of_bits(value: object) -> int:
    return value if isinstance(value, int) and 1 <= value <= _BITS_PER_WORD else 0
