"""From a memory report to the lines of the gauge. Knows no widget."""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len
from textual.content import Content

from engine.protocol import KVUsage, MemoryReport, ModelInfo
from tui.text.content import literal_line
from tui.text.width import elide
from tui.widgets.gauge.bars import sparkline, stacked_widths
from tui.widgets.gauge.units import format_bytes, format_speed

WARN_SHARE = 0.75
CRITICAL_SHARE = 0.9


def gauge_lines(
    report: MemoryReport,
    model: ModelInfo | None,
    speeds: Sequence[float],
    available_bytes: int,
    width: int,
) -> Content:
    """The whole gauge, `width` cells wide (20 at least); `available_bytes` is what is free."""
    lines = [
        *_model_lines(model, width),
        _heading("memory of the engine"),
        _stack(report, available_bytes, width),
        _row("weights", format_bytes(report.weights_bytes), width, "$gauge-weights"),
        _row("KV cache", format_bytes(_kv_bytes(report)), width, "$gauge-kv"),
        _row("at work", format_bytes(_transient(report)), width, "$gauge-transient"),
        _row("process", format_bytes(report.process_bytes), width),
        _row("machine has free", format_bytes(available_bytes), width),
        Content(""),
        _heading("KV cache"),
        *[_kv_row(usage, width) for usage in report.kv],
        _row("context", _context(report), width, _context_style(report)),
        _row("kept chats", _kept(report), width),
        _row("cache hits", f"{report.prompt_cache_hits:,}", width),
        _row("rows", f"{report.rows_running} running · {report.rows_waiting} waiting", width),
        Content(""),
        _heading("MLX"),
        _row("active", format_bytes(report.active_bytes), width),
        _row("peak", format_bytes(report.peak_bytes), width),
        _row("buffer cache", format_bytes(report.cache_bytes), width),
        Content(""),
        _heading("speed"),
        _row("reading", format_speed(report.prefill_tps), width),
        _row("writing", format_speed(report.decode_tps), width),
        Content(sparkline(speeds, width)).stylize("$sparkline-high"),
    ]
    return Content("\n").join(lines)


def _model_lines(model: ModelInfo | None, width: int) -> list[Content]:
    if model is None:
        return [Content("no model loaded").stylize("$foreground-muted"), Content("")]
    lines = [
        literal_line(model.name, width).stylize("bold"),
        literal_line(f"{model.architecture} · {model.parameters / 1e6:,.0f} M parameters", width),
        literal_line(model.quantization, width),
        literal_line(f"{model.device} · {model.compute}", width),
    ]
    return [*lines, Content("")]


def _kv_bytes(report: MemoryReport) -> int:
    return sum(usage.bytes for usage in report.kv) + report.prompt_cache_bytes


def _transient(report: MemoryReport) -> int:
    return max(0, report.active_bytes - report.weights_bytes - _kv_bytes(report))


def _stack(report: MemoryReport, available: int, width: int) -> Content:
    parts = (report.weights_bytes, _kv_bytes(report), _transient(report))
    cells = stacked_widths(parts, report.process_bytes + available, width)
    styles = ("$gauge-weights", "$gauge-kv", "$gauge-transient")
    filled = [
        Content("█" * count).stylize(style) for count, style in zip(cells, styles, strict=True)
    ]
    free = Content("░" * (width - sum(cells))).stylize("$gauge-free")
    return Content("").join([*filled, free])


def _kv_row(usage: KVUsage, width: int) -> Content:
    label = f"{usage.kind} {usage.layers}×{usage.bits} bit"
    return _row(label, f"{usage.tokens:,} tok · {format_bytes(usage.bytes)}", width)


def _context(report: MemoryReport) -> str:
    if report.context_window <= 0:
        return f"{report.context_tokens:,} of ?"
    share = report.context_tokens / report.context_window
    return f"{report.context_tokens:,} of {report.context_window:,} ({share:.0%})"


def _context_style(report: MemoryReport) -> str:
    share = report.context_tokens / report.context_window if report.context_window > 0 else 0.0
    if share >= CRITICAL_SHARE:
        return "$gauge-critical"
    return "$gauge-warn" if share >= WARN_SHARE else ""


def _kept(report: MemoryReport) -> str:
    return f"{report.prompt_cache_entries} · {format_bytes(report.prompt_cache_bytes)}"


def _heading(text: str) -> Content:
    return Content(text).stylize("$pane-title bold")


def _row(label: str, value: str, width: int, style: str = "") -> Content:
    """Label and value on one line; on two where both do not fit."""
    label, value = elide(label, width), elide(value, width)
    room = width - cell_len(label) - cell_len(value)
    gap = " " * room if room > 0 else "\n" + " " * (width - cell_len(value))
    shown = Content(value)
    return Content.assemble(
        Content(label).stylize("$foreground-muted"), gap, shown.stylize(style) if style else shown
    )
