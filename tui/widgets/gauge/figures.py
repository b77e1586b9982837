"""Every figure of the gauge, worked out of one memory report. Draws nothing.

None is what nobody knows. The lines and the JSON document are both made from these figures.
"""

from __future__ import annotations

import math

import msgspec

from engine.plan.contract import MemoryPlan, Verdict
from engine.protocol import KVUsage, MemoryReport, ModelInfo
from tui.widgets.gauge.context_figures import Context, context_of
from tui.widgets.gauge.levels import Level, known, level_of, share_of
from tui.widgets.gauge.row_figures import Rows, rows_of


class Speeds(msgspec.Struct, frozen=True, kw_only=True):
    """Tokens a second; `now` is 0 while nothing runs."""

    now: float
    predicted: float | None
    measured: float | None
    best: float | None


class Memory(msgspec.Struct, frozen=True, kw_only=True):
    """Bytes: what is held now beside what the plan allows at the granted context.

    `kv_bytes` are the running rows and the kept chats. The bar is `weights, kv, kv_to_limit,
    transient, reserve, free` over `usable_bytes`.
    """

    weights_bytes: int
    kv_bytes: int
    transient_bytes: int
    held_bytes: int
    held_share: float | None
    level: Level
    planned_weights_bytes: int | None
    planned_kv_bytes: int | None
    planned_transient_bytes: int | None
    planned_reserve_bytes: int | None
    planned_bytes: int | None
    planned_share: float | None
    planned_peak_bytes: int | None
    usable_bytes: int | None
    bar: tuple[int, int, int, int, int, int]


class Figures(msgspec.Struct, frozen=True, kw_only=True):
    """What the gauge shows; `sleeping` is the name of a model that waits to be woken."""

    model: ModelInfo | None
    sleeping: str
    verdict: Verdict | None
    reasons: tuple[str, ...]
    memory: Memory
    context: Context
    kv: tuple[KVUsage, ...]
    active_bytes: int
    peak_bytes: int
    buffer_cache_bytes: int
    process_bytes: int
    machine_free_bytes: int | None
    is_squeezed: bool
    recorded_peak_bytes: int | None
    recorded_prediction_bytes: int | None
    rows_running: int
    rows_waiting: int
    rows: Rows
    prompt_cache_entries: int
    prompt_cache_bytes: int
    prompt_cache_hits: int
    prompt_cache_misses: int
    prompt_cache_reused_tokens: int
    disk_tier_bytes: int
    disk_tier_entries: int
    disk_tier_pending_bytes: int
    disk_tier_restores: int
    disk_tier_fault: str
    reading: Speeds
    writing: Speeds
    drafted_tokens: int
    accepted_tokens: int


def sized(plan: MemoryPlan | None) -> MemoryPlan | None:
    """The plan, where its sizes mean something: one that could not be made holds zeros."""
    return plan if plan is not None and plan.verdict != "unknown" else None


def figures_of(report: MemoryReport) -> Figures:
    """Work out what a report means."""
    model = report.model
    plan = model.plan if model is not None else None
    return Figures(
        model=model,
        sleeping=report.sleeping,
        verdict=plan.verdict if plan else None,
        reasons=plan.reasons if plan else (),
        memory=_memory(report, sized(plan)),
        context=context_of(report, sized(plan)),
        kv=report.kv,
        active_bytes=report.active_bytes,
        # MLX forgets its peak when told to, but what is held now was reached.
        peak_bytes=max(report.peak_bytes, report.active_bytes),
        buffer_cache_bytes=report.cache_bytes,
        process_bytes=report.process_bytes,
        machine_free_bytes=known(report.available_bytes),
        is_squeezed=report.is_squeezed,
        recorded_peak_bytes=plan.measured_peak_bytes if plan else None,
        recorded_prediction_bytes=plan.predicted_peak_bytes if plan else None,
        rows_running=report.rows_running,
        rows_waiting=report.rows_waiting,
        rows=rows_of(report),
        prompt_cache_entries=report.prompt_cache_entries,
        prompt_cache_bytes=report.prompt_cache_bytes,
        prompt_cache_hits=report.prompt_cache_hits,
        prompt_cache_misses=report.prompt_cache_misses,
        prompt_cache_reused_tokens=report.prompt_cache_reused_tokens,
        disk_tier_bytes=report.disk_tier_bytes,
        disk_tier_entries=report.disk_tier_entries,
        disk_tier_pending_bytes=report.disk_tier_pending_bytes,
        disk_tier_restores=report.disk_tier_restores,
        disk_tier_fault=report.disk_tier_fault,
        reading=Speeds(
            now=report.prefill_tps,
            predicted=plan.predicted_prefill_tps if plan else None,
            measured=None,
            best=_speed(report.best_prefill_tps),
        ),
        writing=Speeds(
            now=report.decode_tps,
            predicted=plan.predicted_decode_tps if plan else None,
            measured=plan.measured_decode_tps if plan else None,
            best=_speed(report.best_decode_tps),
        ),
        drafted_tokens=report.drafted_tokens,
        accepted_tokens=report.accepted_tokens,
    )


def _memory(report: MemoryReport, plan: MemoryPlan | None) -> Memory:
    rows_kv = sum(max(0, usage.bytes) for usage in report.kv)
    kept = max(0, report.prompt_cache_bytes)
    weights = max(0, report.weights_bytes)
    transient = max(0, report.active_bytes - weights - rows_kv - kept)
    usable = known(report.usable_bytes) or (known(plan.usable_bytes) if plan else None)
    held = max(0, report.active_bytes) + max(0, report.cache_bytes)
    share = share_of(held, usable)
    bar = (
        weights,
        rows_kv + kept,
        max(0, plan.kv_bytes - rows_kv) if plan else 0,
        max(transient, plan.transient_bytes) if plan else transient,
        max(0, plan.reserve_bytes - kept) if plan else 0,
    )
    return Memory(
        weights_bytes=weights,
        kv_bytes=rows_kv + kept,
        transient_bytes=transient,
        held_bytes=held,
        held_share=share,
        level=level_of(share),
        planned_weights_bytes=plan.weights_bytes if plan else None,
        planned_kv_bytes=plan.kv_bytes if plan else None,
        planned_transient_bytes=plan.transient_bytes if plan else None,
        planned_reserve_bytes=plan.reserve_bytes if plan else None,
        planned_bytes=plan.total_bytes if plan else None,
        planned_share=share_of(plan.total_bytes, usable) if plan else None,
        planned_peak_bytes=(
            plan.weights_bytes + plan.kv_bytes + plan.transient_bytes if plan else None
        ),
        usable_bytes=usable,
        bar=(*bar, max(0, (usable or 0) - sum(bar))),
    )


def _speed(per_second: float) -> float | None:
    return per_second if math.isfinite(per_second) and per_second > 0 else None
