"""The figures of who is answered."""

from __future__ import annotations

from collections import Counter

import msgspec

from engine.protocol import MemoryReport, RowUsage
from tui.widgets.gauge.levels import Level, known, level_of, share_of


class Rows(msgspec.Struct, frozen=True, kw_only=True):
    """Who is answered; `budget_bytes` is what the caches of running rows may take together."""

    running: tuple[RowUsage, ...]
    waiting_chat: int
    waiting_background: int
    held_bytes: int
    budget_bytes: int | None
    budget_share: float | None
    level: Level

    @property
    def has_several(self) -> bool:
        """Whether more than one row runs or waits."""
        return len(self.running) + self.waiting_chat + self.waiting_background > 1


def rows_of(report: MemoryReport) -> Rows:
    """The rows of a report; what nobody bounds has no budget."""
    running = tuple(row for row in report.rows if row.state != "queued")
    waiting = Counter(row.lane for row in report.rows if row.state == "queued")
    held = sum(max(0, row.kv_bytes) for row in running)
    budget = known(report.kv_budget_bytes)
    share = share_of(held, budget)
    return Rows(
        running=running,
        waiting_chat=waiting["chat"],
        waiting_background=waiting["background"],
        held_bytes=held,
        budget_bytes=budget,
        budget_share=share,
        level=level_of(share),
    )
