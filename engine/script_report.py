"""The scripted engine's memory: figures that follow from the token counts alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from engine.protocol import KVUsage, MemoryReport, ModelInfo, RowUsage
from engine.script_plan import KV_BYTES_PER_TOKEN
from engine.script_row import DECODE_TPS, PREFILL_TPS

_MIB = 1024**2
_POOL_BYTES, _WORK_BYTES, _PROCESS_BYTES = 16 * _MIB, 64 * _MIB, 180 * _MIB


@dataclass(frozen=True, slots=True)
class ScriptedState:
    """What there is; `stored` are the tokens kept for each conversation."""

    model: ModelInfo | None
    rows: tuple[RowUsage, ...]
    stored: Sequence[int]
    hits: int
    usable_bytes: int
    budget_bytes: int
    has_answered: bool


def shown_tokens(rows: Sequence[RowUsage], before: int) -> int:
    """The tokens of the last chat row that runs, or what the one before it came to."""
    running = [row for row in rows if row.state != "queued"]
    shown = [row for row in running if row.lane == "chat"] or running
    return shown[-1].tokens if shown else before


def report(state: ScriptedState, context_tokens: int, rows_waiting: int) -> MemoryReport:
    """All figures; `rows_waiting` were not submitted yet."""
    model = state.model
    running = [row for row in state.rows if row.state != "queued"]
    tokens = sum(row.tokens for row in running)
    kv = KVUsage("full", 30, 16, tokens, tokens * KV_BYTES_PER_TOKEN)
    weights = model.weights_bytes if model else 0
    stored = sum(state.stored) * KV_BYTES_PER_TOKEN
    active = weights + stored + kv.bytes
    return MemoryReport(
        active_bytes=active,
        cache_bytes=_POOL_BYTES if weights else 0,
        peak_bytes=active + (_WORK_BYTES if weights else 0),
        process_bytes=active + _PROCESS_BYTES,
        weights_bytes=weights,
        kv=(kv,) if running else (),
        context_tokens=context_tokens,
        context_window=model.context_window if model else 0,
        rows_running=len(running),
        rows_waiting=rows_waiting + len(state.rows) - len(running),
        prompt_cache_entries=len(state.stored),
        prompt_cache_bytes=stored,
        prompt_cache_hits=state.hits,
        disk_tier_bytes=0,
        prefill_tps=PREFILL_TPS if running else 0.0,
        decode_tps=DECODE_TPS if running else 0.0,
        model=model,
        usable_bytes=state.usable_bytes,
        available_bytes=state.usable_bytes - active,
        best_prefill_tps=PREFILL_TPS if state.has_answered else 0.0,
        best_decode_tps=DECODE_TPS if state.has_answered else 0.0,
        rows=state.rows,
        kv_budget_bytes=state.budget_bytes,
    )
