"""Holds one row's answer to a form, as a logits processor.

The next step's pass over the weights is begun before the token it starts from is waited for, so
that the mask is made while the model computes.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import mlx.core as mx
import numpy as np
from llguidance import LLMatcher
from numpy.typing import NDArray

from engine.serving.backend import Refused
from engine.worker.grammar_fault import reason_of
from engine.worker.thinking_gate import ThinkingGate

FREE_SECONDS = 0.02
"""Of a mask: what a scheduler may take from us. Beyond it a mask is slow by itself."""
PATIENCE_SECONDS = 5.0
"""Slow masks together may take so long: they hold up every other row."""

_LARGE_BYTES = 1 << 16

# mlx carries few types.
_begin: Any = mx.async_eval
Flags = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """What every row of a model shares; one flag a logit.

    `ends` are the tokens an answer ends with, `markers` those that tags are made of: they would
    divide the answer.
    """

    size: int
    ends: Flags
    markers: Flags


class Constraint:
    """Lets through only tokens that the form allows, once the thinking is over.

    `seconds` is what it took so far, waiting for tokens left out.
    """

    def __init__(
        self,
        matcher: LLMatcher,
        gate: ThinkingGate,
        vocabulary: Vocabulary,
        explain: Callable[[str], str],
    ) -> None:
        self._matcher = matcher
        self._gate = gate
        self._vocabulary = vocabulary
        self._explain = explain
        self._has_begun = False
        self._taken = 0
        self._ends_at: int | None = None
        self._promised: tuple[mx.array, int] | None = None
        self._slow_seconds = 0.0
        self._impossible: mx.array | None = None
        self.seconds = 0.0

    def promise(self, inputs: mx.array, index: int) -> None:
        """The next call's last token will be `inputs[index]`, which is being computed already."""
        self._promised = (inputs, index)

    def is_satisfied_by(self, tokens: int) -> bool:
        """Whether the first so many tokens of the answer are whole and nothing may follow them."""
        return self._ends_at is not None and tokens >= self._ends_at

    def __call__(self, tokens: mx.array, logits: mx.array) -> mx.array:
        """Mask one row's logits. Raises Refused when the form cannot be followed any further."""
        token = self._wait(tokens, logits)
        # The C library tidies up behind MLX's last graph at the next large allocation: work that
        # building the next graph is spared, and no mask's.
        bytearray(_LARGE_BYTES)
        began = time.perf_counter()
        if token is not None:
            self._take(token)
        allowed = self._allowed()
        self._refuse_slowness(time.perf_counter() - began)
        masked = mx.where(mx.array(allowed[None]), logits, self._nothing(logits))
        self.seconds += time.perf_counter() - began
        return masked

    def _wait(self, tokens: mx.array, logits: mx.array) -> int | None:
        """The token the answer has got since the last call; None before its first one."""
        promised, self._promised = self._promised, None
        if not self._has_begun:
            self._has_begun = True
            _begin(logits)
            return None
        if promised is not None:
            _begin(logits)
        return _value(promised, tokens)

    def _take(self, token: int) -> None:
        self._taken += 1
        was_in_form = self._gate.state in ("form", "undecided")
        self._gate.take(token)
        if not was_in_form or self._gate.state != "form" or self._ends_at is not None:
            return
        if not self._matcher.consume_token(token):
            raise self._refused()
        if self._matcher.is_stopped():
            self._ends_at = self._taken

    def _allowed(self) -> Flags:
        match self._gate.state:
            case "thinking":
                return ~self._vocabulary.ends
            case "opening":
                allowed = np.zeros(self._vocabulary.size, np.bool_)
            case "undecided" | "form":
                allowed = self._allowed_by_form()
        allowed[self._gate.openers] = True
        return allowed

    def _allowed_by_form(self) -> Flags:
        words = np.frombuffer(self._matcher.compute_bitmask(), np.uint8)
        bits = np.unpackbits(words, count=self._vocabulary.size, bitorder="little")
        if self._matcher.is_error():
            raise self._refused()
        allowed: Flags = bits.view(np.bool_)
        unmarked = allowed & ~self._vocabulary.markers
        return unmarked if unmarked.any() else allowed

    def _nothing(self, logits: mx.array) -> mx.array:
        """Minus infinity for every logit: MLX chooses between whole arrays several times faster."""
        if self._impossible is None:
            self._impossible = mx.full(logits.shape, -mx.inf, dtype=logits.dtype)
        return self._impossible

    def _refuse_slowness(self, seconds: float) -> None:
        self._slow_seconds += max(seconds - FREE_SECONDS, 0.0)
        if self._slow_seconds > PATIENCE_SECONDS:
            raise Refused("bad-request", self._explain("it takes too long to follow"))

    def _refused(self) -> Refused:
        return Refused("bad-request", self._explain(reason_of(self._matcher.get_error())))


def _value(promised: tuple[mx.array, int] | None, tokens: mx.array) -> int:
    if promised is None:
        last: Any = tokens[-1].item()
        return int(last)
    inputs, index = promised
    values: Any = inputs.tolist()
    return int(values[index])
