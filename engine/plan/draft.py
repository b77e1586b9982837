"""What a model that drafts costs beside the one it drafts for, and which ones can."""

from __future__ import annotations

from engine.plan.contract import PlanItem
from engine.plan.geometry import Geometry, RecurrentState
from engine.plan.kv_bytes import allocated_kv
from engine.plan.machine import Machine
from engine.plan.subject import Subject, weight_items, workload_of
from engine.plan.transient import transient_items


def draft_items(
    subject: Subject, machine: Machine, tokens: int, transient_bytes: int
) -> tuple[PlanItem, ...]:
    """The draft model's lines of the bill; it reads along with one row, up to its own window.

    The two models work in turn: what it needs at work counts beyond `transient_bytes`.
    """
    draft = subject.draft
    if draft is None:
        return ()
    workload = workload_of(draft, machine, min(tokens, draft.window))
    more = _total(transient_items(workload)) - transient_bytes
    lines = (
        PlanItem("weights", "draft model", _total(weight_items(draft))),
        PlanItem("kv", "draft model", _total(allocated_kv(workload))),
        PlanItem("transient", "draft model at work", more),
    )
    return tuple(line for line in lines if line.bytes > 0)


def why_no_drafts(answering: Geometry, drafting: Geometry) -> str:
    """Why one model cannot draft for another, or empty.

    A draft that does not come true is taken back, which a recurrent state does not allow.
    """
    if _is_recurrent(answering):
        return "A model with recurrent layers cannot take drafts back: load it without a draft."
    if _is_recurrent(drafting):
        return "A model with recurrent layers cannot draft: choose another draft model."
    return ""


def _is_recurrent(geometry: Geometry) -> bool:
    return any(isinstance(mixer, RecurrentState) for mixer in geometry.mixers())


def _total(items: tuple[PlanItem, ...]) -> int:
    return sum(item.bytes for item in items)
