"""What answers and their rows cost, and what memory holds."""

from __future__ import annotations

import msgspec

from engine.protocol.base import CacheKind, Event, Lane, RowState
from engine.protocol.model_info import ModelInfo


class Usage(msgspec.Struct, frozen=True):
    """What one answer cost. Times in seconds, speeds in tokens a second.

    `time_to_first_token` counts from the request and holds `queued_seconds`, the time before its
    prompt was begun; the speeds are what the row saw, whatever ran beside it.
    """

    prompt_tokens: int
    reused_tokens: int
    generated_tokens: int
    context_window: int
    time_to_first_token: float
    prefill_tps: float
    decode_tps: float
    lane: Lane = "chat"
    queued_seconds: float = 0.0
    drafted_tokens: int = 0
    accepted_tokens: int = 0
    grammar_seconds: float = 0.0
    """What holding the answer to its form took, without waiting for the model."""


class KVUsage(msgspec.Struct, frozen=True):
    """KV cache of one kind over all running rows; `tokens` is what the rows hold."""

    kind: CacheKind
    layers: int
    bits: int
    tokens: int
    bytes: int


class RowUsage(msgspec.Struct, frozen=True):
    """One answer under way: the request's id, and what its KV cache holds.

    A row in a batch has its share of the batch, padding included.
    """

    id: int
    lane: Lane
    state: RowState
    tokens: int
    kv_bytes: int
    drafted_tokens: int = 0
    accepted_tokens: int = 0


class MemoryReport(Event, frozen=True):
    """What the engine costs right now. Bytes, tokens, tokens a second."""

    active_bytes: int
    cache_bytes: int
    peak_bytes: int
    process_bytes: int
    weights_bytes: int
    kv: tuple[KVUsage, ...]
    context_tokens: int
    context_window: int
    rows_running: int
    rows_waiting: int
    prompt_cache_entries: int
    prompt_cache_bytes: int
    prompt_cache_hits: int
    disk_tier_bytes: int
    prefill_tps: float
    decode_tps: float
    model: ModelInfo | None = None
    sleeping: str = ""
    """The name of a model that was freed to save memory; the next question brings it back."""
    usable_bytes: int = 0
    """What the plan may use: all that is free for this engine, and what it holds already."""
    available_bytes: int = 0
    """What the machine has free now, for any program."""
    is_squeezed: bool = False
    """The system is short of memory: it swaps or reports pressure."""
    best_prefill_tps: float = 0.0
    best_decode_tps: float = 0.0
    rows: tuple[RowUsage, ...] = ()
    """Chat before background, running before queued; in the order they came."""
    kv_budget_bytes: int = 0
    """What the KV caches of all running rows may take together; 0 while nothing bounds it."""
    drafted_tokens: int = 0
    """Tokens drafted for the running rows, or for those that ran last."""
    accepted_tokens: int = 0
    """How many of the drafted tokens came true."""
    prompt_cache_misses: int = 0
    """Requests of conversations and groups of whose prompt nothing was kept."""
    prompt_cache_reused_tokens: int = 0
    """Prompt tokens that did not have to be read, since the model was loaded."""
    disk_tier_entries: int = 0
    """Kept caches on the disk, of all models."""
    disk_tier_pending_bytes: int = 0
    """What waits to be written there."""
    disk_tier_restores: int = 0
    disk_tier_failures: int = 0
    disk_tier_fault: str = ""
    """Why nothing is written there any more; empty while all is well."""
