"""The figures of the conversation's length."""

from __future__ import annotations

import msgspec

from engine.plan.contract import MemoryPlan
from engine.protocol import MemoryReport
from tui.widgets.gauge.levels import Level, known, level_of, share_of


class Context(msgspec.Struct, frozen=True, kw_only=True):
    """Tokens of the longest running row, and the limits it runs towards."""

    tokens: int
    granted: int | None
    share: float | None
    level: Level
    max_safe: int | None
    window: int | None


def context_of(report: MemoryReport, plan: MemoryPlan | None) -> Context:
    """The context of a report; `plan` is the loaded model's, where its sizes mean something."""
    window = known(report.context_window)
    limit = report.model.context_limit if report.model is not None else 0
    granted = known(limit) or window
    share = share_of(report.context_tokens, granted)
    return Context(
        tokens=report.context_tokens,
        granted=granted,
        share=share,
        level=level_of(share),
        max_safe=plan.max_safe_context if plan else None,
        window=window,
    )
