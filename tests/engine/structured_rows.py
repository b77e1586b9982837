"""Asks a driver for answers of a form, and walks through a form without a model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import mlx.core as mx
import numpy as np
from numpy.typing import NDArray

from engine.protocol import Generate, Grammar, Message, Sampling, Span, TextDelta
from engine.worker.constraint import Constraint
from engine.worker.structured import Structured
from tests.engine.lane_driver import Driver

LIVELY = Sampling(temperature=1.0)
Logits = NDArray[np.float32]


def structured_of(driver: Driver) -> Structured:
    """What makes constraints for the driver's model."""
    return driver.answering.structured


def submit(
    driver: Driver,
    grammar: Grammar | None,
    sampling: Sampling = LIVELY,
    max_tokens: int = 300,
    text: str = "Which lens?",
    **wishes: Any,
) -> int:
    """Submit a question whose answer has a form; returns its id. Raises Refused."""
    id = next(driver._ids)
    messages = (Message("user", text),)
    driver.submit(
        Generate(id, messages, sampling=sampling, max_tokens=max_tokens, grammar=grammar, **wishes)
    )
    return id


def said(driver: Driver, id: int, span: Span = "answer") -> str:
    """What a row has said in one span."""
    return "".join(
        event.text
        for event in driver.said[id]
        if isinstance(event, TextDelta) and event.span == span
    )


@dataclass
class Walk:
    """A constraint driven by logits from anywhere, as a lane drives it."""

    constraint: Constraint
    size: int
    ends: frozenset[int]

    @classmethod
    def through(cls, driver: Driver, grammar: Grammar, prompt: str = "x", **wishes: Any) -> Walk:
        """Through a grammar, on a driver's tokenizer."""
        tokens = driver.loaded.tokenizer.encode(prompt)
        command = Generate(1, (Message("user", prompt),), grammar=grammar, **wishes)
        constraint = structured_of(driver).constraint(command, tokens)
        assert constraint is not None
        size = driver.loaded.trial.vocabulary_size
        return cls(constraint, size, frozenset(driver.loaded.tokenizer.eos_token_ids))

    def allowed(self, said: Sequence[int], logits: Logits | None = None) -> Logits:
        """The logits that are left after so many tokens, of which the last one is new."""
        given = np.zeros(self.size, np.float32) if logits is None else logits
        masked: Any = self.constraint(mx.array([0, *said]), mx.array(given[None]))
        left: Logits = np.array(masked[0])
        return left

    def run(self, random: np.random.Generator, most: int = 400) -> tuple[list[int], bool]:
        """Take the likeliest of random logits until the end; whether there was one."""
        said: list[int] = []
        while len(said) < most:
            logits = random.normal(0, 8, self.size).astype(np.float32)
            token = int(np.argmax(self.allowed(said, logits)))
            if said and self.constraint.is_satisfied_by(len(said)):
                return said, True
            if token in self.ends:
                return said, True
            said.append(token)
        return said, False
