"""One model's record: what each finished answer adds to it."""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec.structs import replace

from engine.plan.record_key import RecordKey

SCHEMA_VERSION = 1
FEWEST_DECODED = 16
"""Tokens an answer must have for its speed to be counted."""
FEWEST_PREFILLED = 64

_WEIGHT = 0.25
"""Of the newest run in the moving average."""

Rate = Annotated[float, msgspec.Meta(ge=0.0, le=1e7)]
Bytes = Annotated[int, msgspec.Meta(ge=0, le=1 << 56)]
Tokens = Annotated[int, msgspec.Meta(ge=0, le=1 << 40)]
AverageTokens = Annotated[float, msgspec.Meta(ge=0.0, le=float(1 << 40))]


class PeakFact(msgspec.Struct, frozen=True):
    """MLX's peak in one run and what the plan had promised for it."""

    predicted_bytes: Bytes
    measured_bytes: Bytes
    context_tokens: Tokens

    @property
    def ratio(self) -> float:
        """Measured over predicted: above 1 the plan was too low."""
        return self.measured_bytes / max(self.predicted_bytes, 1)


class RunFacts(msgspec.Struct, frozen=True):
    """One finished answer. Speeds in tokens a second; 0 where nothing was measured."""

    context_tokens: Tokens
    """Tokens the row held at its end."""
    decode_tps: Rate = 0.0
    decoded_tokens: Tokens = 0
    prefill_tps: Rate = 0.0
    prefilled_tokens: Tokens = 0
    """Without those that came out of a cache."""
    measured_peak_bytes: Bytes = 0
    predicted_peak_bytes: Bytes = 0
    """Weights, KV and transient of the plan at this context; 0 when the run had company."""


class ProbeFacts(msgspec.Struct, frozen=True):
    """What the probe after loading measured; 0 where it could not."""

    kv_token_bytes: Bytes = 0
    chunk_peak_bytes: Bytes = 0


class Record(msgspec.Struct, frozen=True):
    """All that is known of one key. Averages move with each run; 0 where nothing is known."""

    key: RecordKey
    schema_version: int = SCHEMA_VERSION
    runs: Tokens = 0
    decode_tps: Rate = 0.0
    best_decode_tps: Rate = 0.0
    decode_context_tokens: AverageTokens = 0.0
    """The average context at which `decode_tps` was measured."""
    prefill_tps: Rate = 0.0
    best_prefill_tps: Rate = 0.0
    probe: ProbeFacts = ProbeFacts()
    last_peak: PeakFact | None = None
    worst_peak: PeakFact | None = None
    """The run whose peak exceeded its prediction most, or came nearest."""
    highest_peak: PeakFact | None = None


def is_believable(facts: RunFacts | ProbeFacts) -> bool:
    """Whether every figure is finite and of a size a machine can have."""
    try:
        msgspec.convert(msgspec.to_builtins(facts), type(facts))
    except (msgspec.MsgspecError, OverflowError):
        return False
    return True


def with_run(record: Record, facts: RunFacts) -> Record:
    """The record after one more answer."""
    if facts.decoded_tokens >= FEWEST_DECODED and facts.decode_tps > 0:
        is_first = record.decode_tps == 0
        context = float(facts.context_tokens)
        record = replace(
            record,
            decode_tps=_average(record.decode_tps, facts.decode_tps, is_first),
            best_decode_tps=max(record.best_decode_tps, facts.decode_tps),
            decode_context_tokens=_average(record.decode_context_tokens, context, is_first),
        )
    if facts.prefilled_tokens >= FEWEST_PREFILLED and facts.prefill_tps > 0:
        is_first = record.prefill_tps == 0
        record = replace(
            record,
            prefill_tps=_average(record.prefill_tps, facts.prefill_tps, is_first),
            best_prefill_tps=max(record.best_prefill_tps, facts.prefill_tps),
        )
    return _with_peak(replace(record, runs=record.runs + 1), facts)


def _average(old: float, new: float, is_first: bool) -> float:
    return new if is_first else old + _WEIGHT * (new - old)


def _with_peak(record: Record, facts: RunFacts) -> Record:
    if facts.measured_peak_bytes == 0 or facts.predicted_peak_bytes == 0:
        return record
    peak = PeakFact(facts.predicted_peak_bytes, facts.measured_peak_bytes, facts.context_tokens)
    worst, highest = record.worst_peak or peak, record.highest_peak or peak
    return replace(
        record,
        last_peak=peak,
        worst_peak=max(worst, peak, key=lambda fact: fact.ratio),
        highest_peak=max(highest, peak, key=lambda fact: fact.measured_bytes),
    )
