"""The plan of one model as text: what matters first, the bill and the reasons after it."""

from __future__ import annotations

from rich.cells import cell_len
from textual.content import Content

from engine.plan.contract import MemoryPlan
from tui.screens.models.wording import (
    context_line,
    kv_label,
    speed_line,
    usage_line,
    verdict_sentence,
    verdict_style,
)
from tui.text.content import literal, literal_line
from tui.widgets.gauge.bars import stacked_widths
from tui.widgets.gauge.units import format_bytes

_PART_STYLES = ("$gauge-weights", "$gauge-kv", "$gauge-transient", "$gauge-reserve")


def plan_lines(plan: MemoryPlan, width: int) -> Content:
    """The plan, `width` cells wide; reasons wrap in the widget."""
    style = f"bold {verdict_style(plan.verdict)}"
    verdict = Content(verdict_sentence(plan.verdict)).stylize(style)
    parts = (plan.weights_bytes, plan.kv_bytes, plan.transient_bytes, plan.reserve_bytes)
    labels = ("weights", _kv_row_label(plan), "at work", "reserve")
    lines = [
        verdict,
        plan_bar(plan, width),
        _row("needs", usage_line(plan), width),
        _row("safe context", context_line(plan), width),
        _row("tok/s", speed_line(plan), width),
        Content(""),
    ]
    for label, count, colour in zip(labels, parts, _PART_STYLES, strict=True):
        mark = Content("█ ").stylize(colour)
        lines.append(Content("").join([mark, _row(label, format_bytes(count), width - 2)]))
    if plan.measured_peak_bytes is not None:
        lines.append(_row("highest peak so far", format_bytes(plan.measured_peak_bytes), width))
    if plan.reasons:
        lines += [Content(""), *[literal(reason) for reason in plan.reasons]]
    return Content("\n").join(lines)


def plan_bar(plan: MemoryPlan, width: int) -> Content:
    """The parts against the usable memory; never longer than `width`, whatever the numbers."""
    parts = (plan.weights_bytes, plan.kv_bytes, plan.transient_bytes, plan.reserve_bytes)
    cells = stacked_widths(parts, plan.usable_bytes, width)
    filled = [
        Content("█" * count).stylize(style)
        for count, style in zip(cells, _PART_STYLES, strict=True)
    ]
    free = Content("░" * max(0, width - sum(cells))).stylize("$gauge-free")
    return Content("").join([*filled, free])


def _kv_row_label(plan: MemoryPlan) -> str:
    return f"KV {kv_label(plan.kv_bits)} at {plan.context_tokens:,}"


def _row(label: str, value: str, width: int) -> Content:
    """Label and value at both edges; on two lines where both do not fit."""
    room = width - cell_len(label) - cell_len(value)
    shown = literal_line(value)
    gap = " " * room if room > 0 else "\n" + " " * max(0, width - cell_len(value))
    return Content.assemble(Content(label).stylize("$foreground-muted"), gap, shown)
