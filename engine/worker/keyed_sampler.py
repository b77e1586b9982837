"""Draws a token so that only the seed and the step decide which.

MLX's own generator is one for all rows; a key made of seed and step is the row's alone, so a row
draws in a batch what it draws by itself.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable

import mlx.core as mx

from engine.worker.sampling import GREEDY, DrawRule
from engine.worker.token_filters import (
    exclude_top_choices,
    keep_min_p,
    keep_top_k,
    keep_top_p,
)

Sampler = Callable[[mx.array], mx.array]
"""From log probabilities [rows, vocabulary] to one token a row."""

_STRIDE = 0x9E3779B97F4A7C15
_MASK = (1 << 64) - 1
_DRAW, _XTC = 0, 0xD1B54A32D192ED03
"""Told apart so that the two draws of a step have nothing to do with each other."""


def draw_greedily(logprobs: mx.array) -> mx.array:
    """The likeliest token of each row, the first one of equals."""
    return mx.argmax(logprobs, axis=-1)


def make_sampler(rule: DrawRule, protected: mx.array, seed: int | None = None) -> Sampler:
    """A sampler by the rule. Without a seed it may be shared: its rows draw independently.

    XTC spares the tokens in `protected`.
    """
    if rule == GREEDY:
        return draw_greedily
    return KeyedSampler(rule, protected, secrets.randbits(64) if seed is None else seed)


class KeyedSampler:
    """Each call is the next step."""

    def __init__(self, rule: DrawRule, protected: mx.array, seed: int) -> None:
        self._rule = rule
        self._protected = protected
        self._seed = seed
        self._step = 0

    def __call__(self, logprobs: mx.array) -> mx.array:
        rule, step = self._rule, self._step
        self._step += 1
        if logprobs.dtype != mx.float32:
            # Half precision is too coarse to add probabilities up and to draw from.
            logprobs = logprobs.astype(mx.float32)
            logprobs = logprobs - mx.logsumexp(logprobs, axis=-1, keepdims=True)
        if rule.xtc_probability:
            return self._draw(self._filtered_with_xtc(logprobs, step), step)
        if not rule.top_k:
            return self._draw(_filtered(logprobs, rule), step)
        # The other filters keep a beginning of the descending order, so they may come after it.
        best = mx.argpartition(-logprobs, kth=rule.top_k - 1, axis=-1)[:, : rule.top_k]
        kept = _filtered(mx.take_along_axis(logprobs, best, axis=-1), rule)
        chosen = self._draw(kept, step)
        return mx.take_along_axis(best, chosen[:, None], axis=-1)[:, 0]

    def _filtered_with_xtc(self, logprobs: mx.array, step: int) -> mx.array:
        rule = self._rule
        logprobs = _filtered(logprobs, rule)
        coin = mx.random.uniform(shape=(len(logprobs), 1), key=self._key(step, _XTC))
        excluded = exclude_top_choices(logprobs, rule.xtc_threshold, self._protected)
        logprobs = mx.where(coin < rule.xtc_probability, excluded, logprobs)
        return keep_top_k(logprobs, rule.top_k) if rule.top_k else logprobs

    def _draw(self, logprobs: mx.array, step: int) -> mx.array:
        # From the likeliest one on, so that a tiny temperature leaves a finite number.
        scaled = (logprobs - mx.max(logprobs, axis=-1, keepdims=True)) / self._rule.temperature
        return mx.random.categorical(scaled, key=self._key(step, _DRAW))

    def _key(self, step: int, purpose: int) -> mx.array:
        return mx.random.key(_mix(self._seed ^ purpose, step))


def _filtered(logprobs: mx.array, rule: DrawRule) -> mx.array:
    if rule.top_p:
        logprobs = keep_top_p(logprobs, rule.top_p)
    if rule.min_p:
        logprobs = keep_min_p(logprobs, rule.min_p)
    return logprobs


def _mix(seed: int, step: int) -> int:
    """SplitMix64 (Steele, Lea and Flood 2014), at any step without those before."""
    value = (seed + (step + 1) * _STRIDE) & _MASK
    value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9 & _MASK
    value = (value ^ (value >> 27)) * 0x94D049BB133111EB & _MASK
    return value ^ (value >> 31)
