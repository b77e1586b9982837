"""What every backend refuses in a request, whatever model it runs."""

from __future__ import annotations

import psutil

from engine.protocol import Generate
from engine.serving.backend import Refused
from engine.serving.grammar_bounds import check_grammar
from engine.serving.request_bounds import check_sampling, check_stops

SMALL_MACHINE_BYTES = 15 * 1024**3
"""Below what a machine sold with 16 GiB shows: there a model that waits is in the way."""
PATIENCE_SECONDS = 15 * 60.0
LONGEST_ANSWER = 4096
"""Tokens, for a model that does not say how long its context window is."""


def check_request(command: Generate) -> None:
    """Refuse a request without messages, or with anything in it outside its bounds."""
    if not command.messages:
        raise Refused("bad-request", "There is no message to answer.")
    if command.max_tokens is not None and command.max_tokens < 1:
        raise Refused("bad-request", f"max_tokens must be at least 1, not {command.max_tokens}.")
    check_sampling(command.sampling)
    check_stops(command.stop)
    check_grammar(command)


def room_for_answer(prompt_tokens: int, wish: int | None, limit: int, window: int) -> int:
    """How many tokens the answer may take. Raises Refused when there is room for none.

    `limit` is what a conversation is granted, `window` what the model was made for; 0 means
    unknown.
    """
    if limit <= 0:
        return wish if wish is not None else LONGEST_ANSWER
    if prompt_tokens >= limit:
        bound = (
            f"the memory or your settings allow {limit:,} of the model's {window:,}"
            if limit < window
            else f"the model's context window holds {limit:,}"
        )
        raise Refused(
            "no-room",
            f"The conversation takes {prompt_tokens:,} tokens and {bound}: start a new chat, "
            "shorten the last message or choose a model with more room.",
        )
    room = limit - prompt_tokens
    return room if wish is None else min(wish, room)


def idle_seconds(setting: float | None) -> float | None:
    """How long a model may wait for work; None for ever. A setting of 0 means for ever."""
    if setting is None:
        is_small = psutil.virtual_memory().total < SMALL_MACHINE_BYTES
        return PATIENCE_SECONDS if is_small else None
    return setting or None
