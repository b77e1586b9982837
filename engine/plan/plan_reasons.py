"""A plan in sentences: what limits it, what fits, what was assumed."""

from __future__ import annotations

from msgspec.structs import replace

from engine.plan.contract import MemoryPlan, PlanItem
from engine.plan.machine import Machine
from engine.sizes import in_words

LOAD_ANYWAY = "It can be loaded anyway; what it will need cannot be predicted."


def plan_reasons(plan: MemoryPlan, machine: Machine, notes: tuple[str, ...]) -> MemoryPlan:
    """The plan with its reasons, most important first."""
    lines = [_outcome(plan)]
    if limit := _limit(plan):
        lines.append(limit)
    usable = in_words(plan.usable_bytes)
    lines.append(f"Usable is {usable}, bound by {machine.binding}.")
    if plan.verdict == "squeezes":
        lines.append(_squeeze(plan, machine))
    if 0 < plan.context_window < plan.context_tokens:
        lines.append(f"The model was made for {plan.context_window:,} tokens.")
    return replace(plan, reasons=(*lines, *notes, *machine.notes))


def unknown_plan(machine: Machine, weights_bytes: int, reasons: tuple[str, ...]) -> MemoryPlan:
    """The plan for a model nothing can be promised of; its weights as stored, where known."""
    return MemoryPlan(
        strategy="generic-kv",
        fits=False,
        context_tokens=0,
        max_safe_context=0,
        weights_bytes=weights_bytes,
        kv_bytes=0,
        transient_bytes=0,
        reserve_bytes=0,
        total_bytes=weights_bytes,
        usable_bytes=machine.usable_bytes,
        verdict="unknown",
        reasons=(*reasons, *machine.notes),
        items=(PlanItem("weights", "weights as stored", weights_bytes),) if weights_bytes else (),
    )


def _outcome(plan: MemoryPlan) -> str:
    tokens = f"{plan.context_tokens:,} tokens need" if plan.context_tokens > 1 else "1 token needs"
    total = in_words(plan.total_bytes)
    if plan.fits:
        return f"{tokens} {total}."
    over = in_words(plan.total_bytes - plan.usable_bytes)
    return f"{tokens} {total}, {over} more than can be used."


def _limit(plan: MemoryPlan) -> str:
    """What the largest context is, where that is not simply the model's window."""
    if not plan.max_safe_context:
        fixed = in_words(plan.weights_bytes + plan.reserve_bytes)
        return f"No context fits: weights and reserve alone are {fixed}."
    if plan.max_safe_context < plan.context_window or not plan.context_window:
        if plan.max_safe_context == 1:
            return "Only 1 token fits."
        return f"Up to {plan.max_safe_context:,} tokens fit."
    return ""


def _squeeze(plan: MemoryPlan, machine: Machine) -> str:
    if plan.total_bytes <= machine.squeeze_free_bytes:
        return "The system is short of memory already: it compresses or swaps."
    free = in_words(machine.squeeze_free_bytes)
    return f"Only {free} of it is free: other programs would have to give memory up."
