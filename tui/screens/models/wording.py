"""Words and numbers of a memory plan for the picker."""

from __future__ import annotations

from typing import assert_never

from engine.models.builtin_source import FetchProgress
from engine.models.entry import ModelEntry
from engine.plan.contract import MemoryPlan, Verdict
from tui.widgets.gauge.units import format_bytes, format_speed


def verdict_badge(verdict: Verdict) -> str:
    """One word for a list."""
    match verdict:
        case "fits":
            return "fits"
        case "squeezes":
            return "tight"
        case "too-big":
            return "too big"
        case "unknown":
            return "unknown"
        case _:
            assert_never(verdict)


def verdict_style(verdict: Verdict) -> str:
    """The colour it has."""
    match verdict:
        case "fits":
            return "$text-success"
        case "squeezes":
            return "$gauge-warn"
        case "too-big":
            return "$gauge-critical"
        case "unknown":
            return "$foreground-muted"
        case _:
            assert_never(verdict)


def verdict_sentence(verdict: Verdict) -> str:
    """What it means."""
    match verdict:
        case "fits":
            return "Fits."
        case "squeezes":
            return "Fits, but squeezes other programs."
        case "too-big":
            return "Does not fit."
        case "unknown":
            return "What it needs is not known."
        case _:
            assert_never(verdict)


def usage_line(plan: MemoryPlan) -> str:
    """The total against what may be used, also above 100 %."""
    if plan.usable_bytes <= 0:
        return f"{format_bytes(plan.total_bytes)} of ?"
    share = plan.total_bytes / plan.usable_bytes
    return f"{format_bytes(plan.total_bytes)} of {format_bytes(plan.usable_bytes)} ({share:.0%})"


def context_line(plan: MemoryPlan) -> str:
    """The longest conversation that is safe, and what the model was made for."""
    window = f"{plan.context_window:,}" if plan.context_window else "?"
    return f"{plan.max_safe_context:,} of {window}"


def speed_line(plan: MemoryPlan) -> str:
    """Tokens a second: predicted, and what was measured here."""
    predicted = _speed(plan.predicted_decode_tps)
    measured = _speed(plan.measured_decode_tps)
    return f"{predicted} predicted · {measured} measured"


def _speed(tokens_per_second: float | None) -> str:
    return "?" if tokens_per_second is None else format_speed(tokens_per_second)


def kv_label(bits: int) -> str:
    """How the KV cache is stored."""
    return f"{bits}-bit" if bits else "plain"


def progress_line(progress: FetchProgress) -> str:
    """A download under way."""
    if progress.total_bytes <= 0:
        return progress.stage
    share = min(progress.done_bytes / progress.total_bytes, 1.0)
    done, total = format_bytes(progress.done_bytes), format_bytes(progress.total_bytes)
    return f"{progress.stage} {done} of {total} ({share:.0%})"


def parameters_label(parameters: int) -> str:
    """`135 M`, `7.2 B`; empty when unknown."""
    if parameters <= 0:
        return ""
    if parameters < 1_000_000:
        return f"{parameters:,}"
    if parameters < 1_000_000_000:
        return f"{parameters / 1e6:.0f} M"
    return f"{parameters / 1e9:.1f} B"


def facts_line(entry: ModelEntry) -> str:
    """What kind of model it is."""
    parts = [
        entry.architecture,
        f"{parameters_label(entry.parameters)} parameters" if entry.parameters > 0 else "",
        entry.quantization,
        ", ".join(sorted(entry.capabilities)),
        "" if entry.purpose == "chat" else _PURPOSES[entry.purpose],
        entry.licence,
    ]
    return " · ".join(part for part in parts if part)


_PURPOSES = {
    "text": "not made to chat",
    "embedding": "makes embeddings, does not chat",
    "reranker": "ranks texts, does not chat",
}
