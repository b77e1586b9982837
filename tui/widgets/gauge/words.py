"""Sentences of the gauge."""

from __future__ import annotations

from typing import assert_never

from engine.plan.contract import Verdict
from engine.protocol import ModelInfo
from tui.widgets.gauge.levels import Level
from tui.widgets.gauge.line import Span, Tone, foreign
from tui.widgets.gauge.units import UNKNOWN

PLAIN_KV_BITS = 16


def verdict_words(verdict: Verdict | None) -> Span:
    """What the plan says, and how serious that is."""
    match verdict:
        case "fits":
            return Span("fits", "good")
        case "squeezes":
            return Span("fits, but squeezes other apps", "warn")
        case "too-big":
            return Span("too big", "critical")
        case "unknown":
            return Span("cannot be planned", "warn")
        case None:
            return Span("no plan", "muted")
        case _:
            assert_never(verdict)


def level_tone(level: Level) -> Tone:
    """The tone of a figure that may call for attention."""
    match level:
        case "plain":
            return "plain"
        case "warn":
            return "warn"
        case "critical":
            return "critical"
        case _:
            assert_never(level)


def parameters_words(parameters: int) -> str:
    """`122,688`, `135 M`, `7.2 B`; `?` when unknown."""
    if parameters <= 0:
        return UNKNOWN
    if parameters < 1_000_000:
        return f"{parameters:,}"
    if parameters < 1_000_000_000:
        return f"{parameters / 1e6:,.0f} M"
    return f"{parameters / 1e9:,.1f} B"


def hits_words(hits: int) -> str:
    """How often a kept chat was of use."""
    return "1 hit" if hits == 1 else f"{hits:,} hits"


def misses_words(misses: int) -> str:
    """How often nothing that was kept was of use."""
    return "1 miss" if misses == 1 else f"{misses:,} misses"


def model_facts(model: ModelInfo) -> Span:
    """What kind of model it is."""
    kv = f"{model.kv_bits}-bit KV" if model.kv_bits > 0 else ""
    return _joined(model.architecture, parameters_words(model.parameters), kv, model.quantization)


def model_place(model: ModelInfo) -> Span:
    """Where it computes."""
    return _joined(model.device, model.compute)


def model_adapter(model: ModelInfo) -> Span:
    """The adapter's own name."""
    return foreign(model.adapter.rstrip("/").rpartition("/")[2] or model.adapter, "name")


def _joined(*parts: str) -> Span:
    return foreign(" · ".join(part for part in parts if part), "muted")
