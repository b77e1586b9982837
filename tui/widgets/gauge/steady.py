"""Figures that tremble by themselves, held still while the engine does nothing."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from engine.protocol import MemoryReport

# Other programs take and give memory all the time; less than this is no news while we are idle.
_STEPS: Mapping[str, int] = {
    "available_bytes": 256 * 1024**2,
    "usable_bytes": 256 * 1024**2,
    "process_bytes": 4 * 1024**2,
}


def steadied(report: MemoryReport, before: MemoryReport | None) -> MemoryReport:
    """The report with what was shown before in place of what hardly changed."""
    if before is None or report.rows_running or report.model != before.model:
        return report
    held: dict[str, int] = {}
    for name, step in _STEPS.items():
        new, old = getattr(report, name), getattr(before, name)
        if old > 0 and abs(new - old) < step:
            held[name] = old
    return msgspec.structs.replace(report, **held)
