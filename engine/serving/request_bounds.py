"""The numbers a request may hold, whatever model answers it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from engine.protocol import Sampling, TokenBias
from engine.serving.backend import Refused

MOST_BIASES = 1024
MOST_STOPS = 64
LONGEST_STOP = 1024
"""Characters: so much of an answer may be held back until it is certain."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """From `low` to `high`, both included."""

    low: float
    high: float

    def hold(self, value: float) -> bool:
        """Whether a value is within; NaN and infinity are not."""
        return math.isfinite(value) and self.low <= value <= self.high


_WINDOW = Bounds(0, 100_000_000)
BOUNDS: Mapping[str, Bounds] = MappingProxyType(
    {
        "temperature": Bounds(0, 10),
        "top_p": Bounds(0, 1),
        "top_k": Bounds(0, 1_000_000),
        "min_p": Bounds(0, 1),
        "seed": Bounds(0, 2**64 - 1),
        "xtc_probability": Bounds(0, 1),
        "xtc_threshold": Bounds(0, 0.5),
        "repetition_penalty": Bounds(0.1, 10),
        "repetition_window": _WINDOW,
        "presence_penalty": Bounds(-10, 10),
        "presence_window": _WINDOW,
        "frequency_penalty": Bounds(-10, 10),
        "frequency_window": _WINDOW,
    }
)
"""By the name of the field of `Sampling`."""
_BIAS = Bounds(-100, 100)


def check_sampling(wish: Sampling) -> None:
    """Refuse a number outside its bounds, in a sentence that names them."""
    for name, bounds in BOUNDS.items():
        value: float | None = getattr(wish, name)
        if value is not None:
            _check(name, value, bounds)
    _check_biases(wish.logit_bias)


def check_stops(stops: Sequence[str]) -> None:
    """Refuse stop strings that could not end an answer sensibly."""
    if len(stops) > MOST_STOPS:
        raise _refused(f"At most {MOST_STOPS} stop strings are possible, not {len(stops):,}.")
    for stop in stops:
        if not stop:
            raise _refused("A stop string must not be empty.")
        if len(stop) > LONGEST_STOP:
            raise _refused(
                f"A stop string has at most {LONGEST_STOP:,} characters, not {len(stop):,}."
            )


def _check_biases(biases: Sequence[TokenBias]) -> None:
    if len(biases) > MOST_BIASES:
        raise _refused(f"logit_bias may name at most {MOST_BIASES:,} tokens, not {len(biases):,}.")
    for each in biases:
        if each.token < 0:
            raise _refused(f"logit_bias names the token {each.token}; tokens are counted from 0.")
        _check(f"The logit_bias of token {each.token}", each.bias, _BIAS)


def _check(name: str, value: float, bounds: Bounds) -> None:
    if not bounds.hold(value):
        range_in_words = f"between {_written(bounds.low)} and {_written(bounds.high)}"
        raise _refused(f"{name} must be {range_in_words}, not {_written(value)}.")


def _written(number: float) -> str:
    return f"{number:,}" if isinstance(number, int) else f"{number:g}"


def _refused(message: str) -> Refused:
    return Refused("bad-request", message)
