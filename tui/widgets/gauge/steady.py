"""Figures that tremble by themselves, held still while the engine does nothing."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from engine.protocol import MemoryReport

_MIB = 1024**2
_FREE_SHARE = 32
"""Other programs take and give memory all the time: a part in so many is no news at rest."""

_LEAST_STEPS: Mapping[str, int] = {
    "available_bytes": 256 * _MIB,
    "usable_bytes": 256 * _MIB,
    "process_bytes": 4 * _MIB,
}


def steadied(report: MemoryReport, before: MemoryReport | None) -> MemoryReport:
    """The report with what was shown before in place of what hardly changed."""
    if before is None or report.rows_running or report.model != before.model:
        return report
    held: dict[str, int] = {}
    for name, least in _LEAST_STEPS.items():
        new, old = getattr(report, name), getattr(before, name)
        step = least if name == "process_bytes" else max(least, old // _FREE_SHARE)
        if old > 0 and abs(new - old) < step:
            held[name] = old
    return msgspec.structs.replace(report, **held)
