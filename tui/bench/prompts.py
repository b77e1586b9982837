"""Prompts that no cache has seen and that no model answers shortly."""

from __future__ import annotations

import random

from engine.client import EngineClient

_WORDS = (
    "harbour", "lantern", "orchard", "violin", "glacier", "compass", "market", "thunder",
    "library", "copper", "meadow", "engine", "sparrow", "canvas", "winter", "bridge",
    "garden", "marble", "island", "letter", "kitchen", "desert", "mirror", "candle",
    "forest", "railway", "pepper", "silver", "castle", "saddle", "velvet", "anchor",
)  # fmt: skip


def rambling_prompt() -> str:
    """A request for a long text about things drawn by chance."""
    subjects = ", a ".join(random.sample(_WORDS, 4))
    return (
        f"Tell a very long story, at least two thousand words, about a {subjects} and the people "
        "who own them. Describe every scene in full detail."
    )


def long_prompt(words: int) -> str:
    """A prompt of at least as many tokens as `words`, different from its first words on."""
    drawn = " ".join(random.choices(_WORDS, k=words))
    return f"{drawn}\nTell a very long story in which all of these things appear."


async def prompt_of(engine: EngineClient, tokens: int) -> str:
    """A prompt whose text has exactly or nearly so many tokens. Raises EngineError."""
    words = random.choices(_WORDS, k=tokens)

    def with_words(count: int) -> str:
        # At the end: after hundreds of words a small model has forgotten what was asked first.
        return " ".join([*words[:count], "Tell a very long story of it all."])

    low, high = 0, tokens
    while low < high:
        middle = (low + high + 1) // 2
        (count,) = await engine.count_tokens([with_words(middle)])
        low, high = (middle, high) if count <= tokens else (low, middle - 1)
    return with_words(low)
