"""The upper parts of the full gauge: model, plan and memory, as lines of a given width."""

from __future__ import annotations

from tui.widgets.gauge.bars import share_cells
from tui.widgets.gauge.figures import Figures, Memory
from tui.widgets.gauge.line import Line, Lines, Span, Tone, columns_row, fit, foreign, row, wrap
from tui.widgets.gauge.units import BYTES_CELLS, NOTHING, format_bytes, format_share
from tui.widgets.gauge.words import (
    level_tone,
    model_adapter,
    model_facts,
    model_place,
    verdict_words,
)

BAR_TONES: tuple[Tone, ...] = ("weights", "kv", "kv-limit", "transient", "reserve", "free")
_GLYPHS = dict(zip(BAR_TONES, "██▒▓▒░", strict=True))
_BYTES_COLUMN = BYTES_CELLS + 2
_MLX_COLUMN = BYTES_CELLS + 1
_REASON_LINES = 3
_WIDE = 66


def head(figures: Figures, width: int) -> Lines:
    """Model, verdict and the bar of the plan."""
    memory, verdict = figures.memory, verdict_words(figures.verdict)
    used = f"{format_bytes(memory.planned_bytes)} of {format_bytes(memory.usable_bytes)}"
    plan = Span(f"{used} {format_share(memory.planned_share):>5}", plan_tone(figures))
    if width < _WIDE:
        verdict_lines: Lines = (fit([verdict], width), *row(Span("plan", "muted"), plan, width))
    else:
        verdict_lines = row(verdict, Span(f"plan {plan.text}", plan.tone), width)
    reasons: Lines = ()
    if figures.verdict not in {None, "fits"}:
        reasons = wrap(" ".join(figures.reasons), width, _REASON_LINES, "muted")
    return (*_model(figures, width), *verdict_lines, *reasons, stack(memory.bar, width))


def plan_tone(figures: Figures) -> Tone:
    """A plan above what can be used now calls for attention."""
    return "critical" if (figures.memory.planned_share or 0) > 1 else "plain"


def stack(bar: tuple[int, ...], width: int) -> Line:
    """The stacked bar, empty where nothing is known."""
    cells = share_cells(bar, width)
    if not any(cells):
        return (Span("░" * width, "free"),)
    parts = zip(BAR_TONES, cells, strict=True)
    return tuple(Span(_GLYPHS[tone] * count, tone) for tone, count in parts if count)


def memory_table(figures: Figures, width: int) -> Lines:
    """What each part holds now, beside what the plan allows it."""
    memory = figures.memory
    heads = (Span("now", "muted"), Span("plan", "muted"))
    reserve = (Span(NOTHING, "muted"), Span(format_bytes(memory.planned_reserve_bytes)))
    free = (Span(format_bytes(_free_now(memory))), Span(format_bytes(_free_planned(memory))))
    tone = level_tone(memory.level)
    in_use = (
        Span(format_bytes(memory.held_bytes), tone),
        Span(format_share(memory.held_share), tone),
    )
    return (
        *_bytes_row((Span("memory", "title"),), heads, width),
        *_part(("weights",), "weights", memory.weights_bytes, memory.planned_weights_bytes, width),
        *_part(("kv", "kv-limit"), "KV cache", memory.kv_bytes, memory.planned_kv_bytes, width),
        *_part(
            ("transient",), "at work", memory.transient_bytes, memory.planned_transient_bytes, width
        ),
        *_bytes_row(legend(("reserve",), "reserve"), reserve, width),
        *_bytes_row(legend(("free",), "free"), free, width),
        *_bytes_row((Span("   in use", "muted"),), in_use, width),
    )


def mlx(figures: Figures, width: int) -> Lines:
    """MLX's own figures, the process and the machine."""
    planned = format_bytes(figures.memory.planned_peak_bytes)
    share = f"{format_share(_peak_share(figures)):>5}"
    lines = _mlx_table(figures, width)
    lines += row(Span("peak of planned", "muted"), Span(f"{planned} {share}"), width)
    if figures.recorded_peak_bytes is not None:
        recorded = format_bytes(figures.recorded_peak_bytes)
        predicted = format_bytes(figures.recorded_prediction_bytes)
        lines += row(Span("record", "muted"), Span(f"{recorded} of {predicted}"), width)
    free = format_bytes(figures.machine_free_bytes)
    label, value = Span("machine free", "muted"), Span(free)
    if figures.is_squeezed:
        label, value = Span("machine free · squeezed", "warn"), Span(free, "warn")
    process = Span(format_bytes(figures.process_bytes))
    return (*lines, *row(Span("process", "muted"), process, width), *row(label, value, width))


def legend(tones: tuple[Tone, ...], label: str) -> Line:
    """The glyphs of a part of the bar, and its name."""
    swatch = tuple(Span(_GLYPHS[tone], tone) for tone in tones)
    return (*swatch, Span(" " * (3 - len(swatch))), Span(label, "muted"))


def _model(figures: Figures, width: int) -> Lines:
    model = figures.model
    if model is None:
        return _absence(figures.sleeping, width)
    name, facts, place = foreign(model.name, "name"), model_facts(model), model_place(model)
    both = Span(f"{facts.text} · {place.text}", "muted")
    lines: Lines = tuple(fit([span], width) for span in (name, facts, place))
    if width >= _WIDE:
        joined = row(name, both, width)
        lines = joined if len(joined) == 1 else tuple(fit([span], width) for span in (name, both))
    if model.adapter:
        lines += row(Span("adapter", "muted"), model_adapter(model), width)
    return lines


def _absence(sleeping: str, width: int) -> Lines:
    if not sleeping:
        return (fit([Span("no model loaded", "muted")], width),)
    return row(foreign(sleeping, "name"), Span("asleep, wakes when asked", "muted"), width)


def _mlx_table(figures: Figures, width: int) -> Lines:
    heads = tuple(Span(head, "muted") for head in ("active", "peak", "buffers"))
    counts = (figures.active_bytes, figures.peak_bytes, figures.buffer_cache_bytes)
    values = tuple(Span(format_bytes(count)) for count in counts)
    return (
        *columns_row((Span("MLX", "title"),), heads, _MLX_COLUMN, width),
        *columns_row((), values, _MLX_COLUMN, width),
    )


def _part(tones: tuple[Tone, ...], label: str, now: int, planned: int | None, width: int) -> Lines:
    tone: Tone = "warn" if planned is not None and now > planned else "plain"
    values = (Span(format_bytes(now), tone), Span(format_bytes(planned)))
    return _bytes_row(legend(tones, label), values, width)


def _bytes_row(label: Line, values: tuple[Span, ...], width: int) -> Lines:
    return columns_row(label, values, _BYTES_COLUMN, width)


def _free_now(memory: Memory) -> int | None:
    if memory.usable_bytes is None:
        return None
    return max(0, memory.usable_bytes - memory.held_bytes)


def _free_planned(memory: Memory) -> int | None:
    if memory.usable_bytes is None or memory.planned_bytes is None:
        return None
    return max(0, memory.usable_bytes - memory.planned_bytes)


def _peak_share(figures: Figures) -> float | None:
    planned = figures.memory.planned_peak_bytes
    if not planned or figures.peak_bytes < 0:
        return None
    return figures.peak_bytes / planned
