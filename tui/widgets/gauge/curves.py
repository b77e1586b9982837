"""Memory and speed over the last minutes of work."""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len

from tui.text.width import elide
from tui.widgets.gauge.bars import area, sparkline
from tui.widgets.gauge.figures import Figures
from tui.widgets.gauge.history import SECONDS_KEPT, History
from tui.widgets.gauge.line import Line, Lines, Span, fit, row
from tui.widgets.gauge.units import format_bytes, format_rate

_LABEL_CELLS = 7
_VALUE_CELLS = 9


def curve_lines(figures: Figures, history: History, width: int) -> Lines:
    """Both curves, each from zero to its highest."""
    return memory_curve(figures, history, width), writing_curve(figures, history, width)


def tall_curves(figures: Figures, history: History, width: int, rows: int) -> Lines:
    """Both curves as areas of `rows` lines, each under a line with its figures."""
    memory, writing = history.memory(width), history.writing(width)
    active, highest = format_bytes(figures.active_bytes), format_bytes(max(memory, default=None))
    now, fastest = format_rate(figures.writing.now), format_rate(max(writing, default=None))
    return (
        *_tall("memory", memory, f"{active} now · {highest} at most", width, rows),
        *_tall("tok/s", writing, f"{now} now · {fastest} at most", width, rows),
    )


def memory_curve(figures: Figures, history: History, width: int) -> Line:
    """MLX's active memory."""
    value = format_bytes(figures.active_bytes)
    return _curve("memory", history.memory(_cells(width)), value, width)


def writing_curve(figures: Figures, history: History, width: int) -> Line:
    """Tokens a second."""
    value = format_rate(figures.writing.now)
    return _curve("tok/s", history.writing(_cells(width)), value, width)


def _tall(label: str, values: Sequence[float], words: str, width: int, rows: int) -> Lines:
    minutes = f"{label} · last {SECONDS_KEPT // 60} min of work"
    head = row(Span(minutes, "muted"), Span(words), width)
    lines = area(values, width, rows)
    upper = (rows + 1) // 2
    return (
        *head,
        *((Span(line, "curve"),) for line in lines[:upper]),
        *((Span(line, "curve-low"),) for line in lines[upper:]),
    )


def _cells(width: int) -> int:
    return max(0, width - _LABEL_CELLS - _VALUE_CELLS)


def _curve(label: str, values: Sequence[float], value: str, width: int) -> Line:
    text = elide(value, _VALUE_CELLS)
    spans = [
        Span(label.ljust(_LABEL_CELLS), "muted"),
        Span(sparkline(values, _cells(width)), "curve"),
        Span(" " * (_VALUE_CELLS - cell_len(text))),
        Span(text),
    ]
    return fit(spans, width)
