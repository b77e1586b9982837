"""How fast a model will answer: predicted from bytes and bandwidth, corrected by real runs.

A token costs the bytes it reads over the bandwidth that is reached, plus a fixed time a layer.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from engine.plan.chips import device_bandwidth
from engine.plan.device import Device
from engine.plan.run_record import Record

METAL_EFFICIENCY = 0.917
METAL_LAYER_SECONDS = 67e-6
"""Fitted to five quantizations of Qwen3-4B on one M4 Max: a prior, corrected by real runs."""

METAL_EXPERT_EFFICIENCY = 0.68
"""Mixtures of experts gather their weights: fitted to Qwen3-30B-A3B on the same machine."""

CPU_EFFICIENCY = 1.0
"""The bandwidth is the measured one of such a product already."""

CPU_LAYER_SECONDS = 0.0
_CORRECTION_LIMIT = 8.0
"""No real run is this far off: beyond, the record or the prediction is about something else."""


@dataclass(frozen=True, slots=True)
class SpeedBasis:
    """What one device reaches. `bandwidth` in bytes a second, `layer_seconds` a token."""

    bandwidth: float
    efficiency: float
    layer_seconds: float


@dataclass(frozen=True, slots=True)
class DecodeCost:
    """What one token reads: `weight_bytes` of all that is used (of the experts only the active
    ones, of the embedding only the part that makes logits) and the KV cache at a context."""

    weight_bytes: int
    layers: int
    kv_bytes: Callable[[int], int]


def speed_basis(device: Device, *, has_experts: bool) -> SpeedBasis | None:
    """The basis of a device; None when its bandwidth is unknown (CUDA, a new chip)."""
    bandwidth = device_bandwidth(device)
    match device.backend:
        case "metal" if bandwidth:
            efficiency = METAL_EXPERT_EFFICIENCY if has_experts else METAL_EFFICIENCY
            return SpeedBasis(bandwidth, efficiency, METAL_LAYER_SECONDS)
        case "cpu" if bandwidth:
            return SpeedBasis(bandwidth, CPU_EFFICIENCY, CPU_LAYER_SECONDS)
        case _:
            return None


def decode_seconds(basis: SpeedBasis, cost: DecodeCost, context_tokens: int) -> float:
    """Seconds for one token at this context, before any correction."""
    read = cost.weight_bytes + cost.kv_bytes(context_tokens)
    return read / (basis.bandwidth * basis.efficiency) + basis.layer_seconds * cost.layers


def predict_decode_tps(
    basis: SpeedBasis | None, cost: DecodeCost, context_tokens: int, record: Record | None
) -> float | None:
    """Tokens a second at this context; None when neither bandwidth nor a run is known.

    With a record the prediction is scaled so that it agrees with the runs at their own average
    context; without a basis the runs' average stands for every context.
    """
    measured = record.decode_tps if record is not None else 0.0
    if basis is None:
        return measured or None
    seconds = decode_seconds(basis, cost, context_tokens)
    if seconds <= 0:
        return measured or None
    if record is not None and measured > 0:
        seconds *= _correction(basis, cost, record)
    return 1 / seconds


def predict_prefill_tps(record: Record | None) -> float | None:
    """Prompt tokens a second as measured here; reading is bound by arithmetic, which no table of
    bandwidths predicts, so None before the first run."""
    return (record.prefill_tps or None) if record is not None else None


def _correction(basis: SpeedBasis, cost: DecodeCost, record: Record) -> float:
    """Measured over predicted seconds at the context of the measurement."""
    expected = decode_seconds(basis, cost, int(record.decode_context_tokens))
    if expected <= 0:
        return 1.0
    ratio = 1 / (record.decode_tps * expected)
    return min(max(ratio, 1 / _CORRECTION_LIMIT), _CORRECTION_LIMIT)
