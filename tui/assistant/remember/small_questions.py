"""Questions that the smallest model can be asked, and whether its answer is to be trusted."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from engine.errors import EngineError
from engine.protocol import NO_REQUEST, Choice, Generate, Message, Sampling
from tui.assistant.auto_title import clean_title
from tui.assistant.remember.telling import is_telling
from tui.assistant.side_question import RunningEngine, said_by

_SECONDS = 20.0
_MOST_READ = 600
_MOST_WORDS = 4
_NONE = "0"
_YES, _NO = "yes", "no"
_GREEDY = Sampling(temperature=0.0)


async def choose(engine: RunningEngine, text: str, options: Sequence[str]) -> int | None:
    """Which option a text is about; None when the model says none, or says it by chance.

    It is asked twice, the options the other way round: whoever guesses by place is found out.
    """
    if not options:
        return None
    first = await _choose(engine, text, options)
    if first is None:
        return None
    second = await _choose(engine, text, options[::-1])
    return first if second is not None and len(options) - 1 - second == first else None


async def name_of(engine: RunningEngine, text: str) -> str:
    """What a text is about in a few words that are in it; empty when the model does not say."""
    asked = (
        f"Text: {text[:_MOST_READ]}\n\nName the thing that this text is about, in one to"
        f" {_MOST_WORDS} words of the text. Answer with the name alone."
    )
    title = clean_title(await _said(engine, asked, None, 16))
    words = title.split()
    if not words or len(words) > _MOST_WORDS or title.casefold() not in text.casefold():
        return ""
    return title[:1].upper() + title[1:] if is_telling(words) else ""


async def is_lasting(engine: RunningEngine, text: str) -> bool | None:
    """Whether a sentence of the user's states something to keep; None when nobody says."""
    asked = (
        f"Somebody wrote: {text[:_MOST_READ]}\n\nDoes it state a lasting fact, plan, choice or"
        " preference of theirs? Answer yes or no."
    )
    said = (await _said(engine, asked, (_YES, _NO), 4)).strip().casefold()
    return {_YES: True, _NO: False}.get(said)


async def _choose(engine: RunningEngine, text: str, options: Sequence[str]) -> int | None:
    listed = "\n".join(f"{number}: {option}" for number, option in enumerate(options, 1))
    asked = (
        f"Notes:\n{listed}\n{_NONE}: none of these\n\nText: {text[:_MOST_READ]}\n\n"
        "Which note is the text about? Answer with its number."
    )
    numbers = tuple(str(number) for number in range(len(options) + 1))
    said = (await _said(engine, asked, numbers, 4)).strip()
    return int(said) - 1 if said in numbers and said != _NONE else None


async def _said(
    engine: RunningEngine, asked: str, options: tuple[str, ...] | None, most_tokens: int
) -> str:
    """What the model answers; nothing when it cannot, or takes too long."""
    request = Generate(
        NO_REQUEST,
        (Message("user", asked),),
        sampling=_GREEDY,
        max_tokens=most_tokens,
        thinking=False,
        lane="background",
        grammar=Choice(options) if options else None,
        is_temporary=True,
    )
    try:
        async with asyncio.timeout(_SECONDS):
            return await said_by(engine, request)
    except (EngineError, TimeoutError):
        # Without a model the user's words are proposed as they are.
        return ""
