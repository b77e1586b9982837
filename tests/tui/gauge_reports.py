"""Memory reports for the tests of the gauge: ordinary ones, and ones that cannot be."""

from __future__ import annotations

import math

import msgspec
from hypothesis import strategies as st

from engine.plan.contract import MemoryPlan, Verdict
from engine.protocol import CacheKind, KVUsage, Lane, MemoryReport, ModelInfo, RowState, RowUsage

MIB = 1024**2
GIB = 1024**3
ABSURD = (-1.0, 0.0, math.nan, math.inf, -math.inf, 20.0, 1e300)

PLAN = MemoryPlan(
    strategy="generic-kv",
    fits=True,
    context_tokens=16_384,
    max_safe_context=12_000,
    weights_bytes=2 * GIB,
    kv_bytes=2 * GIB,
    transient_bytes=300 * MIB,
    reserve_bytes=512 * MIB,
    total_bytes=4 * GIB + 812 * MIB,
    usable_bytes=16 * GIB,
    predicted_decode_tps=30.0,
    predicted_prefill_tps=250.0,
    measured_decode_tps=29.6,
    measured_peak_bytes=4 * GIB,
    predicted_peak_bytes=5 * GIB,
    reasons=("16,384 tokens need 4.79 GiB.",),
    verdict="fits",
    context_window=16_384,
)
MODEL = ModelInfo(
    name="model [red]",
    path="/models/m",
    architecture="llama",
    context_window=16_384,
    weights_bytes=2 * GIB,
    parameters=135_000_000,
    quantization="4-bit",
    device="cpu",
    compute="openblas",
    context_limit=16_384,
    plan=PLAN,
)
EMPTY = MemoryReport(
    active_bytes=0,
    cache_bytes=0,
    peak_bytes=0,
    process_bytes=180 * MIB,
    weights_bytes=0,
    kv=(),
    context_tokens=0,
    context_window=0,
    rows_running=0,
    rows_waiting=0,
    prompt_cache_entries=0,
    prompt_cache_bytes=0,
    prompt_cache_hits=0,
    disk_tier_bytes=0,
    prefill_tps=0.0,
    decode_tps=0.0,
)
BUSY = msgspec.structs.replace(
    EMPTY,
    active_bytes=3 * GIB,
    cache_bytes=16 * MIB,
    peak_bytes=4 * GIB,
    process_bytes=5 * GIB,
    weights_bytes=2 * GIB,
    kv=(KVUsage("full", 30, 16, 12_345, 512 * MIB),),
    context_tokens=12_345,
    context_window=16_384,
    rows_running=1,
    rows_waiting=2,
    rows=(RowUsage(1, "chat", "decode", 12_345, 512 * MIB),),
    kv_budget_bytes=2 * GIB,
    prompt_cache_entries=3,
    prompt_cache_bytes=256 * MIB,
    prompt_cache_hits=7,
    prefill_tps=240.4,
    decode_tps=31.2,
    model=MODEL,
    usable_bytes=16 * GIB,
    available_bytes=6 * GIB,
    best_prefill_tps=260.0,
    best_decode_tps=33.0,
)

_COUNT = st.one_of(st.integers(-1, 100), st.integers(-(2**63), 2**64 - 1))
SPEED = st.one_of(st.floats(), st.floats(0, 1e4), st.sampled_from(ABSURD))
_TEXT = st.text(max_size=40)
_KINDS: tuple[CacheKind, ...] = ("full", "rotating", "quantized", "recurrent")
_VERDICTS: tuple[Verdict, ...] = ("fits", "squeezes", "too-big", "unknown")
_LANES: tuple[Lane, ...] = ("chat", "background")
_STATES: tuple[RowState, ...] = ("queued", "prefill", "decode")
_ROW = st.builds(
    RowUsage, _COUNT, st.sampled_from(_LANES), st.sampled_from(_STATES), _COUNT, _COUNT
)
_KV = st.builds(KVUsage, st.sampled_from(_KINDS), st.integers(0, 9999), _COUNT, _COUNT, _COUNT)

_PLAN_COUNTS = {
    name: _COUNT
    for name in MemoryPlan.__struct_fields__
    if name.endswith(("_bytes", "_context", "_tokens"))
}
_PLAN_FIELDS = {
    "strategy": st.just("generic-kv"),
    "fits": st.booleans(),
    "verdict": st.sampled_from(_VERDICTS),
    "reasons": st.lists(_TEXT, max_size=3).map(tuple),
    "measured_peak_bytes": st.none() | _COUNT,
    "predicted_peak_bytes": st.none() | _COUNT,
    **{name: st.none() | SPEED for name in MemoryPlan.__struct_fields__ if name.endswith("_tps")},
}
PLANS = st.builds(MemoryPlan, **_PLAN_COUNTS | _PLAN_FIELDS)
_MODELS = st.builds(
    ModelInfo,
    **dict.fromkeys(
        ("name", "path", "architecture", "quantization", "device", "compute", "adapter"), _TEXT
    ),
    **dict.fromkeys(("context_window", "weights_bytes", "parameters", "context_limit"), _COUNT),
    plan=st.none() | PLANS,
)
_OTHER_FIELDS = {
    "kv": st.lists(_KV, max_size=3).map(tuple),
    "model": st.none() | _MODELS,
    "sleeping": st.just("") | _TEXT,
    "rows": st.lists(_ROW, max_size=14).map(tuple),
    "is_squeezed": st.booleans(),
    "disk_tier_fault": _TEXT,
    "rows_running": st.integers(0, 99),
    **{name: SPEED for name in MemoryReport.__struct_fields__ if name.endswith("_tps")},
}
REPORTS = st.builds(
    MemoryReport, **dict.fromkeys(MemoryReport.__struct_fields__, _COUNT) | _OTHER_FIELDS
)
