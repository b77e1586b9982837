"""What changes a row's logits by what it has said: a bias, and penalties for what was said before.

All of it stays on the device: nothing here waits for the step that is being computed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import mlx.core as mx

from engine.protocol import Sampling, TokenBias
from engine.serving.backend import Refused
from engine.worker.guard import Processor
from engine.worker.sampling import default_penalty

WINDOW = 20
"""Tokens a penalty looks back on when nobody says how many; 0 means all, the prompt included."""


@dataclass(frozen=True, slots=True)
class Penalty:
    """How strong it is, and how many tokens it looks back on."""

    strength: float
    window: int = WINDOW


@dataclass(frozen=True, slots=True)
class Penalties:
    """What a row asks for; equal to `Penalties()` when it asks for nothing."""

    bias: tuple[TokenBias, ...] = ()
    repetition: Penalty | None = None
    presence: Penalty | None = None
    frequency: Penalty | None = None


def choose_penalties(wish: Sampling, generation_config: Mapping[str, Any]) -> Penalties:
    """What a wish within its bounds asks for; the model may ask for a repetition penalty itself."""
    repetition = wish.repetition_penalty
    if repetition is None:
        repetition = default_penalty(generation_config)
    return Penalties(
        bias=tuple(each for each in wish.logit_bias if each.bias),
        repetition=_penalty(repetition, wish.repetition_window, neutral=1.0),
        presence=_penalty(wish.presence_penalty, wish.presence_window),
        frequency=_penalty(wish.frequency_penalty, wish.frequency_window),
    )


def make_processors(penalties: Penalties, vocabulary_size: int) -> tuple[Processor, ...]:
    """The processors of one row; none when nothing is asked for. Raises Refused."""
    if penalties == Penalties():
        return ()
    for each in penalties.bias:
        if each.token >= vocabulary_size:
            raise Refused(
                "bad-request",
                f"logit_bias names the token {each.token:,}, but the model's tokens are "
                f"0 to {vocabulary_size - 1:,}.",
            )
    return (PenaltyProcessor(penalties),)


class PenaltyProcessor:
    """Of one row. In this order: bias, repetition, presence, frequency."""

    def __init__(self, penalties: Penalties) -> None:
        self._penalties = penalties
        self._bias = _Bias.of(penalties.bias)
        wanted = (penalties.repetition, penalties.presence, penalties.frequency)
        self._histograms = {each.window: _Histogram(each.window) for each in wanted if each}

    def __call__(self, tokens: mx.array, logits: mx.array) -> mx.array:
        kind, size = logits.dtype, logits.shape[-1]
        logits = self._bias.add(logits.astype(mx.float32))
        counts = {
            window: histogram.count(tokens, size) for window, histogram in self._histograms.items()
        }
        if repetition := self._penalties.repetition:
            strength = repetition.strength
            weakened = mx.where(logits < 0, logits * strength, logits / strength)
            logits = mx.where(counts[repetition.window] > 0, weakened, logits)
        if presence := self._penalties.presence:
            logits = logits - presence.strength * (counts[presence.window] > 0)
        if frequency := self._penalties.frequency:
            logits = logits - frequency.strength * counts[frequency.window]
        return logits.astype(kind)


@dataclass(frozen=True, slots=True)
class _Bias:
    tokens: mx.array | None = None
    values: mx.array | None = None

    @classmethod
    def of(cls, bias: tuple[TokenBias, ...]) -> _Bias:
        if not bias:
            return cls()
        tokens, values = zip(*((each.token, each.bias) for each in bias), strict=True)
        return cls(mx.array(tokens), mx.array(values, dtype=mx.float32))

    def add(self, logits: mx.array) -> mx.array:
        if self.tokens is None or self.values is None:
            return logits
        return logits.at[:, self.tokens].add(self.values)


@dataclass(slots=True)
class _Histogram:
    """How often each token stands in the window; one over everything is kept and added to."""

    window: int
    _counts: mx.array | None = field(default=None)
    _counted: int = 0

    def count(self, tokens: mx.array, size: int) -> mx.array:
        if self.window:
            return _count(mx.zeros(size), tokens[-self.window :])
        if self._counts is None or len(tokens) < self._counted:
            self._counts, self._counted = mx.zeros(size), 0
        self._counts = _count(self._counts, tokens[self._counted :])
        self._counted = len(tokens)
        return self._counts


def _count(counts: mx.array, tokens: mx.array) -> mx.array:
    return counts.at[tokens].add(1) if tokens.size else counts


def _penalty(strength: float | None, window: int | None, neutral: float = 0.0) -> Penalty | None:
    if strength is None or strength == neutral:
        return None
    return Penalty(strength, WINDOW if window is None else window)
