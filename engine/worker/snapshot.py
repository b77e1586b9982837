"""What the compute thread last knew about memory, for the thread that reports it."""

from __future__ import annotations

import threading
from collections.abc import Callable

import mlx.core as mx

from engine.plan.machine import Machine
from engine.protocol import KVUsage, MemoryReport, ModelInfo, RowUsage
from engine.worker.footprint import process_bytes
from engine.worker.rate import Meters
from engine.worker.run_book import RunBook


class Snapshot:
    """Written by the compute thread, read by the report thread."""

    def __init__(self, measure_machine: Callable[[], Machine]) -> None:
        self._measure_machine = measure_machine
        self._lock = threading.Lock()
        self._rows: tuple[RowUsage, ...] = ()
        self._usage: tuple[KVUsage, ...] = ()
        self._context_tokens = self._budget_bytes = 0
        self._caches = (0, 0, 0)
        self._info: ModelInfo | None = None

    def show_model(self, info: ModelInfo | None) -> None:
        """Another model is loaded, or none."""
        with self._lock:
            self._info = info

    def show_nothing(self) -> None:
        """No model is loaded and so nothing runs."""
        with self._lock:
            self._info, self._rows, self._usage, self._caches = None, (), (), (0, 0, 0)
            self._context_tokens = self._budget_bytes = 0

    def show_rows(
        self,
        rows: tuple[RowUsage, ...],
        usage: tuple[KVUsage, ...],
        context_tokens: int,
        budget_bytes: int,
    ) -> None:
        """The rows with their caches; `context_tokens` is what the last chat row came to."""
        with self._lock:
            self._rows, self._usage = rows, usage
            self._context_tokens, self._budget_bytes = context_tokens, budget_bytes

    def show_caches(self, entries: int, entry_bytes: int, hits: int) -> None:
        """The caches of conversations that wait for their next turn."""
        with self._lock:
            self._caches = entries, entry_bytes, hits

    def report(self, rows_waiting: int, meters: Meters, book: RunBook) -> MemoryReport:
        """Everything known, with the allocator's and the system's figures of this moment."""
        machine = self._measure_machine()
        with self._lock:
            rows, usage, info = self._rows, self._usage, self._info
            tokens, budget_bytes = self._context_tokens, self._budget_bytes
            entries, entry_bytes, hits = self._caches
        running = sum(row.state != "queued" for row in rows)
        return MemoryReport(
            active_bytes=mx.get_active_memory(),
            cache_bytes=mx.get_cache_memory(),
            peak_bytes=mx.get_peak_memory(),
            process_bytes=process_bytes(),
            weights_bytes=info.weights_bytes if info else 0,
            kv=usage,
            context_tokens=tokens,
            context_window=info.context_window if info else 0,
            rows_running=running,
            rows_waiting=rows_waiting + len(rows) - running,
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
            rows=rows,
            kv_budget_bytes=budget_bytes,
        )
