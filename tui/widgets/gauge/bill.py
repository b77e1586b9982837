"""One plan as a bill, line by line: what `zib fit` prints."""

from __future__ import annotations

from collections.abc import Iterator

from engine.plan.contract import MemoryPlan, Part
from tui.widgets.gauge.figures import sized
from tui.widgets.gauge.levels import share_of
from tui.widgets.gauge.line import (
    Line,
    Lines,
    Span,
    Tone,
    blank,
    columns_row,
    fit,
    foreign,
    row,
    wrap,
)
from tui.widgets.gauge.memory_sections import legend
from tui.widgets.gauge.units import (
    BYTES_CELLS,
    format_bytes,
    format_rate,
    format_share,
    format_tokens,
)
from tui.widgets.gauge.what_if_lines import plan_bar
from tui.widgets.gauge.words import PLAIN_KV_BITS, verdict_words

_REASON_LINES = 8
_COLUMN = BYTES_CELLS + 2
_PARTS: tuple[tuple[Part, str], ...] = (
    ("weights", "weights"),
    ("kv", "KV cache"),
    ("transient", "at work"),
    ("reserve", "reserve"),
)
PLAN_ONLY = "plan only"


def bill_lines(plan: MemoryPlan, name: str, facts: str, width: int) -> Lines:
    """The model, the verdict, the bill, the limits, the speeds and the reasons."""
    mark = f" · {PLAN_ONLY}" if is_plan_only(plan) else ""
    verdict = verdict_words(plan.verdict)
    bill = sized(plan)
    share = format_share(share_of(bill.total_bytes, bill.usable_bytes) if bill else None)
    total = format_bytes(bill.total_bytes if bill else None)
    used = f"{total} of {format_bytes(plan.usable_bytes)} {share:>5}"
    return (
        fit([foreign(name, "name"), Span(mark, "warn")], width),
        fit([foreign(facts, "muted")], width),
        blank(width),
        *row(verdict, Span(used, verdict.tone), width),
        plan_bar(bill, width),
        *(line for lines in _bill(plan, width) for line in lines),
        blank(width),
        *(line for lines in _limits(plan, width) for line in lines),
        blank(width),
        *(line for reason in plan.reasons for line in wrap(reason, width, _REASON_LINES, "muted")),
    )


def is_plan_only(plan: MemoryPlan) -> bool:
    """Whether nothing here can run the model the way it was planned."""
    return plan.strategy == "glm52-colibri"


def _bill(plan: MemoryPlan, width: int) -> Iterator[Lines]:
    bill = sized(plan)
    sums: dict[Part, int | None] = {
        "weights": plan.weights_bytes if bill else plan.weights_bytes or None,
        "kv": bill.kv_bytes if bill else None,
        "transient": bill.transient_bytes if bill else None,
        "reserve": bill.reserve_bytes if bill else None,
    }
    for part, label in _PARTS:
        tone: Tone = "kv-limit" if part == "kv" else part
        yield _priced(legend((tone,), label), "", format_bytes(sums[part]), width)
        for item in plan.items:
            if item.part == part:
                line = (foreign(f"   {item.label}", "muted"),)
                yield _priced(line, format_bytes(item.bytes), "", width)
    if bill is None:
        return
    rest = plan.usable_bytes - plan.total_bytes
    yield _priced((Span("   total", "title"),), "", format_bytes(plan.total_bytes), width)
    words = "left" if rest >= 0 else "too much"
    yield _priced((Span(f"   {words}", "muted"),), "", format_bytes(abs(rest)), width)


def _priced(label: Line, part: str, whole: str, width: int) -> Lines:
    return columns_row(label, (Span(part, "muted"), Span(whole)), _COLUMN, width)


def _limits(plan: MemoryPlan, width: int) -> Iterator[Lines]:
    window = format_tokens(plan.context_window or None)
    rows = f" · {plan.rows} rows" if plan.rows > 1 else ""
    tokens, most = (plan.context_tokens, plan.max_safe_context) if sized(plan) else (None, None)
    planned = f"{format_tokens(tokens)} tokens · {plan.kv_bits or PLAIN_KV_BITS} bit"
    writing = (
        f"{format_rate(plan.predicted_decode_tps)} predicted · "
        f"{format_rate(plan.measured_decode_tps)} measured"
    )
    yield row(Span("planned for", "muted"), Span(f"{planned}{rows}"), width)
    safe = f"{format_tokens(most)} of {window}"
    yield row(Span("max safe context", "muted"), Span(safe), width)
    yield row(Span("writing tok/s", "muted"), Span(writing), width)
    reading = f"{format_rate(plan.predicted_prefill_tps)} predicted"
    yield row(Span("reading tok/s", "muted"), Span(reading), width)
    if plan.measured_peak_bytes is not None:
        predicted = format_bytes(plan.predicted_peak_bytes)
        peak = f"{format_bytes(plan.measured_peak_bytes)} of {predicted} predicted"
        yield row(Span("highest peak so far", "muted"), Span(peak), width)
