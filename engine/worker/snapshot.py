"""What the compute thread last knew about memory, for the thread that reports it."""

from __future__ import annotations

import threading
from collections.abc import Callable

import mlx.core as mx

from engine.plan.machine import Machine
from engine.protocol import KVUsage, MemoryReport, ModelInfo
from engine.worker.conversation_cache import ConversationCache
from engine.worker.footprint import process_bytes
from engine.worker.rate import Meters
from engine.worker.run_book import RunBook


class Snapshot:
    """Written by the compute thread, read by the report thread."""

    def __init__(self, measure_machine: Callable[[], Machine]) -> None:
        self._measure_machine = measure_machine
        self._lock = threading.Lock()
        self._rows: tuple[tuple[KVUsage, ...], int, bool] = ((), 0, False)
        self._caches = (0, 0, 0)
        self._info: ModelInfo | None = None

    def show_model(self, info: ModelInfo | None) -> None:
        """Another model is loaded, or none."""
        with self._lock:
            self._info = info

    def show_rows(self, usage: tuple[KVUsage, ...], tokens: int, is_running: bool) -> None:
        """The running row's caches, or what the last one came to."""
        with self._lock:
            self._rows = usage, tokens, is_running

    def show_caches(self, caches: ConversationCache) -> None:
        """The caches of conversations that wait for their next turn."""
        values = len(caches), caches.nbytes, caches.hits
        with self._lock:
            self._caches = values

    def report(self, rows_waiting: int, meters: Meters, book: RunBook) -> MemoryReport:
        """Everything known, with the allocator's and the system's figures of this moment."""
        machine = self._measure_machine()
        with self._lock:
            (usage, tokens, is_running), info = self._rows, self._info
            entries, entry_bytes, hits = self._caches
        return MemoryReport(
            active_bytes=mx.get_active_memory(),
            cache_bytes=mx.get_cache_memory(),
            peak_bytes=mx.get_peak_memory(),
            process_bytes=process_bytes(),
            weights_bytes=info.weights_bytes if info else 0,
            kv=usage,
            context_tokens=tokens,
            context_window=info.context_window if info else 0,
            rows_running=1 if is_running else 0,
            rows_waiting=rows_waiting,
            prompt_cache_entries=entries,
            prompt_cache_bytes=entry_bytes,
            prompt_cache_hits=hits,
            disk_tier_bytes=0,
            prefill_tps=meters.prefill.per_second(),
            decode_tps=meters.decode.per_second(),
            model=info,
            usable_bytes=machine.usable_bytes,
            available_bytes=machine.available_bytes,
            is_squeezed=machine.is_squeezed,
            best_prefill_tps=book.best_prefill_tps,
            best_decode_tps=book.best_decode_tps,
        )
