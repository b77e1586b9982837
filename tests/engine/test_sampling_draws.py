"""Which token is drawn follows from the settings, the seed and the step, and from nothing else."""

from __future__ import annotations

import math
from typing import Any

import mlx.core as mx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.protocol import Sampling
from engine.worker.keyed_sampler import KeyedSampler, Sampler, draw_greedily, make_sampler
from engine.worker.sampling import GREEDY, DrawRule, choose_rule
from engine.worker.token_filters import keep_min_p, keep_top_k, keep_top_p

NOTHING = mx.array([], dtype=mx.uint32)
FOUR = mx.log(mx.array([[0.5, 0.3, 0.15, 0.05]]))
WARM = DrawRule(1.0)


def one(sampler: Sampler, logprobs: mx.array) -> int:
    """The token drawn for the first row."""
    return int(np.array(sampler(logprobs))[0])


def drawn(rule: DrawRule, count: int = 60, protected: mx.array = NOTHING) -> set[int]:
    """Which of four tokens come up."""
    sampler = make_sampler(rule, protected, seed=5)
    return {one(sampler, FOUR) for _ in range(count)}


@pytest.mark.parametrize(
    ("wish", "config", "expected"),
    [
        (Sampling(temperature=0.0), {}, {0}),
        (Sampling(temperature=0.0, seed=3, top_p=0.5), {}, {0}),
        (Sampling(temperature=1e-7), {}, {0}),
        (Sampling(temperature=1e-6), {}, {0}),
        (Sampling(), {"do_sample": False, "temperature": 1.0}, {0}),
        (Sampling(temperature=5.0), {"do_sample": False}, {0, 1, 2, 3}),
        (Sampling(temperature=5.0, top_k=1), {}, {0}),
        (Sampling(temperature=5.0, top_k=2), {}, {0, 1}),
        (Sampling(temperature=5.0, top_k=4), {}, {0, 1, 2, 3}),
        (Sampling(temperature=5.0, top_k=1_000_000), {}, {0, 1, 2, 3}),
        (Sampling(temperature=5.0, top_p=0.7), {}, {0, 1}),
        (Sampling(temperature=5.0, top_p=0.0), {"top_p": 0.7}, {0, 1, 2, 3}),
        (Sampling(temperature=5.0, min_p=0.5), {}, {0, 1}),
        (Sampling(temperature=5.0, top_k=3, min_p=0.5), {}, {0, 1}),
        (Sampling(temperature=5.0, top_k=3, top_p=0.4), {}, {0}),
        (Sampling(temperature=5.0), {"top_k": 1}, {0}),
        (Sampling(temperature=5.0, top_k=0), {"top_k": 1}, {0, 1, 2, 3}),
        (Sampling(), {"temperature": 0.0}, {0}),
        (Sampling(top_k=1), {"temperature": "hot"}, {0}),
        (Sampling(temperature=5.0), {"top_p": float("nan"), "min_p": -3}, {0, 1, 2, 3}),
        (Sampling(temperature=5.0), {"top_k": True, "top_p": None}, {0, 1, 2, 3}),
        (Sampling(temperature=5.0, xtc_probability=1.0), {}, {2, 3}),
        (Sampling(temperature=5.0, xtc_probability=1.0, xtc_threshold=0.2), {}, {1, 2, 3}),
        (Sampling(temperature=5.0, xtc_probability=1.0, xtc_threshold=0.5), {}, {0, 1, 2, 3}),
        (Sampling(temperature=5.0, xtc_probability=1.0, top_k=1), {}, {2}),
        (Sampling(temperature=5.0, xtc_probability=0.0), {}, {0, 1, 2, 3}),
        (Sampling(temperature=5.0, xtc_probability=1.0, top_p=0.7), {}, {1}),
    ],
)
def test_wishes_come_before_the_models_own_settings(
    wish: Sampling, config: dict[str, Any], expected: set[int]
) -> None:
    assert drawn(choose_rule(wish, config, vocabulary_size=4)) == expected


def test_xtc_spares_what_is_protected() -> None:
    rule = DrawRule(5.0, xtc_probability=1.0)
    assert drawn(rule, protected=mx.array([0], dtype=mx.uint32)) == {0, 2, 3}


def test_xtc_sometimes_works_and_sometimes_not() -> None:
    sampler = make_sampler(DrawRule(1e-5, xtc_probability=0.5), NOTHING, seed=1)
    tokens = [one(sampler, FOUR) for _ in range(200)]
    assert set(tokens) == {0, 2}
    assert 60 < tokens.count(2) < 140


@pytest.mark.parametrize(
    ("config", "is_kept", "temperature"),
    [
        ({}, False, 0.7),
        ({"temperature": 1.0}, False, 1.0),
        ({"temperature": 1.0}, True, 0.7),
        ({"temperature": 0.3}, True, 0.3),
    ],
)
def test_a_model_kept_from_thinking_is_cooler(
    config: dict[str, Any], is_kept: bool, temperature: float
) -> None:
    rule = choose_rule(Sampling(), config, 4, is_kept_from_thinking=is_kept)
    assert rule.temperature == temperature
    warm = choose_rule(Sampling(temperature=1.5), config, 4, is_kept_from_thinking=is_kept)
    assert warm.temperature == 1.5


def test_rules_that_draw_alike_are_equal() -> None:
    plain = choose_rule(Sampling(temperature=1.0), {}, 4)
    assert plain == choose_rule(Sampling(temperature=1.0, top_p=1.0, top_k=4, seed=9), {}, 4)
    assert choose_rule(Sampling(temperature=3.0, top_k=1), {}, 4) == GREEDY


def noise(rows: int, seed: int, size: int = 300) -> mx.array:
    logits = mx.array(np.random.default_rng(seed).normal(0, 2, (rows, size)).astype(np.float32))
    return logits - mx.logsumexp(logits, axis=-1, keepdims=True)


