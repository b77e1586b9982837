"""The `generic-kv` planner: one total function, from which everything else follows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from engine.plan.contract import MemoryPlan, Part, PlanItem, Verdict
from engine.plan.geometry import Geometry
from engine.plan.kv_bytes import allocated_kv, exact_kv_bytes, stored_bits
from engine.plan.kv_scheme import KVScheme
from engine.plan.machine import Machine
from engine.plan.plan_reasons import plan_reasons
from engine.plan.reserve import allocator_limit, reserve_items
from engine.plan.run_record import Record
from engine.plan.speed import DecodeCost, predict_decode_tps, predict_prefill_tps, speed_basis
from engine.plan.transient import transient_items
from engine.plan.weights import Weights
from engine.plan.workload import Workload

UNKNOWN_WINDOW_TOKENS = 1 << 20
"""Planned for at most, where a configuration does not say what the model was made for."""

_SHOWN_WITHOUT_ROOM = 4096
"""The context a plan is about when nothing fits and nobody asked for another."""

# Forms for which MLX's CPU kernels are scalar loops: no bandwidth predicts them.
_UNPREDICTABLE_FORMS = ("packed", "expanded-on-demand")


@dataclass(frozen=True, slots=True)
class Subject:
    """A model as it would be run. `notes` are sentences on what was assumed."""

    geometry: Geometry
    weights: Weights
    adapter: PlanItem | None
    scheme: KVScheme
    rows: int
    chunk: int
    notes: tuple[str, ...] = ()

    @property
    def window(self) -> int:
        """The largest context worth planning."""
        return self.geometry.context_window or UNKNOWN_WINDOW_TOKENS


def plan_generic(
    subject: Subject,
    machine: Machine,
    prompt_cache_bytes: int | None,
    wanted_tokens: int | None,
    limit_tokens: int | None,
    record: Record | None,
) -> MemoryPlan:
    """Plan at `wanted_tokens`; None means as many as fit, at most `limit_tokens`."""
    weights, reserve = weight_items(subject), reserve_items(machine, prompt_cache_bytes)

    def items_at(tokens: int) -> tuple[PlanItem, ...]:
        workload = workload_of(subject, machine, tokens)
        return (*weights, *allocated_kv(workload), *transient_items(workload), *reserve)

    def total_at(tokens: int) -> int:
        return sum(item.bytes for item in items_at(tokens))

    largest = largest_context(total_at, machine.usable_bytes, subject.window)
    tokens = wanted_tokens or _granted(largest, subject.window, limit_tokens)
    return _plan(subject, machine, items_at(tokens), tokens, largest, record)


def largest_context(total_at: Callable[[int], int], usable_bytes: int, window: int) -> int:
    """The most tokens whose total is usable, at most `window`; 0 when not even one is."""
    if total_at(window) <= usable_bytes:
        return window
    fits, exceeds = 0, window
    while exceeds - fits > 1:
        middle = (fits + exceeds) // 2
        if total_at(middle) <= usable_bytes:
            fits = middle
        else:
            exceeds = middle
    return fits


def workload_of(subject: Subject, machine: Machine, tokens: int) -> Workload:
    """The subject's work on this device at one context length."""
    return Workload(
        geometry=subject.geometry,
        context_tokens=tokens,
        chunk=subject.chunk,
        rows=subject.rows,
        element_bytes=subject.weights.element_bytes,
        backend=machine.device.backend,
        compute=machine.device.compute,
        scheme=subject.scheme,
        expanded_bytes=subject.weights.expanded_bytes,
        has_packed_heads=subject.weights.has_packed_heads,
    )


def weight_items(subject: Subject) -> tuple[PlanItem, ...]:
    """The weights line by line: experts apart, and the adapter."""
    weights = subject.weights
    form = {
        "float32": "in float32",
        "as-stored": "as stored",
        "packed": "quantized",
        "expanded": "expanded to float32",
        "expanded-on-demand": "quantized",
    }[weights.form]
    experts = subject.geometry.experts
    dense = PlanItem("weights", f"weights {form}", weights.resident_bytes - weights.expert_bytes)
    lines = [dense]
    if experts and weights.expert_bytes:
        lines.append(PlanItem("weights", f"{experts.count} experts {form}", weights.expert_bytes))
    else:
        lines = [PlanItem("weights", dense.label, weights.resident_bytes)]
    return (*lines, subject.adapter) if subject.adapter else tuple(lines)


def _granted(largest: int, window: int, limit: int | None) -> int:
    wanted = min(limit or window, window)
    return min(wanted, largest or _SHOWN_WITHOUT_ROOM)


def _plan(
    subject: Subject,
    machine: Machine,
    items: tuple[PlanItem, ...],
    tokens: int,
    largest: int,
    record: Record | None,
) -> MemoryPlan:
    sums = {part: _sum(items, part) for part in ("weights", "kv", "transient", "reserve")}
    total = sum(sums.values())
    safety = next(item.bytes for item in items if item.part == "reserve")
    peak = record.highest_peak if record else None
    plan = MemoryPlan(
        strategy="generic-kv",
        fits=total <= machine.usable_bytes,
        context_tokens=tokens,
        max_safe_context=largest,
        weights_bytes=sums["weights"],
        kv_bytes=sums["kv"],
        transient_bytes=sums["transient"],
        reserve_bytes=sums["reserve"],
        total_bytes=total,
        usable_bytes=machine.usable_bytes,
        predicted_decode_tps=_decode_tps(subject, machine, tokens, record),
        allocator_limit_bytes=allocator_limit(machine.device.backend, safety),
        verdict=_verdict(total, machine),
        context_window=subject.geometry.context_window,
        kv_bits=stored_bits(subject.geometry, subject.scheme),
        rows=subject.rows,
        predicted_prefill_tps=predict_prefill_tps(record),
        measured_decode_tps=(record.decode_tps or None) if record else None,
        measured_peak_bytes=peak.measured_bytes if peak else None,
        predicted_peak_bytes=peak.predicted_bytes if peak else None,
        items=items,
    )
    return plan_reasons(plan, machine, subject.notes)


def _sum(items: tuple[PlanItem, ...], part: Part) -> int:
    return sum(item.bytes for item in items if item.part == part)


def _verdict(total: int, machine: Machine) -> Verdict:
    if total > machine.usable_bytes:
        return "too-big"
    is_tight = machine.is_squeezed or total > machine.squeeze_free_bytes
    return "squeezes" if is_tight else "fits"


def _decode_tps(
    subject: Subject, machine: Machine, tokens: int, record: Record | None
) -> float | None:
    weights, experts = subject.weights, subject.geometry.experts
    idle = 0
    if experts:
        idle = weights.expert_bytes * (experts.count - experts.active) // experts.count
    basis = speed_basis(machine.device, has_experts=experts is not None)
    if machine.device.backend == "cpu" and weights.form in _UNPREDICTABLE_FORMS:
        basis = None
    cost = DecodeCost(
        weight_bytes=weights.resident_bytes - weights.lookup_bytes - idle,
        layers=len(subject.geometry.layers),
        kv_bytes=lambda n: exact_kv_bytes(
            subject.geometry, n, weights.element_bytes, subject.scheme
        ),
    )
    return predict_decode_tps(basis, cost, tokens, record)
