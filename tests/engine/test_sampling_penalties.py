"""Penalties count what stands in their window, and numbers outside their bounds are refused."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import Any

import mlx.core as mx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import structs

from engine.protocol import Generate, Message, Sampling, TokenBias
from engine.serving.backend import Refused
from engine.serving.checks import check_request
from engine.worker.penalties import choose_penalties, make_processors

SIZE = 9
HISTORY = (5, 5, 5, 7)


def processed(
    wish: Sampling, tokens: Sequence[int], logits: Sequence[float], config: Any = None
) -> list[float]:
    """The logits of a row with this history, its first token seen alone and then step by step."""
    processors = make_processors(choose_penalties(wish, config or {}), len(logits))
    if not processors:
        return list(logits)
    (processor,) = processors
    after = mx.array([list(logits)])
    for count in range(1, len(tokens) + 1):
        after = processor(mx.array(list(tokens[:count])), mx.array([list(logits)]))
    return [float(value) for value in np.array(after)[0]]


def flat(**values: float) -> list[float]:
    """Zero logits but for token 5, which has 4, and token 7, which has 2."""
    logits = [0.0] * SIZE
    logits[5], logits[7] = values.get("five", 4.0), values.get("seven", 2.0)
    return logits


@pytest.mark.parametrize(
    ("wish", "five", "seven"),
    [
        (Sampling(presence_penalty=1.5), 4 - 1.5, 2 - 1.5),
        (Sampling(frequency_penalty=1.5), 4 - 4.5, 2 - 1.5),
        (Sampling(frequency_penalty=1.0, frequency_window=2), 4 - 1, 2 - 1),
        (Sampling(presence_penalty=1.0, presence_window=2), 4 - 1, 2 - 1),
        (Sampling(presence_penalty=-2.0), 6.0, 4.0),
        (Sampling(presence_penalty=1.0, presence_window=1), 4.0, 1.0),
        (Sampling(presence_penalty=1.0, presence_window=0), 3.0, 1.0),
        (Sampling(frequency_penalty=1.0, frequency_window=0), 1.0, 1.0),
        (Sampling(repetition_penalty=2.0), 2.0, 1.0),
        (Sampling(repetition_penalty=0.5), 8.0, 4.0),
        (Sampling(repetition_penalty=2.0, repetition_window=1), 4.0, 1.0),
        (Sampling(repetition_penalty=2.0, presence_penalty=1.0, frequency_penalty=1.0), -2.0, -1.0),
        (Sampling(logit_bias=(TokenBias(5, -4.0),), repetition_penalty=2.0), 0.0, 1.0),
        (Sampling(logit_bias=(TokenBias(7, 10.0),)), 4.0, 12.0),
        (Sampling(logit_bias=(TokenBias(7, 1.0), TokenBias(7, 2.0))), 4.0, 5.0),
    ],
)
def test_penalties_change_what_was_said(wish: Sampling, five: float, seven: float) -> None:
    assert processed(wish, HISTORY, flat()) == flat(five=five, seven=seven)


def test_a_negative_logit_is_multiplied() -> None:
    assert processed(Sampling(repetition_penalty=1.5), [5], flat(five=-4.0))[5] == -6.0


def test_a_bias_moves_the_likeliest() -> None:
    biased = processed(Sampling(logit_bias=(TokenBias(3, 10.0),)), [0], flat())
    assert int(np.argmax(biased)) == 3


@pytest.mark.parametrize(
    "wish",
    [
        Sampling(),
        Sampling(repetition_penalty=1.0, presence_penalty=0.0, frequency_penalty=0.0),
        Sampling(repetition_window=5, presence_window=0),
        Sampling(logit_bias=(TokenBias(3, 0.0),)),
    ],
)
def test_nothing_asked_for_is_no_processor(wish: Sampling) -> None:
    assert make_processors(choose_penalties(wish, {}), SIZE) == ()


@pytest.mark.parametrize(
    ("asked", "own", "expected"),
    [(None, 1.25, 3.2), (1.0, 1.25, 4.0), (2.0, 1.25, 2.0), (None, math.nan, 4.0), (None, 0, 4.0)],
)
def test_a_model_may_ask_for_a_penalty_itself(
    asked: float | None, own: float, expected: float
) -> None:
    wish, config = Sampling(repetition_penalty=asked), {"repetition_penalty": own}
    assert processed(wish, [5], flat(), config)[5] == pytest.approx(expected)


def test_a_token_the_model_does_not_have_is_refused() -> None:
    with pytest.raises(Refused, match=r"token 9, but the model's tokens are 0 to 8"):
        make_processors(choose_penalties(Sampling(logit_bias=(TokenBias(9, 1.0),)), {}), 9)


@pytest.mark.parametrize("kind", [mx.float16, mx.bfloat16, mx.float32])
def test_the_kind_of_number_stays(kind: mx.Dtype) -> None:
    (processor,) = make_processors(choose_penalties(Sampling(presence_penalty=1.0), {}), SIZE)
    logits = mx.array([flat()]).astype(kind)
    assert processor(mx.array(HISTORY), logits).dtype == kind
    assert logits.tolist() == [flat()]


def test_a_history_that_was_taken_back_is_counted_anew() -> None:
    wish = Sampling(frequency_penalty=1.0, frequency_window=0)
    (processor,) = make_processors(choose_penalties(wish, {}), SIZE)
    logits = mx.array([[0.0] * SIZE])
    for tokens in ([1, 2, 3], [1, 2, 3, 4, 4], [1, 2], [1, 2, 5]):
        counted = Counter(tokens)
        expected = [-float(counted[token]) for token in range(SIZE)]
        assert processor(mx.array(tokens), logits).tolist() == [expected]


def naive(wish: Sampling, tokens: Sequence[int], logits: Sequence[float]) -> list[float]:
    """The same in plain Python: bias, repetition, presence, frequency."""
    result = list(logits)
    for each in wish.logit_bias:
        result[each.token] += each.bias
    windows = [
        Counter(tokens if window == 0 else tokens[-(20 if window is None else window) :])
        for window in (wish.repetition_window, wish.presence_window, wish.frequency_window)
    ]
    for token in range(len(result)):
        repetition = wish.repetition_penalty or 1.0
        if windows[0][token]:
            result[token] *= repetition if result[token] < 0 else 1 / repetition
        result[token] -= (wish.presence_penalty or 0.0) * (windows[1][token] > 0)
        result[token] -= (wish.frequency_penalty or 0.0) * windows[2][token]
    return result


STRENGTH = st.one_of(st.none(), st.floats(-10, 10, width=16))
WINDOW = st.one_of(st.none(), st.integers(0, 30))


@settings(deadline=None, max_examples=60)
@given(
    wish=st.builds(
        Sampling,
        repetition_penalty=st.one_of(st.none(), st.floats(0.125, 10, width=16)),
        repetition_window=WINDOW,
        presence_penalty=STRENGTH,
        presence_window=WINDOW,
        frequency_penalty=STRENGTH,
        frequency_window=WINDOW,
        logit_bias=st.lists(
            st.builds(TokenBias, st.integers(0, SIZE - 1), st.floats(-9, 9, width=16)), max_size=4
        ).map(tuple),
    ),
    tokens=st.lists(st.integers(0, SIZE - 1), min_size=1, max_size=40),
    logits=st.lists(st.floats(-50, 50, width=16), min_size=SIZE, max_size=SIZE),
)
def test_penalties_are_what_plain_python_makes_of_them(
    wish: Sampling, tokens: list[int], logits: list[float]
) -> None:
    found = processed(wish, tokens, logits)
    assert np.allclose(found, naive(wish, tokens, logits), rtol=1e-4, atol=1e-3)


OUTSIDE: dict[str, tuple[float, ...]] = {
    "temperature": (-0.1, 10.1),
    "top_p": (-0.1, 1.1),
    "top_k": (-1, 1_000_001),
    "min_p": (-0.1, 1.1),
    "seed": (-1,),
    "xtc_probability": (-0.1, 1.1),
    "xtc_threshold": (-0.1, 0.6),
    "repetition_penalty": (0, -1, 11),
    "repetition_window": (-1,),
    "presence_penalty": (-11, 11),
    "presence_window": (-1,),
    "frequency_penalty": (-11, 11),
    "frequency_window": (-1,),
}


@pytest.mark.parametrize(
    ("name", "value"),
    [
        (name, value)
        for name, values in OUTSIDE.items()
        for value in (*values, math.nan, math.inf, -math.inf)
    ],
)
def test_numbers_outside_their_bounds_are_refused_with_the_range(name: str, value: float) -> None:
    wish = structs.replace(Sampling(), **{name: value})
    with pytest.raises(Refused, match=rf"^{name} must be between \S+ and \S+, not .+\.$") as caught:
        check_request(Generate(1, (Message("user", "Hi"),), sampling=wish))
    assert caught.value.kind == "bad-request"


def test_every_number_of_sampling_is_checked() -> None:
    assert {*OUTSIDE, "logit_bias"} == set(Sampling.__struct_fields__)


@pytest.mark.parametrize(
    ("bias", "words"),
    [
        ((TokenBias(-1, 1.0),), "the token -1"),
        ((TokenBias(1, 101.0),), "of token 1 must be between -100 and 100, not 101"),
        ((TokenBias(1, math.nan),), "not nan"),
        ((TokenBias(1, 1.0),) * 1025, "at most 1,024 tokens, not 1,025"),
    ],
)
def test_a_wrong_bias_is_refused(bias: tuple[TokenBias, ...], words: str) -> None:
    with pytest.raises(Refused, match=words):
        check_request(Generate(1, (Message("user", "Hi"),), sampling=Sampling(logit_bias=bias)))


@pytest.mark.parametrize(
    ("stop", "words"),
    [
        (("",), "must not be empty"),
        (("a", ""), "must not be empty"),
        (("x" * 1025,), "at most 1,024 characters, not 1,025"),
        (("x",) * 65, "At most 64 stop strings are possible, not 65"),
    ],
)
def test_wrong_stop_strings_are_refused(stop: tuple[str, ...], words: str) -> None:
    with pytest.raises(Refused, match=words):
        check_request(Generate(1, (Message("user", "Hi"),), stop=stop))


def test_everything_at_its_bounds_passes() -> None:
    low = Sampling(0.0, 0.0, 0, 0.0, 0, 0.0, 0.0, 0.1, 0, -10.0, 0, -10.0, 0)
    high = Sampling(10.0, 1.0, 1_000_000, 1.0, 2**64 - 1, 1.0, 0.5, 10.0, 9, 10.0, 9, 10.0, 9)
    for wish in (low, high):
        check_request(Generate(1, (Message("user", ""),), sampling=wish, stop=("x" * 1024,) * 64))
