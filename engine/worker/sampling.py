"""How a row's tokens are drawn: the request over the model's generation_config over our own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from engine.protocol import Sampling
from engine.serving.request_bounds import BOUNDS

FALLBACK_TEMPERATURE = 0.7
COOLEST_THOUGHT = 0.7
"""The highest default temperature of a model that may think but is told not to."""
COLDEST = 1e-6
"""Below it a difference that rounding makes decides alone, so the likeliest is taken."""
DEFAULT_XTC_THRESHOLD = 0.1


@dataclass(frozen=True, slots=True)
class DrawRule:
    """Filters in the order they work: top_p, min_p, XTC, top_k; then the temperature.

    The filters look at probabilities before the temperature changes them. 0 switches each off, and
    a temperature of 0 takes the likeliest token.
    """

    temperature: float
    top_p: float = 0.0
    min_p: float = 0.0
    xtc_probability: float = 0.0
    xtc_threshold: float = DEFAULT_XTC_THRESHOLD
    top_k: int = 0


GREEDY = DrawRule(0.0)


def choose_rule(
    wish: Sampling,
    generation_config: Mapping[str, Any],
    vocabulary_size: int,
    is_kept_from_thinking: bool = False,
) -> DrawRule:
    """The rule for a wish within its bounds; rules that draw alike are equal."""
    defaults = _Defaults(generation_config)
    rule = DrawRule(
        temperature=_temperature(wish, defaults, is_kept_from_thinking),
        top_p=_first(wish.top_p, defaults.number("top_p", 0.0)),
        min_p=_first(wish.min_p, defaults.number("min_p", 0.0)),
        xtc_probability=_first(wish.xtc_probability, 0.0),
        xtc_threshold=_first(wish.xtc_threshold, DEFAULT_XTC_THRESHOLD),
        top_k=int(_first(wish.top_k, defaults.number("top_k", 0))),
    )
    return _normalised(rule, vocabulary_size)


def default_penalty(generation_config: Mapping[str, Any]) -> float:
    """The model's own repetition penalty; 1 is none."""
    return _Defaults(generation_config).number("repetition_penalty", 1.0)


def _temperature(wish: Sampling, defaults: _Defaults, is_kept_from_thinking: bool) -> float:
    if wish.temperature is not None:
        return wish.temperature
    if defaults.values.get("do_sample") is False:
        return 0.0
    chosen = defaults.number("temperature", FALLBACK_TEMPERATURE)
    return min(chosen, COOLEST_THOUGHT) if is_kept_from_thinking else chosen


def _normalised(rule: DrawRule, vocabulary_size: int) -> DrawRule:
    has_xtc = rule.xtc_probability > 0 and rule.xtc_threshold < BOUNDS["xtc_threshold"].high
    if rule.temperature < COLDEST or (rule.top_k == 1 and not has_xtc):
        return GREEDY
    return replace(
        rule,
        top_p=rule.top_p if rule.top_p < 1 else 0.0,
        xtc_probability=rule.xtc_probability if has_xtc else 0.0,
        xtc_threshold=rule.xtc_threshold if has_xtc else DEFAULT_XTC_THRESHOLD,
        top_k=rule.top_k if rule.top_k < vocabulary_size else 0,
    )


def _first(wish: float | None, default: float) -> float:
    return default if wish is None else wish


@dataclass(frozen=True, slots=True)
class _Defaults:
    """A model's own file, which may hold anything."""

    values: Mapping[str, Any]

    def number(self, key: str, fallback: float) -> float:
        value = self.values.get(key)
        if isinstance(value, bool) or not isinstance(value, int | float):
            return fallback
        return float(value) if BOUNDS[key].hold(value) else fallback
