"""What every backend refuses in a request, whatever model it runs."""

from __future__ import annotations

import math

from engine.protocol import Generate
from engine.serving.backend import Refused

HOTTEST = 10.0
MOST_CANDIDATES = 1_000_000
MOST_SEED = 2**64 - 1
LONGEST_ANSWER = 4096
"""Tokens, for a model that does not say how long its context window is."""


def check_request(command: Generate) -> None:
    """Refuse a request without messages or with numbers outside their bounds."""
    if not command.messages:
        raise Refused("bad-request", "There is no message to answer.")
    if command.max_tokens is not None and command.max_tokens < 1:
        raise Refused("bad-request", f"max_tokens must be at least 1, not {command.max_tokens}.")
    wish = command.sampling
    check_number("temperature", wish.temperature, HOTTEST)
    check_number("top_p", wish.top_p, 1)
    check_number("min_p", wish.min_p, 1)
    check_number("top_k", wish.top_k, MOST_CANDIDATES)
    check_number("seed", wish.seed, MOST_SEED)


def check_number(name: str, value: float | None, high: float) -> None:
    """Refuse what is not a number from 0 to `high`."""
    if value is None or (math.isfinite(value) and 0 <= value <= high):
        return
    raise Refused("bad-request", f"{name} must be between 0 and {high:g}, not {value:g}.")


def room_for_answer(prompt_tokens: int, wish: int | None, window: int) -> int:
    """How many tokens the answer may take. Raises Refused when there is room for none.

    `window` 0 means unknown.
    """
    if window <= 0:
        return wish if wish is not None else LONGEST_ANSWER
    if prompt_tokens >= window:
        raise Refused(
            "no-room",
            f"The conversation takes {prompt_tokens:,} tokens and the model's context window "
            f"holds {window:,}: start a new chat or shorten the last message.",
        )
    room = window - prompt_tokens
    return room if wish is None else min(wish, room)
