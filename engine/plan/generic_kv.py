"""The `generic-kv` planner: one total function, from which everything else follows."""

from __future__ import annotations

from collections.abc import Callable

from engine.plan.contract import MemoryPlan, Part, PlanItem, Verdict
from engine.plan.draft import draft_items
from engine.plan.kv_bytes import allocated_kv, exact_kv_bytes
from engine.plan.kv_placement import stored_bits
from engine.plan.machine import Machine
from engine.plan.plan_reasons import plan_reasons
from engine.plan.reserve import allocator_limit, reserve_items
from engine.plan.run_record import Record
from engine.plan.speed import DecodeCost, predict_decode_tps, predict_prefill_tps, speed_basis
from engine.plan.subject import Subject, weight_items, workload_of
from engine.plan.transient import transient_items

_SHOWN_WITHOUT_ROOM = 4096
"""The context a plan is about when nothing fits and nobody asked for another."""

# Forms for which MLX's CPU kernels are scalar loops: no bandwidth predicts them.
_UNPREDICTABLE_FORMS = ("packed", "expanded-on-demand")


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
        work = (*allocated_kv(workload), *transient_items(workload))
        drafting = draft_items(subject, machine, tokens, _sum(work, "transient"))
        return (*weights, *work, *drafting, *reserve)

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
