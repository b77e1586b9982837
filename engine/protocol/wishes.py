"""How an answer is to be: its form, and how its tokens are drawn."""

from __future__ import annotations

import msgspec


class JsonSchema(msgspec.Struct, frozen=True, tag=True):
    """The answer is JSON of this schema; empty means any JSON object."""

    schema: str = ""


class Pattern(msgspec.Struct, frozen=True, tag=True):
    """The answer matches this regular expression whole."""

    regex: str


class Choice(msgspec.Struct, frozen=True, tag=True):
    """The answer is one of these texts."""

    options: tuple[str, ...]


Grammar = JsonSchema | Pattern | Choice


class TokenBias(msgspec.Struct, frozen=True):
    """Added to one token's logit before anything else."""

    token: int
    bias: float


class Sampling(msgspec.Struct, frozen=True):
    """How the next token is drawn. None means the model's own default.

    Filters work in the order top_p, min_p, XTC, top_k, then the temperature; 0 switches one off,
    and a temperature of 0 takes the likeliest token. A penalty looks back on a
    window of tokens, the prompt included: 0 means all, None means 20. A draw follows from seed and
    step alone.
    """

    temperature: float | None = None
    top_p: float | None = None
    top_k: int | None = None
    min_p: float | None = None
    seed: int | None = None
    xtc_probability: float | None = None
    xtc_threshold: float | None = None
    repetition_penalty: float | None = None
    repetition_window: int | None = None
    presence_penalty: float | None = None
    presence_window: int | None = None
    frequency_penalty: float | None = None
    frequency_window: int | None = None
    logit_bias: tuple[TokenBias, ...] = ()
