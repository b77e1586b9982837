"""The gauge for little room: the most telling lines, and one line for the status bar."""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len

from tui.text.width import elide
from tui.widgets.gauge.curves import memory_curve, writing_curve
from tui.widgets.gauge.figures import Figures
from tui.widgets.gauge.history import History
from tui.widgets.gauge.line import Line, Lines, Span, Tone, fit, foreign, line_text, row
from tui.widgets.gauge.memory_sections import plan_tone, stack
from tui.widgets.gauge.units import format_bytes, format_rate, format_share, format_tokens
from tui.widgets.gauge.words import hits_words, level_tone, verdict_words

_SHARE_CELLS = 5
_RATE_CELLS = 5
_SEPARATOR = Span(" · ", "muted")
_LONGEST_BAR, _SHORTEST_BAR = 20, 6


def compact_lines(figures: Figures, history: History, width: int, height: int) -> Lines:
    """As many lines as there are rows, in a steady order."""
    ranked = (
        (4, _headline(figures, width)),
        (0, stack(figures.memory.bar, width)),
        *_memory_lines(figures, width),
        *_context_lines(figures, width),
        *_speed_lines(figures, history, width),
        *_other_lines(figures, width),
    )
    kept = {rank for rank, _ in sorted(ranked, key=lambda pair: pair[0])[: max(height, 1)]}
    return tuple(line for rank, line in ranked if rank in kept)


def status_line(figures: Figures, width: int) -> Line:
    """The gauge on one line: the bar and as many figures as fit, exactly `width` cells."""
    memory, context = figures.memory, figures.context
    used = f"{format_bytes(memory.held_bytes)}/{format_bytes(memory.usable_bytes)}"
    if figures.model is None:
        absence = Span("asleep" if figures.sleeping else "no model", "muted")
        for text in (used, format_bytes(memory.held_bytes)):
            idle = (absence, _SEPARATOR, Span(text))
            if cell_len(line_text(idle)) <= width:
                return fit(idle, width)
        return fit([absence], width)
    pieces = (
        Span(f"ctx {_share(context.share)}", level_tone(context.level)),
        Span(f"{used:>17}", level_tone(memory.level)),
        Span(f"{format_rate(figures.writing.now):>{_RATE_CELLS}} tok/s"),
        Span(f"KV {format_bytes(memory.kv_bytes):>8}"),
    )
    line: list[Span] = []
    room = width
    for piece in pieces:
        needed = cell_len(piece.text) + (cell_len(_SEPARATOR.text) if line else 0)
        if needed <= room:
            line += [_SEPARATOR, piece] if line else [piece]
            room -= needed
    bar = min(room - 1, _LONGEST_BAR)
    if bar >= _SHORTEST_BAR:
        line = [*stack(memory.bar, bar), Span(" "), *line]
        room -= bar + 1
    return fit([Span(" " * max(room, 0)), *line], width)


def _headline(figures: Figures, width: int) -> Line:
    """The model and what the plan says of it; a bad verdict alone where both do not fit."""
    name, verdict = Span("no model", "muted"), verdict_words(figures.verdict)
    if figures.model is not None:
        name = foreign(figures.model.name, "name")
    elif figures.sleeping:
        name, verdict = foreign(figures.sleeping, "name"), Span("asleep", "muted")
    room = width - cell_len(verdict.text) - 2
    if room < cell_len(name.text) and verdict.tone in {"warn", "critical"}:
        return fit([verdict], width)
    if room < _SHORTEST_BAR:
        return fit([name], width)
    return row(Span(elide(name.text, room), name.tone), verdict, width)[0]


def _memory_lines(figures: Figures, width: int) -> Sequence[tuple[int, Line]]:
    memory = figures.memory
    held, usable = format_bytes(memory.held_bytes), format_bytes(memory.usable_bytes)
    share, tone = _share(memory.held_share), level_tone(memory.level)
    planned, planned_share = format_bytes(memory.planned_bytes), _share(memory.planned_share)
    kv, kv_limit = format_bytes(memory.kv_bytes), format_bytes(memory.planned_kv_bytes)
    return (
        (1, _short("mem", (f"{held} of {usable} {share}", f"{held} {share}"), tone, width)),
        (8, _short("plan", (f"{planned} {planned_share}",), plan_tone(figures), width)),
        (5, _short("KV", (f"{kv} of {kv_limit}", kv), "plain", width)),
    )


def _context_lines(figures: Figures, width: int) -> Sequence[tuple[int, Line]]:
    context = figures.context
    granted, share = format_tokens(context.granted), _share(context.share)
    tokens = f"{format_tokens(context.tokens):>{len(granted)}}"
    texts = (f"{tokens} of {granted} {share}", f"{tokens} {share}", share)
    return (
        (2, _short("ctx", texts, level_tone(context.level), width)),
        (7, _short("max safe", (format_tokens(context.max_safe),), "plain", width)),
    )


def _speed_lines(figures: Figures, history: History, width: int) -> Sequence[tuple[int, Line]]:
    now = format_rate(figures.writing.now)
    words = f"{now} · predicted {format_rate(figures.writing.predicted)}"
    return (
        (3, _short("tok/s", (words, now), "plain", width)),
        (6, writing_curve(figures, history, width)),
        (13, memory_curve(figures, history, width)),
    )


def _other_lines(figures: Figures, width: int) -> Sequence[tuple[int, Line]]:
    rows = f"{figures.rows_running} running · {figures.rows_waiting} waiting"
    budget = f"{_share(figures.rows.budget_share).strip()} of KV budget"
    few_rows = f"{figures.rows_running} · {figures.rows_waiting}"
    kept = format_bytes(figures.prompt_cache_bytes)
    hits = hits_words(figures.prompt_cache_hits)
    free_tone: Tone = "warn" if figures.is_squeezed else "plain"
    free = format_bytes(figures.machine_free_bytes)
    frees = (f"squeezed · {free}", free) if figures.is_squeezed else (free,)
    return (
        (9, _short("peak", (format_bytes(figures.peak_bytes),), "plain", width)),
        (10, _short("rows", (f"{rows} · {budget}", rows, few_rows), "plain", width)),
        (11, _short("kept chats", (f"{hits} · {kept}", kept), "plain", width)),
        (12, _short("machine free", frees, free_tone, width)),
        (14, _short("process", (format_bytes(figures.process_bytes),), "plain", width)),
        (15, _short("buffers", (format_bytes(figures.buffer_cache_bytes),), "plain", width)),
    )


def _short(label: str, texts: Sequence[str], tone: Tone, width: int) -> Line:
    """One line with the first of the texts that fits beside its label."""
    fitting = [text for text in texts if len(label) + 1 + cell_len(text) <= width]
    if not fitting:
        return fit([Span(texts[-1], tone)], width)
    return row(Span(label, "muted"), Span(fitting[0], tone), width)[0]


def _share(share: float | None) -> str:
    return f"{format_share(share):>{_SHARE_CELLS}}"
