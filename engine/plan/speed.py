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
METAL_LAYER_SECONDS = 66e-6
"""Fitted to five quantizations of Qwen3-4B on one M4 Max: a prior, corrected by real runs."""

METAL_EXPERT_EFFICIENCY = 0.68
"""Mixtures of experts gather their weights: fitted to Qwen3-30B-A3B on the same machine."""

CPU_EFFICIENCY = 1.0
"""The bandwidth is the measured one of such a product already."""

CPU_LAYER_SECONDS = 0.8e-3
CPU_SCALAR_SECONDS = 0.9e-9
"""A weight MLX's CPU backend multiplies one by one, whatever its bits. Both measured with
SmolLM2-135M on two x86-64 cores: priors, corrected by real runs."""


@dataclass(frozen=True, slots=True)
class SpeedBasis:
    """What one device reaches. `bandwidth` in bytes a second, the others in seconds a token."""

    bandwidth: float
    efficiency: float
    layer_seconds: float
    scalar_seconds: float = 0.0
    """For each of a cost's `scalar_elements`."""


@dataclass(frozen=True, slots=True)
class DecodeCost:
    """What one token reads. `kv_bytes` is the KV cache at a context."""

    weight_bytes: int
    """Of experts only the active ones, of the embedding only what makes logits."""
    layers: int
    kv_bytes: Callable[[int], int]
    scalar_elements: int = 0
    """Weights among these that the CPU backend keeps quantized or in half precision."""


def speed_basis(device: Device, *, has_experts: bool) -> SpeedBasis | None:
    """The basis of a device; None when its bandwidth is unknown (CUDA, a new chip)."""
    bandwidth = device_bandwidth(device)
    match device.backend:
        case "metal" if bandwidth:
            efficiency = METAL_EXPERT_EFFICIENCY if has_experts else METAL_EFFICIENCY
            return SpeedBasis(bandwidth, efficiency, METAL_LAYER_SECONDS)
        case "cpu" if bandwidth:
            return SpeedBasis(bandwidth, CPU_EFFICIENCY, CPU_LAYER_SECONDS, CPU_SCALAR_SECONDS)
        case _:
            return None


def decode_seconds(basis: SpeedBasis, cost: DecodeCost, context_tokens: int) -> float:
    """Seconds for one token at this context, before any correction."""
    read = cost.weight_bytes + cost.kv_bytes(context_tokens)
    reading = read / (basis.bandwidth * basis.efficiency)
    scalar = basis.scalar_seconds * cost.scalar_elements
    return reading + scalar + basis.layer_seconds * cost.layers


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
    tokens = record.decode_tps * expected
    return 1 / tokens if tokens > 0 else 1.0
