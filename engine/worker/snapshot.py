"""What the compute thread last knew about memory, for the thread that reports it."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass

import mlx.core as mx

from engine.plan.machine import Machine
from engine.protocol import KVUsage, MemoryReport, ModelInfo, RowUsage
from engine.worker.disk_tier_worker import DiskUsage
from engine.worker.footprint import process_bytes
from engine.worker.rate import Meters
from engine.worker.run_book import RunBook


@dataclass(frozen=True, slots=True)
class CacheFigures:
    """The prompt cache: what it holds, and what it has saved since the model was loaded."""

    entries: int = 0
    nbytes: int = 0
    hits: int = 0
    misses: int = 0
    reused_tokens: int = 0


class Snapshot:
    """Written by the compute thread, read by the report thread."""

    def __init__(
        self, measure_machine: Callable[[], Machine], measure_disk: Callable[[], DiskUsage]
    ) -> None:
        self._measure_machine = measure_machine
        self._measure_disk = measure_disk
        self._lock = threading.Lock()
        self._rows: tuple[RowUsage, ...] = ()
        self._usage: tuple[KVUsage, ...] = ()
        self._context_tokens = self._budget_bytes = 0
        self._drafts = (0, 0)
        self._caches = CacheFigures()
        self._info: ModelInfo | None = None

    def show_model(self, info: ModelInfo | None) -> None:
        """Another model is loaded, or none."""
        with self._lock:
            self._info = info

    def show_nothing(self) -> None:
        """No model is loaded and so nothing runs."""
        with self._lock:
            self._info, self._rows, self._usage, self._caches = None, (), (), CacheFigures()
            self._drafts = (0, 0)
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
            if rows:
                self._drafts = (
                    sum(row.drafted_tokens for row in rows),
                    sum(row.accepted_tokens for row in rows),
                )

    def show_caches(self, figures: CacheFigures) -> None:
        """What is kept for the next requests."""
        with self._lock:
            self._caches = figures

    def report(self, rows_waiting: int, meters: Meters, book: RunBook) -> MemoryReport:
        """Everything known, with the allocator's and the system's figures of this moment."""
        machine, disk = self._measure_machine(), self._measure_disk()
        with self._lock:
            rows, usage, info = self._rows, self._usage, self._info
            tokens, budget_bytes = self._context_tokens, self._budget_bytes
            drafted, accepted = self._drafts
            caches = self._caches
        running = sum(row.state != "queued" for row in rows)
        return MemoryReport(
            active_bytes=mx.get_active_memory(),
            cache_bytes=mx.get_cache_memory(),
            peak_bytes=mx.get_peak_memory(),
            process_bytes=process_bytes(),
            weights_bytes=info.weights_bytes + info.draft_bytes if info else 0,
            kv=usage,
            context_tokens=tokens,
            context_window=info.context_window if info else 0,
            rows_running=running,
            rows_waiting=rows_waiting + len(rows) - running,
            prompt_cache_entries=caches.entries,
            prompt_cache_bytes=caches.nbytes,
            prompt_cache_hits=caches.hits,
            prompt_cache_misses=caches.misses,
            prompt_cache_reused_tokens=caches.reused_tokens,
            disk_tier_bytes=disk.nbytes,
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
            drafted_tokens=drafted,
            accepted_tokens=accepted,
            disk_tier_entries=disk.entries,
            disk_tier_pending_bytes=disk.pending_bytes,
            disk_tier_restores=disk.restores,
            disk_tier_failures=disk.failures,
            disk_tier_fault=disk.fault,
        )
