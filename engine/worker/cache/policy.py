"""Which layer's keys and values are quantized, and why the others are not.

The rules are the plan's (`engine.plan.kv_scheme`); what no configuration tells, whether a model's
own code can work with quantized keys, is found by building its computation without running it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from mlx.nn.layers.base import Module

from engine.plan.families.fields import UnplannableModel
from engine.plan.families.registry import geometry_of
from engine.plan.geometry import NoCache, SharedAttention
from engine.plan.kv_scheme import PLAIN, KVScheme, Quantization, read_kv_config, uniform_scheme
from engine.worker.cache.layer_trial import CacheSlot, Unusable, examine, find_unusable

KVSetting = Literal["off", "8", "4", "model"]
_CONSTANT = "a state of constant size"


@dataclass(frozen=True, slots=True)
class LayerPolicy:
    """One cache of the model's list: `number` is its layer's, `stored` is None for plain.

    `reason` says why a layer that should be quantized is not.
    """

    number: int
    stored: Quantization | None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class CachePolicy:
    """How every cache is stored once it holds `start_tokens`.

    `refusal` is a sentence when quantization was wanted and no layer can have it.
    """

    layers: tuple[LayerPolicy, ...]
    start_tokens: int = 0
    refusal: str = ""

    @property
    def quantized_count(self) -> int:
        """Layers that are quantized."""
        return sum(layer.stored is not None for layer in self.layers)

    @property
    def bits(self) -> int:
        """Bits of the coarsest layer; 0 when all are plain."""
        return min((layer.stored.bits for layer in self.layers if layer.stored), default=0)

    @property
    def has_nothing_to_store(self) -> bool:
        """Whether the model has no keys and values at all, so that plain is no loss."""
        return all(layer.reason == _CONSTANT for layer in self.layers)

    @property
    def key(self) -> str:
        """Names the layout: caches are interchangeable only between equal keys."""
        if not self.quantized_count:
            return "plain"
        parts = [
            f"{layer.stored.bits}/{layer.stored.group_size}" if layer.stored else "-"
            for layer in self.layers
        ]
        is_uniform = len(set(parts)) == 1
        return f"{parts[0] if is_uniform else ','.join(parts)} from {self.start_tokens}"

    @property
    def report(self) -> tuple[str, ...]:
        """For people: one line a way of storing, with the layers it serves."""
        lines: dict[str, list[int]] = {}
        for layer in self.layers:
            stored = f"{layer.stored.bits} bits" if layer.stored else "plain"
            lines.setdefault(f"{stored}: {layer.reason}" if layer.reason else stored, []).append(
                layer.number
            )
        return tuple(f"{_counted(numbers)} {line}" for line, numbers in lines.items())


def scheme_for(setting: KVSetting, folder: Path) -> KVScheme:
    """What a setting asks of a model folder. Raises UnplannableModel."""
    match setting:
        case "off":
            return PLAIN
        case "model":
            return read_kv_config(folder)
        case _:
            return uniform_scheme(int(setting))


def decide(
    model: Module, config: Mapping[str, object], scheme: KVScheme, start_tokens: int = 0
) -> CachePolicy:
    """What each cache of a loaded model gets. Computes nothing, so it is quick at any size."""
    found = examine(model)
    slots = found.slots
    numbers = layer_numbers(config, len(slots))
    wanted = [scheme.of_layer(number) for number in numbers]
    if not any(wanted):
        return _policy(numbers, [None] * len(slots), {}, start_tokens)
    if found.has_sinks:
        return CachePolicy(
            tuple(LayerPolicy(number, None, "attention sinks") for number in numbers),
            start_tokens,
            "This model's attention sinks work only with plain keys and values.",
        )
    reasons = {
        index: reason
        for index, (slot, stored) in enumerate(zip(slots, wanted, strict=True))
        if stored and (reason := why_plain(slot, stored))
    }
    served = [None if index in reasons else stored for index, stored in enumerate(wanted)]
    unusable: Unusable = find_unusable(model, served)
    reasons |= unusable
    served = [None if index in reasons else stored for index, stored in enumerate(wanted)]
    return _policy(numbers, served, reasons, start_tokens)


def why_plain(slot: CacheSlot, stored: Quantization) -> str:
    """Why a cache cannot be stored so; empty when it can."""
    match slot.kind:
        case "recurrent":
            return _CONSTANT
        case "combined":
            return "several caches in one layer"
        case "other":
            return f"a cache of its own kind ({slot.class_name})"
        case "full" | "sliding":
            sizes = (slot.key_size, slot.value_size)
            if any(size % stored.group_size for size in sizes):
                size = next(size for size in sizes if size % stored.group_size)
                return f"head size {size} does not divide into groups of {stored.group_size}"
            return ""


def layer_numbers(config: Mapping[str, object], caches: int) -> tuple[int, ...]:
    """The layer each cache belongs to: families differ in whether layers without one count."""
    try:
        layers = geometry_of(config).layers
    except UnplannableModel:
        return tuple(range(caches))
    numbers = [
        number
        for number, layer in enumerate(layers)
        if not isinstance(layer, NoCache | SharedAttention)
    ]
    return tuple(numbers) if len(numbers) == caches else tuple(range(caches))


def _policy(
    numbers: Sequence[int],
    stored: Sequence[Quantization | None],
    reasons: Mapping[int, str],
    start_tokens: int,
) -> CachePolicy:
    layers = tuple(
        LayerPolicy(number, scheme, reasons.get(index, ""))
        for index, (number, scheme) in enumerate(zip(numbers, stored, strict=True))
    )
    refusal = ""
    if reasons and not any(stored):
        why = "; ".join(dict.fromkeys(reasons.values()))
        refusal = f"No layer of this model can have a quantized KV cache ({why})."
    return CachePolicy(layers, start_tokens, refusal)


def _counted(numbers: Sequence[int]) -> str:
    return "1 layer" if len(numbers) == 1 else f"{len(numbers)} layers"
