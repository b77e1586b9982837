"""Memory and speed over the last minutes of work."""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len

from tui.text.width import elide
from tui.widgets.gauge.bars import sparkline
from tui.widgets.gauge.figures import Figures
from tui.widgets.gauge.history import History
from tui.widgets.gauge.line import Line, Lines, Span, fit
from tui.widgets.gauge.units import format_bytes, format_rate

_LABEL_CELLS = 7
_VALUE_CELLS = 9


def curve_lines(figures: Figures, history: History, width: int) -> Lines:
    """Both curves, each from zero to its highest."""
    return memory_curve(figures, history, width), writing_curve(figures, history, width)


def memory_curve(figures: Figures, history: History, width: int) -> Line:
    """MLX's active memory."""
    value = format_bytes(figures.active_bytes)
    return _curve("memory", history.memory(_cells(width)), value, width)


def writing_curve(figures: Figures, history: History, width: int) -> Line:
    """Tokens a second."""
    value = format_rate(figures.writing.now)
    return _curve("tok/s", history.writing(_cells(width)), value, width)


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
