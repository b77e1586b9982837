"""What leaves candidates out before a token is drawn.

Each takes logprobs of shape [rows, candidates], of a distribution whose whole mass is 1, and
returns them with minus infinity for what is left out; what stays is unchanged, and at least one
candidate of each row stays. Their neutral values are not for them: the caller leaves them out.
"""

from __future__ import annotations

import math

import mlx.core as mx

_OUT = -math.inf


def keep_top_p(logprobs: mx.array, top_p: float) -> mx.array:
    """The likeliest candidates that together reach `top_p`; ties of the last one stay too."""
    if not 0 < top_p <= 1:
        raise ValueError(f"top_p is above 0 and at most 1, not {top_p}.")
    ordered = mx.sort(logprobs, axis=-1)
    probabilities = mx.exp(ordered)
    mass_above = mx.cumsum(probabilities, axis=-1, reverse=True, inclusive=False)
    left_out = mx.sum(mass_above >= top_p, axis=-1, keepdims=True)
    # Rounding may leave out all of them for a tiny share.
    last = mx.minimum(left_out, logprobs.shape[-1] - 1)
    return mx.where(logprobs < mx.take_along_axis(ordered, last, axis=-1), _OUT, logprobs)


def keep_min_p(logprobs: mx.array, min_p: float, least: int = 1) -> mx.array:
    """Candidates at least `min_p` times as likely as the likeliest, but no fewer than `least`."""
    if not 0 < min_p <= 1:
        raise ValueError(f"min_p is above 0 and at most 1, not {min_p}.")
    if least < 1:
        raise ValueError(f"At least 1 candidate must stay, not {least}.")
    floor = mx.max(logprobs, axis=-1, keepdims=True) + math.log(min_p)
    if least > 1:
        best = mx.topk(logprobs, min(least, logprobs.shape[-1]), axis=-1)
        floor = mx.minimum(floor, mx.min(best, axis=-1, keepdims=True))
    return mx.where(logprobs < floor, _OUT, logprobs)


def exclude_top_choices(
    logprobs: mx.array, threshold: float, protected: mx.array | None = None
) -> mx.array:
    """XTC: of the candidates above `threshold` only the least likely stays.

    `protected` holds the indices of candidates that always stay.
    """
    if not 0 <= threshold <= 0.5:
        raise ValueError(f"The threshold of XTC is from 0 to 0.5, not {threshold}.")
    probabilities = mx.softmax(logprobs, axis=-1)
    above = mx.where(probabilities > threshold, probabilities, math.inf)
    excluded = probabilities > mx.min(above, axis=-1, keepdims=True)
    if protected is not None and protected.size:
        excluded[:, protected] = False
    return mx.where(excluded, _OUT, logprobs)


def keep_top_k(logprobs: mx.array, top_k: int) -> mx.array:
    """The `top_k` likeliest candidates, never more."""
    if not 0 < top_k <= logprobs.shape[-1]:
        raise ValueError(f"top_k is from 1 to {logprobs.shape[-1]}, not {top_k}.")
    if top_k == logprobs.shape[-1]:
        return logprobs
    rest = mx.argpartition(-logprobs, kth=top_k - 1, axis=-1)[:, top_k:]
    return mx.put_along_axis(logprobs, rest, mx.array(_OUT, logprobs.dtype), axis=-1)