RULES = [
    WARM,
    DrawRule(0.7, top_p=0.8),
    DrawRule(1.3, min_p=0.02),
    DrawRule(0.9, top_p=0.9, top_k=20),
    DrawRule(1.0, top_p=0.95, min_p=0.01, xtc_probability=0.5, top_k=30),
]


@pytest.mark.parametrize("rule", RULES)
def test_a_draw_depends_only_on_seed_and_step(rule: DrawRule) -> None:
    """Other rows, the global generator and the steps of other samplers change nothing."""
    alone, again = (KeyedSampler(rule, NOTHING, 42) for _ in range(2))
    other = KeyedSampler(rule, NOTHING, 43)
    first, second, third = [], [], []
    for step in range(24):
        logprobs = noise(1, step)
        first.append(one(alone, logprobs))
        mx.random.seed(step)
        other(noise(3, step + 1))
        third.append(one(other, logprobs))
        second.append(one(again, logprobs))
    assert first == second != third


@pytest.mark.parametrize("rule", RULES)
def test_rows_of_one_call_draw_independently(rule: DrawRule) -> None:
    sampler = make_sampler(rule, NOTHING)
    same = mx.repeat(noise(1, 0), 64, axis=0)
    tokens = np.array(sampler(same))
    assert tokens.shape == (64,)
    assert len(set(tokens.tolist())) > 8
    assert not np.array_equal(tokens, np.array(sampler(same)))


def test_two_unseeded_samplers_differ_and_the_global_generator_is_left_alone() -> None:
    mx.random.seed(1)
    expected = mx.random.uniform(shape=(4,)).tolist()
    mx.random.seed(1)
    runs = []
    for _ in range(2):
        sampler = make_sampler(WARM, NOTHING)
        runs.append([one(sampler, noise(1, step)) for step in range(12)])
    assert runs[0] != runs[1]
    assert mx.random.uniform(shape=(4,)).tolist() == expected


@pytest.mark.parametrize("kind", [mx.float32, mx.float16, mx.bfloat16])
def test_frequencies_are_the_probabilities(kind: mx.Dtype) -> None:
    """4,096 independent draws a rule; six standard deviations are 0.05."""
    rows = mx.repeat(FOUR.astype(kind), 4096, axis=0)
    cases = {
        WARM: (0.5, 0.3, 0.15, 0.05),
        DrawRule(0.5): (0.685, 0.247, 0.062, 0.007),
        DrawRule(1.0, top_p=0.9): (0.526, 0.316, 0.158, 0.0),
        DrawRule(1.0, top_p=0.9, top_k=3): (0.526, 0.316, 0.158, 0.0),
        DrawRule(1.0, top_k=2): (0.625, 0.375, 0.0, 0.0),
    }
    for rule, expected in cases.items():
        tokens = np.array(make_sampler(rule, NOTHING, seed=3)(rows))
        found = np.bincount(tokens, minlength=4) / len(tokens)
        assert np.abs(found - np.array(expected)).max() < 0.05, rule


@settings(deadline=None, max_examples=60)
@given(
    seed=st.integers(0, 2**64 - 1),
    temperature=st.one_of(st.floats(1e-6, 10), st.sampled_from([1e-6, 10.0])),
    top_p=st.floats(0, 1),
    min_p=st.floats(0, 1),
    top_k=st.integers(0, 40),
    xtc=st.floats(0, 1),
    row=st.lists(st.floats(-3e4, 3e4, width=32), min_size=1, max_size=32),
)
def test_any_settings_draw_a_token_that_may_be_drawn(
    seed: int,
    temperature: float,
    top_p: float,
    min_p: float,
    top_k: int,
    xtc: float,
    row: list[float],
) -> None:
    logits = mx.array([row])
    logprobs = logits - mx.logsumexp(logits, axis=-1, keepdims=True)
    wish = Sampling(temperature, top_p, top_k, min_p, seed, xtc_probability=xtc)
    rule = choose_rule(wish, {}, len(row))
    token = one(make_sampler(rule, NOTHING, seed), logprobs)
    assert 0 <= token < len(row)
    ranked = sorted(row, reverse=True)
    if not rule.xtc_probability and rule.top_k:
        assert row[token] >= ranked[rule.top_k - 1]
    assert not math.isnan(row[token])


@settings(deadline=None, max_examples=40)
@given(
    seed=st.integers(0, 2**32),
    top_p=st.floats(0.01, 1),
    min_p=st.floats(0, 0.5),
    top_k=st.integers(1, 40),
)
def test_the_short_way_with_top_k_keeps_what_the_long_way_keeps(
    seed: int, top_p: float, min_p: float, top_k: int
) -> None:
    """With a high temperature thousands of draws meet every candidate that is left."""
    logprobs = noise(1, seed, 40)
    rule = choose_rule(Sampling(10.0, top_p, top_k, min_p), {}, 40)
    long = keep_min_p(keep_top_p(logprobs, top_p), min_p) if min_p else keep_top_p(logprobs, top_p)
    expected = np.flatnonzero(np.array(keep_top_k(long, top_k))[0] != -math.inf)
    if rule == GREEDY:
        assert len(expected) == 1
        return
    tokens = make_sampler(rule, NOTHING, seed)(mx.repeat(logprobs, 4096, axis=0))
    assert set(np.array(tokens).tolist()) == set(expected.tolist())


def test_the_coldest_is_greedy_and_takes_the_first_of_equals() -> None:
    tied = mx.log(mx.array([[0.1, 0.45, 0.45]]))
    assert make_sampler(GREEDY, NOTHING, seed=1) is draw_greedily
    assert draw_greedily(tied).tolist() == [1]
