"""Puts rows whose prompts are read, and groups that decode, together where that pays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial

from engine.protocol import AnyEvent
from engine.serving.containment import Caught, attempt, failure
from engine.worker.decode_group import DecodeGroup
from engine.worker.drafts.drafting_group import DraftingGroup
from engine.worker.grouping import partition
from engine.worker.lane_tools import LaneTools
from engine.worker.prefilled import Prefilled


@dataclass(slots=True)
class Joined:
    """All groups there are now, and what their rows were told."""

    groups: list[DecodeGroup] = field(default_factory=list)
    events: list[AnyEvent] = field(default_factory=list)


def join(tools: LaneTools, groups: Sequence[DecodeGroup], parts: Sequence[Prefilled]) -> Joined:
    """Make groups of all of them, as large as pays; rows of one that cannot be made fail."""
    holders: list[DecodeGroup | Prefilled] = [*groups, *parts]
    clusters: list[tuple[int, ...]] = [(index,) for index in range(len(holders))]
    if len(holders) > 1 and tools.batching.is_safe:
        bins = [holder.extent for holder in holders]
        clusters = partition(bins, tools.costs, tools.spare_bytes())
    joined = Joined()
    for members in clusters:
        cluster = [holders[index] for index in members]
        rows = [row for holder in cluster for row in holder.rows]
        fresh = [part for part in cluster if isinstance(part, Prefilled)]
        joined.events += [row.note_read(1) for part in fresh for row in part.rows]
        combined = attempt(partial(_combine, tools, cluster))
        if isinstance(combined, Caught):
            joined.events += [failure(row.command, combined) for row in rows]
        else:
            joined.groups.append(combined)
    return joined


def _combine(tools: LaneTools, cluster: Sequence[DecodeGroup | Prefilled]) -> DecodeGroup:
    groups = [holder for holder in cluster if isinstance(holder, DecodeGroup)]
    parts = [holder for holder in cluster if isinstance(holder, Prefilled)]
    if parts:
        drafting = tools.drafting
        groups.append(
            DraftingGroup(tools, parts, drafting) if drafting else DecodeGroup(tools, parts)
        )
    for other in groups[1:]:
        groups[0].absorb(other)
    return groups[0]
