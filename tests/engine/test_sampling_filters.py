"""What leaves candidates out leaves out what it says, and never all of them."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial

import mlx.core as mx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.worker.token_filters import (
    exclude_top_choices,
    keep_min_p,
    keep_top_k,
    keep_top_p,
)

Filter = Callable[[mx.array], mx.array]
HALVES = (0.5, 0.25, 0.125, 0.0625, 0.0625)
FALLING = (0.5, 0.3, 0.15, 0.05)


def logarithms(probabilities: Sequence[float]) -> mx.array:
    return mx.log(mx.array([probabilities]))


def kept(keep: Filter, probabilities: Sequence[float]) -> list[int]:
    """Which candidates stay; those must not have changed."""
    before = logarithms(probabilities)
    after = keep(before)
    stay = np.array(after)[0] != -math.inf
    assert np.array_equal(np.array(after)[0][stay], np.array(before)[0][stay])
    return [int(index) for index in np.flatnonzero(stay)]


@pytest.mark.parametrize(
    ("keep", "probabilities", "expected"),
    [
        (partial(keep_min_p, min_p=0.2), HALVES, [0, 1, 2]),
        (partial(keep_min_p, min_p=0.9), HALVES, [0]),
        (partial(keep_min_p, min_p=0.9, least=2), HALVES, [0, 1]),
        (partial(keep_min_p, min_p=0.9, least=9), HALVES, [0, 1, 2, 3, 4]),
        (partial(keep_min_p, min_p=1.0), HALVES, [0]),
        (partial(keep_min_p, min_p=1e-300), HALVES, [0, 1, 2, 3, 4]),
        (partial(exclude_top_choices, threshold=0.2), FALLING, [1, 2, 3]),
        (partial(exclude_top_choices, threshold=0.1), FALLING, [2, 3]),
        (partial(exclude_top_choices, threshold=0.1, protected=mx.array([0])), FALLING, [0, 2, 3]),
        (partial(exclude_top_choices, threshold=0.0), FALLING, [3]),
        (partial(exclude_top_choices, threshold=0.5), FALLING, [0, 1, 2, 3]),
        (partial(keep_top_p, top_p=0.4), FALLING, [0]),
        (partial(keep_top_p, top_p=0.6), FALLING, [0, 1]),
        (partial(keep_top_p, top_p=0.9), FALLING, [0, 1, 2]),
        (partial(keep_top_p, top_p=1e-300), FALLING, [0]),
        (partial(keep_top_p, top_p=1e-30), FALLING, [0]),
        (partial(keep_top_p, top_p=0.4), (0.25, 0.25, 0.25, 0.25), [0, 1, 2, 3]),
        (partial(keep_top_k, top_k=1), FALLING, [0]),
        (partial(keep_top_k, top_k=3), FALLING, [0, 1, 2]),
        (partial(keep_top_k, top_k=4), FALLING, [0, 1, 2, 3]),
    ],
)
def test_filters_keep_what_they_say(
    keep: Filter, probabilities: Sequence[float], expected: list[int]
) -> None:
    assert kept(keep, probabilities) == expected


@pytest.mark.parametrize(
    "keep",
    [
        partial(keep_min_p, min_p=1.5),
        partial(keep_min_p, min_p=0.0),
        partial(keep_min_p, min_p=math.nan),
        partial(keep_min_p, min_p=0.5, least=0),
        partial(exclude_top_choices, threshold=0.6),
        partial(exclude_top_choices, threshold=-0.1),
        partial(exclude_top_choices, threshold=math.nan),
        partial(keep_top_p, top_p=0.0),
        partial(keep_top_p, top_p=1.1),
        partial(keep_top_p, top_p=math.inf),
        partial(keep_top_k, top_k=0),
        partial(keep_top_k, top_k=5),
    ],
)
def test_wrong_numbers_raise(keep: Filter) -> None:
    with pytest.raises(ValueError, match=r"not (-?[\d.]+|nan|inf)\.$"):
        keep(logarithms(FALLING))


SHARES = st.floats(0, 1, exclude_min=True)
ROWS = st.lists(st.one_of(st.floats(-80, 80, width=32), st.just(0.0)), min_size=2, max_size=24)


@settings(deadline=None, max_examples=60)
@given(row=ROWS, share=SHARES, threshold=st.floats(0, 0.5), count=st.integers(1, 24))
def test_whatever_the_numbers_the_survivors_are_unchanged_and_not_none(
    row: list[float], share: float, threshold: float, count: int
) -> None:
    logits = mx.array([row])
    before = logits - mx.logsumexp(logits, axis=-1, keepdims=True)
    values = np.array(before)[0]
    keeps = {
        "top_p": partial(keep_top_p, top_p=share),
        "min_p": partial(keep_min_p, min_p=share),
        "xtc": partial(exclude_top_choices, threshold=threshold),
        "top_k": partial(keep_top_k, top_k=min(count, len(row))),
    }
    for name, keep in keeps.items():
        after = np.array(keep(before))[0]
        stay = after != -math.inf
        assert stay.any(), name
        assert np.array_equal(after[stay], values[stay]), name
        assert stay[values.argmax()] or name == "xtc"
    assert (np.array(keeps["top_k"](before))[0] != -math.inf).sum() == min(count, len(row))
    # A filter once more changes nothing: what was left out stays out.
    twice = keep_top_p(keep_min_p(before, share), share)
    assert (np.array(twice)[0] != -math.inf).any()
