"""Runs a model side by side with plain and quantized caches."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import mlx.core as mx
import numpy as np
import numpy.typing as npt
from mlx.nn.layers.base import Module

from engine.plan.kv_scheme import PLAIN, uniform_scheme
from engine.worker.cache.conversion import make_caches
from engine.worker.cache.policy import CachePolicy, decide

Numbers = npt.NDArray[np.float64]

CHUNK = 64
SINGLE_TOKENS = 64
"""The last tokens of the text go one by one, as an answer's do: they take the other way through
attention, and leave a sliding window's buffer as long as the window."""
_HALF_BYTES = 2
_TURNS, _TIMED_TOKENS = 7, 6


@dataclass(slots=True)
class Outcome:
    """One way to quantize: `divergences` holds one figure a position, in nats."""

    bits: int
    layers: int
    kv_bytes: int = 0
    agreement: float = 0.0
    divergences: Numbers = field(default_factory=lambda: np.zeros(0))


class Comparison:
    """The same tokens through a model with plain caches and with each number of bits.

    `half_bytes` is what the plain caches of the last run would hold with 2 bytes an element;
    states of constant size do not count on either side.
    """

    def __init__(self, model: Module, config: Mapping[str, object], bits: Sequence[int]) -> None:
        self._model = model
        self._plain = decide(model, config, PLAIN)
        self.policies = [decide(model, config, uniform_scheme(each)) for each in bits]
        self.refusal = next((each.refusal for each in self.policies if each.refusal), "")
        self.half_bytes = 0

    def run(self, tokens: Sequence[int]) -> tuple[Outcome, ...]:
        """Feed all tokens to all of them, chunk by chunk."""
        reference = make_caches(self._model, self._plain)
        sides = [(policy, make_caches(self._model, policy)) for policy in self.policies]
        found: list[list[tuple[Numbers, Numbers]]] = [[] for _ in sides]
        for chunk in _chunks(tokens):
            truth = self._log_probabilities(chunk, reference)
            for results, (_, caches) in zip(found, sides, strict=True):
                results.append(_compare(truth, self._log_probabilities(chunk, caches)))
        self.half_bytes = sum(_elements(cache) for cache in reference) * _HALF_BYTES
        return tuple(
            Outcome(
                policy.bits,
                policy.quantized_count,
                sum(_kv_bytes(cache) for cache in caches),
                float(np.concatenate([agrees for _, agrees in results]).mean()),
                np.concatenate([divergences for divergences, _ in results]),
            )
            for results, (policy, caches) in zip(found, sides, strict=True)
        )

    def _log_probabilities(self, chunk: Sequence[int], caches: list[Any]) -> Numbers:
        logits = _step(self._model, chunk, caches)
        values = np.array(logits[0].astype(mx.float32)).astype(np.float64)
        values -= values.max(axis=-1, keepdims=True)
        values -= np.log(np.exp(values).sum(axis=-1, keepdims=True))
        return values


def decode_speeds(
    model: Module, policies: Sequence[CachePolicy], held_tokens: int
) -> dict[int, tuple[float, ...]]:
    """Tokens a second by bits (0: plain) on caches that hold so many tokens, one figure a turn.

    What the tokens are has no influence on the time, so the caches are filled with noise.
    """
    plain = CachePolicy(tuple(_unquantized(policies[0])))
    sides = {policy.bits: _filled(model, policy, held_tokens) for policy in (plain, *policies)}
    speeds: dict[int, list[float]] = {bits: [] for bits in sides}
    for turn in range(_TURNS + 1):
        for bits, caches in sides.items():
            began = time.perf_counter()
            for _ in range(_TIMED_TOKENS):
                _step(model, [1], caches)
            if turn:  # the first warms up
                speeds[bits].append(_TIMED_TOKENS / (time.perf_counter() - began))
    return {bits: tuple(turns) for bits, turns in speeds.items()}


def _chunks(tokens: Sequence[int]) -> Iterator[Sequence[int]]:
    singles = min(SINGLE_TOKENS, len(tokens) // 2)
    together = len(tokens) - singles
    for start in range(0, together, CHUNK):
        yield tokens[start : min(start + CHUNK, together)]
    for token in tokens[together:]:
        yield [token]


def _step(model: Any, tokens: Sequence[int], caches: list[Any]) -> mx.array:
    logits: mx.array = model(mx.array([list(tokens)]), cache=caches)
    mx.eval(logits, [cache.state for cache in caches])
    return logits


def _compare(truth: Numbers, other: Numbers) -> tuple[Numbers, Numbers]:
    """Divergence and agreement at each position."""
    divergences: Numbers = (np.exp(truth) * (truth - other)).sum(axis=-1)
    agrees: Numbers = (truth.argmax(axis=-1) == other.argmax(axis=-1)).astype(np.float64)
    return divergences, agrees


def _arrays(cache: Any) -> Iterator[mx.array]:
    """Keys and values, all parts of them, of a cache or of those inside it."""
    for part in getattr(cache, "caches", (cache,)):
        for stored in (getattr(part, "keys", None), getattr(part, "values", None)):
            if stored is not None:
                yield from (stored,) if isinstance(stored, mx.array) else stored


def _elements(cache: Any) -> int:
    return sum(array.size for array in _arrays(cache))


def _kv_bytes(cache: Any) -> int:
    """What a quantized cache holds; a plain one is counted with 2 bytes an element too."""
    if hasattr(cache, "bits"):
        return int(cache.nbytes)
    return _elements(cache) * _HALF_BYTES


def _unquantized(policy: CachePolicy) -> Iterator[Any]:
    for layer in policy.layers:
        yield type(layer)(layer.number, None)


def _filled(model: Module, policy: CachePolicy, tokens: int) -> list[Any]:
    shapes = make_caches(model, CachePolicy(tuple(_unquantized(policy))))
    _step(model, [1], shapes)
    caches = make_caches(model, policy)
    for cache, plain in zip(caches, shapes, strict=True):
        keys, values = getattr(plain, "keys", None), getattr(plain, "values", None)
        if keys is None or values is None:
            continue
        cache.update_and_fetch(
            *(
                mx.random.normal((1, part.shape[1], tokens, part.shape[-1]), part.dtype)
                for part in (keys, values)
            )
        )
        mx.eval(cache.state)
    return caches
