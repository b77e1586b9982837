"""The scripted engine's memory plan: the real record with simple sums."""

from __future__ import annotations

from engine.plan.contract import MemoryPlan, PlanItem, PlanOptions
from engine.script import ScriptedModel

KV_BYTES_PER_TOKEN = 90 * 1024
TRANSIENT_BYTES = 64 * 1024**2
RESERVE_BYTES = 256 * 1024**2
_PLAIN_KV_BITS = 16


def plan_scripted(
    model: ScriptedModel, options: PlanOptions, usable_bytes: int, limit: int | None = None
) -> MemoryPlan:
    """What the scripted model would cost; `limit` is the longest conversation allowed."""
    bits = options.kv_bits or _PLAIN_KV_BITS
    token_bytes = KV_BYTES_PER_TOKEN * bits // _PLAIN_KV_BITS * options.rows
    usable = options.budget_bytes or usable_bytes
    fixed = model.weights_bytes + TRANSIENT_BYTES + RESERVE_BYTES
    ceiling = max(0, min(model.context_window, (usable - fixed) // token_bytes))
    context = model.context_window if options.context_tokens is None else options.context_tokens
    if options.context_tokens is None and ceiling:
        context = min(context, ceiling, limit or ceiling)
    kv = token_bytes * context
    total = fixed + kv
    fits = total <= usable
    return MemoryPlan(
        strategy="generic-kv",
        fits=fits,
        context_tokens=context,
        max_safe_context=ceiling,
        weights_bytes=model.weights_bytes,
        kv_bytes=kv,
        transient_bytes=TRANSIENT_BYTES,
        reserve_bytes=RESERVE_BYTES,
        total_bytes=total,
        usable_bytes=usable,
        predicted_decode_tps=31.0,
        reasons=(f"{total:,} of {usable:,} bytes are needed at {context:,} tokens.",),
        verdict="fits" if fits else "too-big",
        context_window=model.context_window,
        kv_bits=options.kv_bits or 0,
        rows=options.rows,
        items=(
            PlanItem("weights", "weights", model.weights_bytes),
            PlanItem("kv", "full attention", kv),
            PlanItem("transient", "at work", TRANSIENT_BYTES),
            PlanItem("reserve", "reserve", RESERVE_BYTES),
        ),
    )
