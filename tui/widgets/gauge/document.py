"""The gauge as one JSON document: the figures it shows, and what they were made from."""

from __future__ import annotations

import msgspec

from engine.plan.contract import MemoryPlan
from engine.protocol import MemoryReport
from tui.widgets.gauge.figures import Figures, figures_of

SCHEMA_VERSION = 1


class GaugeDocument(msgspec.Struct, frozen=True, kw_only=True):
    """Bytes, tokens, tokens a second, shares of 1; null is what nobody knows.

    The model stands in `gauge` and its plan in `plan`, each once.
    """

    schema_version: int = SCHEMA_VERSION
    gauge: Figures
    plan: MemoryPlan | None
    report: MemoryReport


def gauge_document(report: MemoryReport) -> GaugeDocument:
    """What a report means, as one document."""
    figures = figures_of(report)
    model = report.model
    if model is not None:
        figures = msgspec.structs.replace(figures, model=msgspec.structs.replace(model, plan=None))
    return GaugeDocument(
        gauge=figures,
        plan=model.plan if model is not None else None,
        report=msgspec.structs.replace(report, model=None),
    )
