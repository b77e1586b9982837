"""Draws that repeat for the same seed, whatever other rows draw in between."""

from __future__ import annotations

import random

import mlx.core as mx

from engine.worker.sampling import Sampler

_BITS = 64


class SeededSampler:
    """Wraps one row's sampler; MLX has a single generator for all rows, which it leaves random."""

    def __init__(self, sampler: Sampler, seed: int) -> None:
        self._sampler = sampler
        self._draws = random.Random(seed)

    def __call__(self, logprobs: mx.array) -> mx.array:
        mx.random.seed(self._draws.getrandbits(_BITS))
        try:
            return self._sampler(logprobs)
        finally:
            mx.random.seed(random.getrandbits(_BITS))
