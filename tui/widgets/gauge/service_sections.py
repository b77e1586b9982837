"""The lower parts of the full gauge: caches, context, rows, speed, as lines of a given width."""

from __future__ import annotations

from engine.protocol import KVUsage
from tui.widgets.gauge.bars import share_cells
from tui.widgets.gauge.figures import Figures
from tui.widgets.gauge.line import Lines, Span, Tone, columns_row, fit, foreign, row
from tui.widgets.gauge.units import (
    BYTES_CELLS,
    format_bytes,
    format_rate,
    format_share,
    format_tokens,
)
from tui.widgets.gauge.words import hits_words, level_tone, misses_words

_COLUMN = 9


def kv_table(figures: Figures, width: int) -> Lines:
    """The running rows' caches by kind."""
    label = (Span("KV", "title"), Span(" layers×bits", "muted"))
    heads = (Span("tokens", "muted"), Span("bytes", "muted"))
    heading = columns_row(label, heads, _COLUMN, width)
    if not figures.kv:
        return (*heading, fit([Span("no row runs", "muted")], width))
    return (*heading, *(line for usage in figures.kv for line in _kv_rows(usage, width)))


def context(figures: Figures, width: int) -> Lines:
    """How long the conversation is, and how long it may become."""
    facts = figures.context
    granted = format_tokens(facts.granted)
    used = f"{format_tokens(facts.tokens):>{len(granted)}} of {granted}"
    tone = level_tone(facts.level)
    share = min(max(facts.share or 0.0, 0.0), 1.0)
    tones: tuple[Tone, Tone] = ("kv" if tone == "plain" else tone, "free")
    bar = zip("█░", share_cells((share, 1 - share), width), tones, strict=True)
    return (
        *row(Span("context", "title"), Span(f"{used} {format_share(facts.share):>5}", tone), width),
        tuple(Span(glyph * count, bar_tone) for glyph, count, bar_tone in bar if count),
        *row(Span("max safe", "muted"), Span(format_tokens(facts.max_safe)), width),
        *row(Span("window", "muted"), Span(format_tokens(facts.window)), width),
    )


def serving(figures: Figures, width: int) -> Lines:
    """What is kept for the next question."""
    size = f"{format_bytes(figures.prompt_cache_bytes):>{BYTES_CELLS}}"
    entries = f"kept chats {figures.prompt_cache_entries:,}"
    hits = hits_words(figures.prompt_cache_hits)
    lines: Lines = (*row(Span(entries, "muted"), Span(f"{hits} · {size}"), width),)
    return lines + _reuse(figures, width) + _disk_tier(figures, width)


def speed(figures: Figures, width: int) -> Lines:
    """Reading and writing, now and as they were foretold."""
    heads = (Span("reading", "muted"), Span("writing", "muted"))
    lines = columns_row((Span("tok/s", "title"),), heads, _COLUMN, width)
    reading, writing = figures.reading, figures.writing
    for label, pair in (
        ("now", (reading.now, writing.now)),
        ("predicted", (reading.predicted, writing.predicted)),
        ("measured", (reading.measured, writing.measured)),
        ("best", (reading.best, writing.best)),
    ):
        values = tuple(Span(format_rate(value)) for value in pair)
        lines += columns_row((Span(label, "muted"),), values, _COLUMN, width)
    return lines + _drafts(figures, width)


def _drafts(figures: Figures, width: int) -> Lines:
    """How many tokens were written ahead and came true; nothing where none were."""
    if figures.drafted_tokens <= 0:
        return ()
    right = f"{figures.accepted_tokens:,} of {figures.drafted_tokens:,} right"
    return row(Span("drafts", "muted"), Span(right), width)


def _reuse(figures: Figures, width: int) -> Lines:
    """How much of the prompts did not have to be read; nothing before there was any question."""
    if not figures.prompt_cache_reused_tokens and not figures.prompt_cache_misses:
        return ()
    tokens = format_tokens(figures.prompt_cache_reused_tokens)
    misses = misses_words(figures.prompt_cache_misses)
    return row(Span("tokens reused", "muted"), Span(f"{misses} · {tokens}"), width)


def _disk_tier(figures: Figures, width: int) -> Lines:
    lines: Lines = ()
    if figures.disk_tier_bytes:
        entries = f"on disk {figures.disk_tier_entries:,}"
        hits = hits_words(figures.disk_tier_restores)
        size = f"{format_bytes(figures.disk_tier_bytes):>{BYTES_CELLS}}"
        lines += row(Span(entries, "muted"), Span(f"{hits} · {size}"), width)
    if figures.disk_tier_pending_bytes:
        pending = format_bytes(figures.disk_tier_pending_bytes)
        lines += row(Span("to be saved", "muted"), Span(pending), width)
    if figures.disk_tier_fault:
        label, fault = Span("not saved", "muted"), foreign(figures.disk_tier_fault, "warn")
        lines += row(label, fault, width)
    return lines


def _kv_rows(usage: KVUsage, width: int) -> Lines:
    label = foreign(f"{usage.kind} {usage.layers}×{usage.bits}", "muted")
    values = (Span(format_tokens(usage.tokens)), Span(format_bytes(usage.bytes)))
    return columns_row((label,), values, _COLUMN, width)
