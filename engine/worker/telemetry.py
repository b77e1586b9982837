"""Measures what the rows and the kept caches hold, for the report thread to show."""

from __future__ import annotations

import time
from collections.abc import Collection, Sequence

from engine.protocol import RowUsage
from engine.worker.kept_caches import KeptCaches
from engine.worker.kv_usage import measure_rows
from engine.worker.lane import MlxLane
from engine.worker.snapshot import CacheFigures, Snapshot

_PAUSE_SECONDS = 0.05


class Telemetry:
    """Looks at most so often by itself; whoever knows of a change shows it at once."""

    def __init__(self, lanes: Collection[MlxLane], kept: KeptCaches) -> None:
        self._lanes = lanes
        self._kept = kept
        self._context_tokens = 0
        self._shown_at = 0.0

    @property
    def is_due(self) -> bool:
        """Whether the last look was long ago."""
        return time.monotonic() - self._shown_at > _PAUSE_SECONDS

    def measure(self) -> None:
        """Tell every row what its cache holds."""
        for lane in self._lanes:
            lane.measure()

    def remember(self, context_tokens: int) -> None:
        """An answer has come to so many tokens."""
        self._context_tokens = context_tokens

    def show(self, snapshot: Snapshot, rows: Sequence[RowUsage], budget_bytes: int) -> None:
        """Hand over the figures of this moment."""
        self._shown_at = time.monotonic()
        running = [row for row in rows if row.state != "queued"]
        if shown := [row for row in running if row.lane == "chat"] or running:
            self._context_tokens = shown[-1].tokens
        caches = [layers for lane in self._lanes for layers in lane.caches]
        usage = measure_rows(caches, sum(row.tokens for row in running))
        snapshot.show_rows(tuple(rows), usage, self._context_tokens, budget_bytes)
        cache = self._kept.cache
        snapshot.show_caches(
            CacheFigures(len(cache), cache.nbytes, cache.hits, cache.misses, cache.reused_tokens)
        )
