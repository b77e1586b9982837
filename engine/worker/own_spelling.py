"""Lets a conversation come back in the tokens it was held in.

A model writes an answer in tokens of its choice; encoded again, the same text may become others,
and everything behind them in a kept cache would be lost. Where both spellings mean the same text,
the one that was spoken is put back.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from engine.worker.cache_entry import token_array
from engine.worker.prompt_index import common_prefix

_MOST_SPOKEN = 8
"""Former spellings that are tried on a prompt."""


@dataclass(frozen=True, slots=True)
class Spelling:
    """`decode` gives the text of token ids, control tokens included.

    `controls` are the tokens that no text becomes. What is between two of them is compared, so that
    a prompt has the same ones in the same order in every spelling.
    """

    decode: Callable[[Sequence[int]], str]
    controls: frozenset[int]


def spelling_of(tokenizer: Any, controls: frozenset[int]) -> Spelling:
    """How a tokenizer spells; `tokenizer` is mlx-lm's wrapper."""
    decode = tokenizer._tokenizer.decode
    return Spelling(
        lambda ids: str(decode(ids, skip_special_tokens=False, clean_up_tokenization_spaces=False)),
        controls,
    )


def respell(
    prompt: Sequence[int], spoken: Iterable[Sequence[int]], spelling: Spelling
) -> list[int]:
    """The prompt, the same text, in the spelling that shares most with what was once spoken."""
    encoded = token_array(prompt)
    best, most = encoded, 0
    for _, former in zip(range(_MOST_SPOKEN), spoken, strict=False):
        tokens = token_array(former)
        spelled = _respelled(encoded, tokens, spelling)
        if (shared := common_prefix(spelled, tokens)) > most:
            best, most = spelled, shared
    return best.tolist()


def respell_by_likeness(
    prompt: Sequence[int],
    nearest: Callable[[Sequence[int]], Sequence[int] | None],
    spelling: Spelling,
) -> list[int]:
    """The prompt in the spelling of what begins most like it, whosever that is.

    Each answer put back may bring the prompt nearer to something else.
    """
    spelled = list(prompt)
    for _ in range(_MOST_SPOKEN):
        spoken = nearest(spelled)
        closer = respell(spelled, [] if spoken is None else [spoken], spelling)
        if closer == spelled:
            break
        spelled = closer
    return spelled


def _respelled(prompt: array[int], spoken: array[int], spelling: Spelling) -> array[int]:
    while True:
        place = common_prefix(prompt, spoken)
        if place in (len(prompt), len(spoken)):
            return prompt
        start = place
        while start and prompt[start - 1] not in spelling.controls:
            start -= 1
        end, spoken_end = (_next_control(tokens, place, spelling) for tokens in (prompt, spoken))
        if place == end == spoken_end:
            return prompt
        is_cut_off = spoken_end == len(spoken)
        end = _same_text(prompt[:end], spoken[:spoken_end], max(start - 1, 0), spelling, is_cut_off)
        if not end:
            return prompt
        prompt = spoken[:spoken_end] + prompt[end:]


def _next_control(tokens: array[int], place: int, spelling: Spelling) -> int:
    while place < len(tokens) and tokens[place] not in spelling.controls:
        place += 1
    return place


def _same_text(
    prompt: array[int], spoken: array[int], start: int, spelling: Spelling, may_go_on: bool
) -> int:
    """How many prompt tokens say what all spoken ones say, both from `start` on; 0 for none.

    With `may_go_on` the prompt may say more after that.
    """
    said, says = (spelling.decode(tokens[start:].tolist()) for tokens in (spoken, prompt))
    if said == says:
        return len(prompt)
    if not may_go_on or not says.startswith(said):
        return 0

    def length(end: int) -> int:
        return len(spelling.decode(prompt[start:end].tolist()))

    end = bisect_left(range(len(prompt)), len(said), lo=start, key=length)
    return end if spelling.decode(prompt[start:end].tolist()) == said else 0
