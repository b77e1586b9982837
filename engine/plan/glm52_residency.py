"""How many experts of each layer may stay in memory under a budget."""

from __future__ import annotations

from dataclasses import dataclass, replace

from engine.plan.glm52_bill import StreamingSetup, bill, faults, main_slots
from engine.plan.glm52_geometry import StreamingGeometry


@dataclass(frozen=True, slots=True)
class Residency:
    """Slots as `bill` counts them. `fits` is false when even one slot a layer is too much."""

    slots_per_layer: int
    slots: int
    fixed_bytes: int
    """Everything but the main layers' slots."""
    total_bytes: int
    fits: bool


def plan_residency(
    geometry: StreamingGeometry,
    setup: StreamingSetup,
    budget_bytes: int,
    most_per_layer: int | None = None,
) -> Residency | None:
    """The most slots a layer that the budget holds, at least one; None when nothing can be billed.

    `setup.slots_per_layer` counts for the draft layers alone, whose slots are part of what is
    fixed. The total is that of the plan with the slots found.
    """
    if faults(geometry, setup):
        return None
    slots_before = main_slots(geometry, setup) * geometry.slot_bytes
    fixed = sum(item.bytes for item in bill(geometry, setup, setup.context_tokens)) - slots_before
    floor = fixed + (setup.working_slots + setup.pinned_slots) * geometry.slot_bytes
    one_each = geometry.sparse_layers * geometry.slot_bytes
    most = geometry.experts if most_per_layer is None else min(most_per_layer, geometry.experts)
    per_layer = min(max((budget_bytes - floor) // one_each, 1), max(most, 1))
    total = floor + per_layer * one_each
    slots = main_slots(geometry, replace(setup, slots_per_layer=per_layer))
    return Residency(per_layer, slots, fixed, total, total <= budget_bytes)
