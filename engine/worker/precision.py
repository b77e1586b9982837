"""Preparing a loaded model's weights for MLX's CPU backend.

Its half-precision and quantized kernels are scalar loops; only float32 products reach the
matrix library. So parameters become float32, and quantized layers are expanded when the
library is fast and the memory is there.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, cast

import mlx.core as mx
from mlx.nn.layers.base import Module
from mlx.nn.layers.embedding import Embedding
from mlx.nn.layers.linear import Linear
from mlx.nn.layers.quantized import QuantizedEmbedding, QuantizedLinear
from mlx.utils import tree_flatten, tree_map, tree_unflatten
from mlx_lm.models.switch_layers import QuantizedSwitchLinear, SwitchLinear

from engine.plan.cpu_form import CpuForm, choose_cpu_form
from engine.plan.stored_weights import is_output

_Layer = Any  # a Module; most of its methods are untyped
_FLOAT32_BYTES = 4
_DESCRIPTIONS: dict[CpuForm, str] = {
    "as-stored": "float32 does not fit",
    "float32": "float32",
    "packed": "computed in float32",
    "expanded": "expanded to float32",
    "expanded-on-demand": "expanded while reading prompts",
}
# From about five rows on, expanding a layer costs less than the quantized kernel.
_ROWS_TO_EXPAND = 6


@dataclass(frozen=True, slots=True)
class Precision:
    """What the weights have become: bytes resident, their form, a phrase for the status line."""

    weights_bytes: int
    form: CpuForm
    description: str


class ExpandingLinear(QuantizedLinear):
    """A quantized layer that expands its weights for the length of one call with many rows."""

    def __call__(self, x: mx.array) -> mx.array:
        if math.prod(x.shape[:-1]) < _ROWS_TO_EXPAND:
            product = super().__call__(x)  # type: ignore[no-untyped-call]  # MLX leaves it untyped
            return cast(mx.array, product)
        product = x @ _expanded_weight(self).T
        # Else MLX expands the matrices of several layers before it computes with the first.
        mx.eval(product)
        return product + self["bias"] if "bias" in self else product


def prepare_for_cpu(model: Module, is_fast: bool, usable_bytes: int) -> Precision:
    """Convert the model in place; `usable_bytes` is what the engine may use.

    Greedy tokens stay those of the float32 reference of the same weights. Which form the weights
    get is `choose_cpu_form`'s rule, by which they were planned.
    """
    layers = _quantized_layers(model)
    form = choose_cpu_form(_expanded_bytes(model, layers), bool(layers), is_fast, usable_bytes)
    if form != "as-stored":
        _cast_to_float32(model)
    if form == "expanded":
        _replace(model, layers, _expand)
    elif form == "expanded-on-demand":
        # Logits are made for one row at a time, which the packed kernel does faster.
        inner = [layer for layer in layers if not is_output(f"{layer[0]}.")]
        _replace(model, inner, _expand_on_demand)
    resident = sum(array.nbytes for array in _distinct_parameters(model))
    return Precision(resident, form, _DESCRIPTIONS[form])


def _quantized_layers(model: _Layer) -> list[tuple[str, _Layer]]:
    """The layers we know how to expand; one used in two places is listed twice."""
    kinds = (QuantizedLinear, QuantizedEmbedding, QuantizedSwitchLinear)
    return [(name, module) for name, module in model.named_modules() if isinstance(module, kinds)]


def _expanded_bytes(model: _Layer, layers: list[tuple[str, _Layer]]) -> int:
    """Bytes once every floating parameter and every listed layer is float32."""
    total = sum(_float32_bytes(array) for array in _distinct_parameters(model))
    for module in {id(module): module for _, module in layers}.values():
        packing = (module.get(name) for name in ("weight", "scales", "biases", "global_scale"))
        total -= sum(_float32_bytes(array) for array in packing if array is not None)
        total += module.weight.size * 32 // module.bits * _FLOAT32_BYTES
    return total


def _float32_bytes(array: mx.array) -> int:
    is_floating = mx.issubdtype(array.dtype, mx.floating)
    return array.size * _FLOAT32_BYTES if is_floating else array.nbytes


def _parameters(model: _Layer) -> list[mx.array]:
    named = cast("list[tuple[str, mx.array]]", tree_flatten(model.parameters()))
    return [array for _, array in named]


def _distinct_parameters(model: _Layer) -> list[mx.array]:
    return list({id(array): array for array in _parameters(model)}.values())


def _cast_to_float32(model: _Layer) -> None:
    casts = {
        id(array): array.astype(mx.float32)
        for array in _parameters(model)
        if mx.issubdtype(array.dtype, mx.floating)
    }
    # One cast for an array used twice, so that tied weights stay tied.
    model.update(tree_map(lambda array: casts.get(id(array), array), model.parameters()))
    mx.eval(model.parameters())


def _replace(
    model: _Layer,
    layers: list[tuple[str, _Layer]],
    replacement: Callable[[_Layer], _Layer],
) -> None:
    """Swap the layers one at a time: the packed weights of each are freed before the next."""
    replaced: dict[int, tuple[_Layer, _Layer]] = {}
    while layers:
        name, module = layers.pop()
        if id(module) not in replaced:
            replaced[id(module)] = module, replacement(module)
        model.update_modules(tree_unflatten([(name, replaced[id(module)][1])]))


def _expand(module: _Layer) -> _Layer:
    """The same layer with its weights in float32, ready in memory."""
    layer: _Layer
    if isinstance(module, QuantizedLinear):
        layer = Linear(1, 1, bias=False)
    elif isinstance(module, QuantizedEmbedding):
        layer = Embedding(1, 1)
    else:
        layer = SwitchLinear(1, 1, 1, bias=False)
    layer.weight = _expanded_weight(module)
    if "bias" in module:
        layer.bias = module.bias
    mx.eval(layer.parameters())
    return layer


def _expand_on_demand(module: _Layer) -> _Layer:
    if not isinstance(module, QuantizedLinear):
        return module
    group_size, bits, mode = module.group_size, module.bits, module.mode
    layer = ExpandingLinear(group_size, 1, False, group_size, bits, mode)
    for name, value in module.items():
        # `update` takes only names the layer was made with; a bias is not among them.
        if value is not None:
            layer[name] = value
    return layer


def _expanded_weight(module: _Layer) -> mx.array:
    return mx.dequantize(
        module.weight,
        module.scales,
        module.get("biases"),
        module.group_size,
        module.bits,
        module.mode,
        module.get("global_scale"),
        dtype=mx.float32,
    )
