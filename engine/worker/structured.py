"""Structured output with one loaded model: its tokenizer as llguidance sees it, compiled grammars.

Neither costs anything before the first constrained answer, unless it is prepared.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from concurrent.futures import Future
from functools import lru_cache, partial
from typing import Any

import numpy as np
from llguidance import LLMatcher, LLParserLimits, LLTokenizer
from llguidance.hf import from_tokenizer

from engine.protocol import Generate, Grammar
from engine.serving.backend import Refused
from engine.serving.containment import Caught, attempt
from engine.worker.constraint import Constraint, Vocabulary
from engine.worker.deep_thread import begin_deep, call_deep
from engine.worker.grammar_fault import NOTHING_FITS, TOO_SLOW, reason_of, refusal_sentence
from engine.worker.grammar_text import grammar_text
from engine.worker.markup import Markup
from engine.worker.thinking_gate import gate_of

COMPILE_SECONDS = 3.0
TOKENIZER_SECONDS = 60.0
MOST_COMPILED = 32
_NO_TOKENIZER = (
    "This model's tokenizer cannot be used for structured output. Choose another model, or ask "
    "without a form for the answer."
)


class Structured:
    """Goes with its model. `vocabulary_size` is how many logits it makes."""

    def __init__(self, tokenizer: Any, markup: Markup, vocabulary_size: int) -> None:
        self._tokenizer = tokenizer
        self._markup = markup
        self._size = vocabulary_size
        self._reading: Future[tuple[LLTokenizer, Vocabulary]] | None = None
        self._compiled = lru_cache(MOST_COMPILED)(self._compile)

    @property
    def is_prepared(self) -> bool:
        """Whether the tokenizer was read, or is being read."""
        return self._reading is not None

    def prepare(self) -> None:
        """Begin to read the tokenizer; all of Python stands still for up to a second meanwhile."""
        self._reading = self._reading or begin_deep(self._read_tokenizer)

    def constraint(self, command: Generate, prompt: Sequence[int]) -> Constraint | None:
        """What holds the answer to its form; None when there is none. Raises Refused."""
        grammar = command.grammar
        if grammar is None:
            return None
        _, vocabulary = self._words()
        return Constraint(
            self._compiled(grammar).deep_copy(),
            gate_of(
                self._markup,
                self._tokenizer,
                prompt,
                is_thinking_allowed=command.thinking is not False,
            ),
            vocabulary,
            partial(refusal_sentence, grammar),
        )

    def _compile(self, grammar: Grammar) -> LLMatcher:
        words, _ = self._words()
        try:
            matcher = call_deep(partial(_build, words, grammar), COMPILE_SECONDS)
            reason = _fault(matcher)
        except TimeoutError:
            reason = TOO_SLOW
        except (ValueError, RuntimeError) as error:
            reason = reason_of(str(error))
        if reason:
            raise Refused("bad-request", refusal_sentence(grammar, reason))
        return matcher

    def _words(self) -> tuple[LLTokenizer, Vocabulary]:
        reading = self._reading = self._reading or begin_deep(self._read_tokenizer)
        made = attempt(partial(reading.result, TOKENIZER_SECONDS))
        if isinstance(made, Caught):
            raise Refused("bad-request", _NO_TOKENIZER) from made.error
        return made

    def _read_tokenizer(self) -> tuple[LLTokenizer, Vocabulary]:
        ends = sorted(id for id in self._tokenizer.eos_token_ids if 0 <= id < self._size)
        words = from_tokenizer(self._tokenizer._tokenizer, n_vocab=self._size, eos_token=ends)
        vocabulary = Vocabulary(
            self._size,
            ends=_flags(self._size, ends),
            markers=_flags(self._size, self._markup.signs),
        )
        return words, vocabulary


def _build(words: LLTokenizer, grammar: Grammar) -> LLMatcher:
    limits = LLParserLimits(verbose_errors=False)
    matcher = LLMatcher(words, grammar_text(grammar), log_level=0, limits=limits)
    if not matcher.is_error():
        # Whether anything satisfies it shows only here.
        matcher.compute_bitmask()
    return matcher


def _fault(matcher: LLMatcher) -> str:
    if matcher.is_error():
        return reason_of(matcher.get_error())
    return NOTHING_FITS if matcher.is_stopped() and not matcher.is_accepting() else ""


def _flags(size: int, tokens: Collection[int]) -> np.ndarray[Any, np.dtype[np.bool_]]:
    flags = np.zeros(size, np.bool_)
    flags[[token for token in tokens if 0 <= token < size]] = True
    return flags
