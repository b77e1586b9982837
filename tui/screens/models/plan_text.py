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
from tui.widgets.gauge.figures import sized
from tui.widgets.gauge.line import Line, Tone
from tui.widgets.gauge.memory_sections import legend
from tui.widgets.gauge.paint import to_content
from tui.widgets.gauge.plain import shown_lines, terminal_needs_ascii
from tui.widgets.gauge.units import format_bytes
from tui.widgets.gauge.what_if_lines import plan_bar as gauge_bar


def plan_lines(plan: MemoryPlan, width: int) -> Content:
    """The plan, `width` cells wide; reasons wrap in the widget."""
    style = f"bold {verdict_style(plan.verdict)}"
    verdict = Content(verdict_sentence(plan.verdict)).stylize(style)
    if sized(plan) is None:
        return Content("\n").join([verdict, *[literal(reason) for reason in plan.reasons]])
    parts: tuple[tuple[Tone, str, int], ...] = (
        ("weights", "weights", plan.weights_bytes),
        ("kv-limit", _kv_row_label(plan), plan.kv_bytes),
        ("transient", "at work", plan.transient_bytes),
        ("reserve", "reserve", plan.reserve_bytes),
    )
    lines = [
        verdict,
        plan_bar(plan, width),
        _row("needs", usage_line(plan), width),
        _row("safe context", context_line(plan), width),
        _row("tok/s", speed_line(plan), width),
        Content(""),
    ]
    for tone, label, count in parts:
        mark = _painted(legend((tone,), ""))
        size = _row(label, format_bytes(count), width - mark.cell_length)
        lines.append(Content("").join([mark, size]))
    if plan.measured_peak_bytes is not None:
        lines.append(_row("highest peak so far", format_bytes(plan.measured_peak_bytes), width))
    if plan.reasons:
        lines += [Content(""), *[literal(reason) for reason in plan.reasons]]
    return Content("\n").join(lines)


def plan_bar(plan: MemoryPlan, width: int) -> Content:
    """The parts against the usable memory; never longer than `width`, whatever the numbers."""
    return _painted(gauge_bar(plan, width))


def _painted(line: Line) -> Content:
    """As the gauge shows it, in ASCII where colours do not tell."""
    return to_content(shown_lines((line,), terminal_needs_ascii()))


def _kv_row_label(plan: MemoryPlan) -> str:
    return f"KV {kv_label(plan.kv_bits)} at {plan.context_tokens:,}"


def _row(label: str, value: str, width: int) -> Content:
    """Label and value at both edges; on two lines where both do not fit."""
    room = width - cell_len(label) - cell_len(value)
    shown = literal_line(value)
    gap = " " * room if room > 0 else "\n" + " " * max(0, width - cell_len(value))
    return Content.assemble(Content(label).stylize("$foreground-muted"), gap, shown)
