"""The asked plan beside the one in force, as lines of a given width."""

from __future__ import annotations

from collections.abc import Callable

from engine.plan.contract import MemoryPlan
from tui.widgets.gauge.figures import sized
from tui.widgets.gauge.levels import share_of
from tui.widgets.gauge.line import Line, Lines, Span, Tone, columns_row, fit, foreign, row, wrap
from tui.widgets.gauge.memory_sections import legend, stack
from tui.widgets.gauge.units import (
    BYTES_CELLS,
    UNKNOWN,
    format_bytes,
    format_rate,
    format_share,
    format_tokens,
)
from tui.widgets.gauge.what_if import KV_BITS, Field, WhatIf
from tui.widgets.gauge.words import verdict_words

Answer = MemoryPlan | str | None
"""A plan, a sentence why there is none, or nothing yet."""

FIELD_LINES = 3
_WORDS: tuple[tuple[str, Callable[[MemoryPlan], str]], ...] = (
    ("context", lambda plan: format_tokens(plan.context_tokens)),
    ("total", lambda plan: format_bytes(plan.total_bytes)),
    ("of usable", lambda plan: format_share(share_of(plan.total_bytes, plan.usable_bytes))),
    ("max safe", lambda plan: format_tokens(plan.max_safe_context)),
    ("tok/s", lambda plan: format_rate(plan.predicted_decode_tps)),
)
_SIZES: tuple[tuple[Tone, str, Callable[[MemoryPlan], int]], ...] = (
    ("weights", "weights", lambda plan: plan.weights_bytes),
    ("kv-limit", "KV cache", lambda plan: plan.kv_bytes),
    ("transient", "at work", lambda plan: plan.transient_bytes),
    ("reserve", "reserve", lambda plan: plan.reserve_bytes),
)
_COLUMN = BYTES_CELLS + 2
_REASON_LINES = 8


def what_if_lines(
    asked: WhatIf, loaded_name: str, now: MemoryPlan | None, answer: Answer, width: int
) -> Lines:
    """The three wishes, and what they cost."""
    return (
        *_fields(asked, loaded_name, width),
        *(_sentence(answer, width) if answer is None or isinstance(answer, str) else ()),
        *_comparison(now, answer if isinstance(answer, MemoryPlan) else None, width),
    )


def plan_bar(plan: MemoryPlan | None, width: int) -> Line:
    """A plan alone: nothing is held yet, so that the whole KV cache is still to come."""
    if plan is None:
        return (Span("░" * width, "free"),)
    parts = (
        max(0, plan.weights_bytes),
        0,
        max(0, plan.kv_bytes),
        max(0, plan.transient_bytes),
        max(0, plan.reserve_bytes),
    )
    return stack((*parts, max(0, plan.usable_bytes - sum(parts))), width)


def _fields(asked: WhatIf, loaded_name: str, width: int) -> Lines:
    typed = f"{asked.typed}▏" if asked.typed else ""
    is_context, is_model = asked.field == "context", asked.field == "model"
    context = (is_context and typed) or format_tokens(asked.context_tokens)
    bits = " ".join(
        f"[{_bits(bits)}]" if bits == asked.kv_bits else _bits(bits) for bits in KV_BITS
    )
    name = (is_model and typed) or asked.name or loaded_name
    return (
        _field("context", "context", Span(context), asked, width),
        _field("kv-bits", "KV bits", Span(bits), asked, width),
        _field("model", "model", foreign(name) if name else Span("none"), asked, width),
    )


def _field(field: Field, label: str, value: Span, asked: WhatIf, width: int) -> Line:
    is_chosen = field == asked.field
    mark = Span("▸ " if is_chosen else "  ", "key")
    tone: Tone = "key" if is_chosen else "plain"
    text = fit([Span(value.text, tone)], width - len(label) - 3)
    shown = "".join(span.text for span in text).rstrip()
    return fit([mark, *row(Span(label, "muted"), Span(shown, tone), width - 2)[0]], width)


def _sentence(answer: str | None, width: int) -> Lines:
    if answer is None:
        return (fit([Span("planning …", "muted")], width),)
    return wrap(answer, width, _REASON_LINES, "warn")


def _comparison(now: MemoryPlan | None, asked: MemoryPlan | None, width: int) -> Lines:
    heads = (Span("now", "muted"), Span("asked", "muted"))
    verdicts = (_verdict(now), _verdict(asked))
    sizes_of = (sized(now), sized(asked))
    rows: list[tuple[Line, tuple[Span, ...]]] = [
        ((Span("plan", "title"),), heads),
        ((Span("verdict", "muted"),), verdicts),
    ]
    for label, words in _WORDS:
        pair = tuple(Span(words(plan) if plan else UNKNOWN) for plan in sizes_of)
        rows.append(((Span(label, "muted"),), pair))
    for tone, label, size in _SIZES:
        sizes = tuple(Span(format_bytes(size(plan) if plan else None)) for plan in sizes_of)
        rows.append((legend((tone,), label), sizes))
    table = [columns_row(label, values, _COLUMN, width) for label, values in rows]
    above, below = table[: -len(_SIZES)], table[-len(_SIZES) :]
    reasons = " ".join(asked.reasons) if asked else ""
    return (
        *(line for lines in above for line in lines),
        *(plan_bar(plan, width) for plan in sizes_of),
        *(line for lines in below for line in lines),
        *wrap(reasons, width, _REASON_LINES, "muted"),
    )


def _verdict(plan: MemoryPlan | None) -> Span:
    short = {"fits": "fits", "squeezes": "squeezes", "too-big": "too big", "unknown": UNKNOWN}
    if plan is None:
        return Span(UNKNOWN, "muted")
    return Span(short[plan.verdict], verdict_words(plan.verdict).tone)


def _bits(bits: int) -> str:
    return str(bits) if bits else "off"
