"""A model as it would be run, and what follows from that alone."""

from __future__ import annotations

from dataclasses import dataclass

from engine.plan.contract import PlanItem
from engine.plan.geometry import Geometry
from engine.plan.kv_scheme import KVScheme
from engine.plan.machine import Machine
from engine.plan.weights import Weights
from engine.plan.workload import Workload

UNKNOWN_WINDOW_TOKENS = 1 << 20
"""Planned for at most, where a configuration does not say what the model was made for."""


@dataclass(frozen=True, slots=True)
class Subject:
    """A model as it would be run, with one that drafts for it or none.

    `notes` are sentences on what was assumed.
    """

    geometry: Geometry
    weights: Weights
    adapter: PlanItem | None
    scheme: KVScheme
    rows: int
    chunk: int
    notes: tuple[str, ...] = ()
    draft: Subject | None = None

    @property
    def window(self) -> int:
        """The largest context worth planning."""
        return self.geometry.context_window or UNKNOWN_WINDOW_TOKENS


def workload_of(subject: Subject, machine: Machine, tokens: int) -> Workload:
    """The subject's work on this device at one context length."""
    return Workload(
        geometry=subject.geometry,
        context_tokens=tokens,
        chunk=subject.chunk,
        rows=subject.rows,
        element_bytes=subject.weights.element_bytes,
        backend=machine.device.backend,
        compute=machine.device.compute,
        scheme=subject.scheme,
        expanded_bytes=subject.weights.expanded_bytes,
        has_packed_heads=subject.weights.has_packed_heads,
    )


def weight_items(subject: Subject) -> tuple[PlanItem, ...]:
    """The weights line by line: experts apart, and the adapter."""
    weights = subject.weights
    form = {
        "float32": "in float32",
        "as-stored": "as stored",
        "packed": "quantized",
        "expanded": "expanded to float32",
        "expanded-on-demand": "quantized",
    }[weights.form]
    experts = subject.geometry.experts
    dense = PlanItem("weights", f"weights {form}", weights.resident_bytes - weights.expert_bytes)
    lines = [dense]
    if experts and weights.expert_bytes:
        lines.append(PlanItem("weights", f"{experts.count} experts {form}", weights.expert_bytes))
    else:
        lines = [PlanItem("weights", dense.label, weights.resident_bytes)]
    return (*lines, subject.adapter) if subject.adapter else tuple(lines)
