"""The planner for mixtures of experts whose experts would stream from disk.

Nothing here streams experts: its plans are estimates to read, not to load by.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from msgspec.structs import replace

from engine.models.safetensors_header import Tensor
from engine.plan.contract import MemoryPlan, Part, PlanItem, Verdict
from engine.plan.families.fields import UnplannableModel
from engine.plan.glm52_bill import StreamingSetup, bill, faults
from engine.plan.glm52_geometry import StreamingGeometry, read_streaming_geometry
from engine.plan.machine import Machine
from engine.sizes import in_words

PLAN_ONLY = "Plan only: it would need its experts streamed from disk, which is not built yet."

_UNKNOWN_WINDOW = 1 << 20
_LARGEST = (1 << 53) - 1


def plan_streaming(geometry: StreamingGeometry, setup: StreamingSetup) -> MemoryPlan:
    """Plan at the setup's context. What cannot be planned is fits=False with the reasons."""
    wrong = faults(geometry, setup)
    items = () if wrong else bill(geometry, setup, setup.context_tokens)
    sums = {part: _sum(items, part) for part in ("weights", "kv", "transient", "reserve")}
    total = sum(sums.values())
    if total > _LARGEST:
        wrong = ("The sizes add up to more than any machine has.",)
    fits = not wrong and total <= setup.process_limit_bytes
    plan = MemoryPlan(
        strategy="glm52-colibri",
        fits=fits,
        context_tokens=setup.context_tokens,
        max_safe_context=0 if wrong else max_streaming_context(geometry, setup),
        weights_bytes=sums["weights"],
        kv_bytes=sums["kv"],
        transient_bytes=sums["transient"],
        reserve_bytes=sums["reserve"],
        total_bytes=total,
        usable_bytes=setup.process_limit_bytes,
        allocator_limit_bytes=setup.allocator_reserve_bytes,
        verdict=_verdict(fits, bool(wrong)),
        context_window=geometry.context_window,
        rows=setup.rows,
        items=items,
    )
    return replace(plan, reasons=(PLAN_ONLY, *(wrong or _outcome(plan, setup))))


def max_streaming_context(geometry: StreamingGeometry, setup: StreamingSetup) -> int:
    """The most tokens that fit, at most the model's window; 0 when not even an answer does.

    The bill grows by the same bytes with every token, so no search is needed.
    """
    first = sum(item.bytes for item in bill(geometry, setup, 1))
    per_token = sum(item.bytes for item in bill(geometry, setup, 2)) - first
    tokens = (setup.process_limit_bytes - first) // per_token + 1
    within = min(tokens, geometry.context_window or _UNKNOWN_WINDOW)
    return within if within >= setup.answer_tokens else 0


def streamed_instead(
    whole: MemoryPlan,
    config: Mapping[str, object],
    tensors: Iterable[Tensor],
    machine: Machine,
    wanted_tokens: int | None = None,
) -> MemoryPlan:
    """For people: what a checkpoint whose plan does not fit `whole` would need if it streamed.

    Never `fits`, because loading it means loading it whole. The plan of `whole` where the
    checkpoint does not tell enough.
    """
    try:
        geometry = read_streaming_geometry(config, tensors)
    except UnplannableModel:
        return whole
    if not geometry.sparse_layers:
        return whole
    setup = StreamingSetup(
        machine_bytes=max(machine.device.total_bytes, machine.usable_bytes),
        process_limit_bytes=machine.usable_bytes,
        context_tokens=wanted_tokens or StreamingSetup().context_tokens,
        rows=whole.rows,
        is_drafting=geometry.draft_layers > 0,
    )
    plan = plan_streaming(geometry, setup)
    need = f"Loaded whole it needs {in_words(whole.total_bytes)}."
    return replace(
        plan,
        fits=False,
        verdict="unknown" if plan.fits else plan.verdict,
        reasons=(plan.reasons[0], need, *plan.reasons[1:]),
    )


def _sum(items: tuple[PlanItem, ...], part: Part) -> int:
    return sum(item.bytes for item in items if item.part == part)


def _verdict(fits: bool, is_wrong: bool) -> Verdict:
    if is_wrong:
        return "unknown"
    return "fits" if fits else "too-big"


def _outcome(plan: MemoryPlan, setup: StreamingSetup) -> tuple[str, ...]:
    total, usable = in_words(plan.total_bytes), in_words(plan.usable_bytes)
    if not plan.fits:
        over = in_words(plan.total_bytes - plan.usable_bytes)
        need = f"{plan.context_tokens:,} tokens would need {total}, {over} more than {usable}."
        return (need, _limit(plan))
    headroom = in_words(plan.usable_bytes - plan.total_bytes)
    unclaimed = in_words(setup.machine_bytes - plan.total_bytes)
    return (
        f"{plan.context_tokens:,} tokens would need {total} and leave {headroom} of {usable}.",
        f"{unclaimed} of the machine's {in_words(setup.machine_bytes)} would stay unclaimed.",
        _limit(plan),
    )


def _limit(plan: MemoryPlan) -> str:
    if not plan.max_safe_context:
        return "No context would fit."
    return f"Up to {plan.max_safe_context:,} tokens would fit."
