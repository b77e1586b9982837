"""What a model with streamed experts costs, line by line and to the byte."""

from __future__ import annotations

from dataclasses import dataclass, fields

from engine.plan.contract import Part, PlanItem
from engine.plan.glm52_geometry import StreamingGeometry

_GIB = 1024**3
_FLOAT32 = 4
_LARGEST = (1 << 53) - 1
"""Above this a number is no longer exact everywhere the plan may travel."""


@dataclass(frozen=True, slots=True)
class StreamingSetup:
    """How the model would be run. `process_limit_bytes` is the envelope; sizes in bytes."""

    machine_bytes: int = 32 * _GIB
    process_limit_bytes: int = 25 * _GIB
    context_tokens: int = 4096
    answer_tokens: int = 128
    rows: int = 1
    is_drafting: bool = True
    drafts: int = 3
    """Tokens the draft layers propose for one check."""
    working_slots: int = 64
    """Experts of the layer being computed."""
    pinned_slots: int = 0
    slots_per_layer: int = 1
    """Experts of every sparse layer that stay in memory."""
    allocator_reserve_bytes: int = 4 * _GIB
    runtime_reserve_bytes: int = _GIB // 2
    safety_bytes: int = _GIB // 2

    @property
    def checked_rows(self) -> int:
        """Positions computed at once while answering."""
        return self._proposed + 1

    @property
    def _proposed(self) -> int:
        return self.drafts if self.is_drafting else 0


_MAY_BE_ZERO = {
    "drafts",
    "pinned_slots",
    "slots_per_layer",
    "allocator_reserve_bytes",
    "runtime_reserve_bytes",
    "safety_bytes",
    "draft_slot_bytes",
    "draft_layers",
    "index_layers",
    "index_size",
    "context_window",
}


def main_slots(geometry: StreamingGeometry, setup: StreamingSetup) -> int:
    """Expert slots of the main layers."""
    kept = geometry.sparse_layers * setup.slots_per_layer
    return setup.working_slots + setup.pinned_slots + kept


def draft_slots(geometry: StreamingGeometry, setup: StreamingSetup) -> int:
    """Expert slots of the draft layers."""
    if not setup.is_drafting:
        return 0
    needed = min(geometry.experts, geometry.active_experts * setup.drafts)
    return needed + geometry.draft_layers * setup.slots_per_layer


def bill(
    geometry: StreamingGeometry, setup: StreamingSetup, context_tokens: int
) -> tuple[PlanItem, ...]:
    """Every line at a context. Caches, rebuilt keys and logits are float32."""
    g, rows, checked = geometry, setup.rows, setup.checked_rows
    width = g.latent_size + g.rope_size
    key_values = g.layers * width + g.index_layers * g.index_size
    draft_values = g.draft_layers * width if setup.is_drafting else 0
    rebuilt = g.heads * (context_tokens + checked) * (g.key_size + g.value_size)
    outputs = (2 * checked - 1) * (g.hidden_size + g.vocabulary_size)
    slots, drafting = main_slots(g, setup), draft_slots(g, setup)
    lines: tuple[tuple[Part, str, int], ...] = (
        ("weights", "resident weights", g.resident_bytes),
        ("weights", f"{slots} expert slots", slots * g.slot_bytes),
        ("weights", f"{drafting} draft expert slots", drafting * g.draft_slot_bytes),
        ("kv", "KV cache", rows * context_tokens * key_values * _FLOAT32),
        ("kv", "draft KV cache", rows * context_tokens * draft_values * _FLOAT32),
        ("transient", "rebuilt keys and values", rows * rebuilt * _FLOAT32),
        ("transient", "hidden states and logits", rows * outputs * _FLOAT32),
        ("reserve", "allocator", setup.allocator_reserve_bytes),
        ("reserve", "process", setup.runtime_reserve_bytes),
        ("reserve", "safety", setup.safety_bytes),
    )
    return tuple(PlanItem(part, label, size) for part, label, size in lines)


def faults(geometry: StreamingGeometry, setup: StreamingSetup) -> tuple[str, ...]:
    """Why no bill can be written, in sentences; empty when one can."""
    wrong = [*_wrong_numbers(geometry), *_wrong_numbers(setup)]
    if wrong:
        return tuple(wrong)
    union = min(geometry.experts, geometry.active_experts * setup.checked_rows)
    checks = (
        (
            setup.process_limit_bytes > setup.machine_bytes,
            f"The process may use {setup.process_limit_bytes:,} bytes of a machine that has "
            f"{setup.machine_bytes:,}.",
        ),
        (
            setup.answer_tokens > setup.context_tokens,
            f"An answer of {setup.answer_tokens:,} tokens is longer than the context of "
            f"{setup.context_tokens:,}.",
        ),
        (
            setup.is_drafting and not (geometry.draft_layers and geometry.draft_slot_bytes),
            "The checkpoint holds no draft layers to propose tokens with.",
        ),
        (
            union > setup.working_slots,
            f"{setup.checked_rows} tokens at once may need {union} experts of a layer and only "
            f"{setup.working_slots} working slots are planned.",
        ),
        (
            geometry.active_experts > geometry.experts,
            f"{geometry.active_experts} of {geometry.experts} experts cannot be active.",
        ),
        (
            geometry.index_layers > geometry.layers,
            f"{geometry.index_layers} layers of {geometry.layers} have an index.",
        ),
    )
    return tuple(sentence for is_wrong, sentence in checks if is_wrong)


def _wrong_numbers(values: StreamingGeometry | StreamingSetup) -> list[str]:
    found = []
    for field in fields(values):
        value = getattr(values, field.name)
        least = 0 if field.name in _MAY_BE_ZERO else 1
        if isinstance(value, bool) or least <= value <= _LARGEST:
            continue
        found.append(f"The {field.name.replace('_', ' ')} cannot be {value}.")
    return found
