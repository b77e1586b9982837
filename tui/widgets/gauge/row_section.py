"""Who is answered and who waits, with what each row's cache takes, as lines of a given width."""

from __future__ import annotations

from typing import assert_never

from engine.protocol import Lane, RowState, RowUsage
from tui.widgets.gauge.figures import Figures
from tui.widgets.gauge.line import Line, Lines, Span, columns_row, fit, row
from tui.widgets.gauge.row_figures import Rows
from tui.widgets.gauge.units import format_bytes, format_share, format_tokens
from tui.widgets.gauge.words import level_tone

_COLUMN = 9


def rows_table(figures: Figures, width: int, most: int) -> Lines:
    """How many rows there are and what they may take; each by itself when there are several.

    At most `most` lines of single rows: their columns are those of the table of caches.
    """
    rows = figures.rows
    counts = f"{figures.rows_running} running · {figures.rows_waiting} waiting"
    budget = f"{format_bytes(rows.held_bytes)} of {format_bytes(rows.budget_bytes)}"
    share = Span(f"{budget} {format_share(rows.budget_share):>5}", level_tone(rows.level))
    lines = (
        *row(Span("rows", "title"), Span(counts), width),
        *row(Span("room", "muted"), share, width),
    )
    return (*lines, *_single_rows(rows, width, most)) if rows.has_several else lines


def _single_rows(rows: Rows, width: int, most: int) -> Lines:
    waiting = _waiting(rows, width)
    room = max(most - len(waiting), 1)
    shown = rows.running if len(rows.running) <= room else rows.running[: room - 1]
    lines = tuple(line for usage in shown for line in _row(usage, width))
    if hidden := len(rows.running) - len(shown):
        lines += (fit([Span(f"and {hidden:,} more", "muted")], width),)
    return (*lines, *waiting)


def _row(usage: RowUsage, width: int) -> Lines:
    values = (Span(format_tokens(usage.tokens)), Span(format_bytes(usage.kv_bytes)))
    room = width - _COLUMN * len(values)
    state = _state_word(usage.state)
    labels = [f"{name} {state}" for name in (usage.lane, _short_name(usage.lane))]
    label = next((text for text in labels if len(text) <= room), labels[-1])
    return columns_row(
        (Span(label, "kv" if usage.lane == "chat" else "muted"),), values, _COLUMN, width
    )


def _waiting(rows: Rows, width: int) -> tuple[Line, ...]:
    counts = ((rows.waiting_chat, "chat"), (rows.waiting_background, "background"))
    return tuple(
        fit([Span(f"{count:,} {lane} waiting", "muted")], width) for count, lane in counts if count
    )


def _state_word(state: RowState) -> str:
    match state:
        case "queued":
            return "waiting"
        case "prefill":
            return "reading"
        case "decode":
            return "writing"
        case _:
            assert_never(state)


def _short_name(lane: Lane) -> str:
    """For a column that has no place for more."""
    return "back" if lane == "background" else lane
