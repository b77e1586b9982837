"""One answer: prefill in chunks, then a token a step, on mlx-lm's BatchGenerator."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

import mlx.core as mx
from mlx_lm.generate import BatchGenerator

from engine.protocol import (
    AnyEvent,
    Finished,
    FinishReason,
    PromptProgress,
    TextDelta,
    Usage,
)
from engine.serving.backend import Refused
from engine.worker.conversation_cache import Loan
from engine.worker.rate import RateMeter
from engine.worker.sampling import Sampler
from engine.worker.text_stream import TextStream

KeepCache = Callable[[list[int], list[Any]], None]
Observe = Callable[[int], None]


class Meters:
    """The speeds the gauge shows; live as long as the worker."""

    def __init__(self) -> None:
        self.prefill = RateMeter()
        self.decode = RateMeter()


class MlxAnswer:
    """Steps one row of `generator`.

    Hands the row's cache to `keep_cache` however the row ends; tells `observe` after each step
    how many tokens it holds.
    """

    def __init__(
        self,
        id: int,
        generator: BatchGenerator,
        text: TextStream,
        meters: Meters,
        keep_cache: KeepCache,
        observe: Observe,
    ) -> None:
        self._id = id
        self._generator = generator
        self._text = text
        self._meters = meters
        self._keep_cache = keep_cache
        self._observe = observe

    def begin(
        self, prompt: Sequence[int], loan: Loan, sampler: Sampler, max_tokens: int, window: int
    ) -> None:
        """Queue the row; `loan` holds the first tokens of `prompt` already."""
        self._prompt_tokens, self._reused, self._window = len(prompt), len(loan.tokens), window
        self._prefilled, self._generated = len(loan.tokens), 0
        self._started = time.monotonic()
        self._first_token_at = 0.0
        (self._row,) = self._generator.insert(
            [list(prompt[self._reused :])],
            max_tokens=[max_tokens],
            caches=[loan.cache] if loan.cache is not None else None,
            all_tokens=[list(loan.tokens)],
            samplers=[sampler],
        )

    @property
    def tokens_held(self) -> int:
        """Tokens in this row's KV cache."""
        return self._prefilled + self._generated

    def step(self) -> Sequence[AnyEvent]:
        """One prefill chunk or one decoded token."""
        began = time.monotonic()
        prompted, generated = self._generator.next()
        events: list[AnyEvent] = []
        for response in prompted:
            done = self._reused + response.progress[0]
            self._meters.prefill.add(began, done - self._prefilled)
            self._prefilled = done
            events.append(PromptProgress(self._id, done, self._prompt_tokens, self._reused))
        for response in generated:
            events += self._take_token(response, began)
        self._observe(self.tokens_held)
        return events

    def cancel(self) -> Sequence[AnyEvent]:
        """Stop and keep the cache of exactly the tokens fed so far."""
        events = self._end("cancelled", self._withdraw())
        self._observe(self.tokens_held)
        return events

    def _take_token(self, response: Any, began: float) -> list[AnyEvent]:
        if not self._first_token_at:
            self._first_token_at = time.monotonic()
        if bool(mx.isnan(response.logprobs[response.token])):
            self._withdraw()
            raise Refused(
                "internal",
                "The model produced numbers that are not numbers; its files may be damaged. "
                "Load it again or choose another model.",
            )
        self._generated += 1
        self._meters.decode.add(began, 1)
        pieces = [] if response.finish_reason == "stop" else self._text.add(response.token)
        events: list[AnyEvent] = [TextDelta(self._id, text, span) for span, text in pieces]
        if response.finish_reason is not None:
            reason: FinishReason = "stop" if self._text.has_stopped else response.finish_reason
            return events + self._end(reason, (response.all_tokens, response.prompt_cache))
        if self._text.has_stopped:
            return events + self._end("stop", self._withdraw())
        return events

    def _withdraw(self) -> tuple[list[int], list[Any]]:
        found = self._generator.remove([self._row], return_prompt_caches=True)
        cache, tokens = found[self._row]
        return list(tokens), cache

    def _end(self, reason: FinishReason, left: tuple[list[int], list[Any]]) -> list[AnyEvent]:
        self._keep_cache(*left)
        events: list[AnyEvent] = [
            TextDelta(self._id, text, span) for span, text in self._text.finish()
        ]
        return [*events, Finished(self._id, reason, self._usage())]

    def _usage(self) -> Usage:
        now = time.monotonic()
        first = self._first_token_at or now
        computed = self._prefilled - self._reused
        prefill_seconds = max(first - self._started, 1e-9)
        decode_seconds = max(now - first, 1e-9)
        return Usage(
            prompt_tokens=self._prompt_tokens,
            reused_tokens=self._reused,
            generated_tokens=self._generated,
            context_window=self._window,
            time_to_first_token=first - self._started if self._first_token_at else 0.0,
            prefill_tps=computed / prefill_seconds,
            decode_tps=(self._generated - 1) / decode_seconds if self._generated > 1 else 0.0,
        )


def make_generator(model: Any, end_tokens: Sequence[int], prefill_step: int) -> BatchGenerator:
    """A generator for one row at a time."""
    return BatchGenerator(
        model,
        stop_tokens=[(token,) for token in end_tokens],
        completion_batch_size=1,
        prefill_batch_size=1,
        prefill_step_size=prefill_step,
    )
