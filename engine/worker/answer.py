"""One answer: prefill in chunks, then a token a step, on mlx-lm's BatchGenerator."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
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
from engine.worker.circling import CircleDetector
from engine.worker.conversation_cache import Loan
from engine.worker.rate import Meters
from engine.worker.sampling import Sampler
from engine.worker.text_stream import TextStream


@dataclass(frozen=True, slots=True)
class Hooks:
    """What an answer tells the backend.

    `keep` takes a row's tokens and cache, `observe` the tokens held and whether it still runs;
    `abandon` says that a row could not be ended properly, so the generator must go; `finish` takes
    what a row cost that ended properly.
    """

    keep: Callable[[list[int], list[Any]], None]
    observe: Callable[[int, bool], None]
    abandon: Callable[[], None]
    finish: Callable[[Usage], None]


class MlxAnswer:
    """Steps one row of a `BatchGenerator`, which carries no types."""

    def __init__(
        self,
        id: int,
        generator: Any,
        text: TextStream,
        meters: Meters,
        hooks: Hooks,
    ) -> None:
        self._id = id
        self._generator = generator
        self._text = text
        self._meters = meters
        self._hooks = hooks

    def begin(
        self, prompt: Sequence[int], loan: Loan, sampler: Sampler, max_tokens: int, window: int
    ) -> None:
        """Queue the row; `loan` holds the first tokens of `prompt` already."""
        self._prompt_tokens, self._reused, self._window = len(prompt), len(loan.tokens), window
        self._prefilled, self._generated = len(loan.tokens), 0
        self._started = time.monotonic()
        self._first_token_at = 0.0
        self._circles, self._is_over = CircleDetector(), False
        (self._row,) = self._generator.insert(
            [list(prompt[self._reused :])],
            max_tokens=[max_tokens],
            caches=[loan.cache] if loan.cache is not None else None,
            all_tokens=[list(loan.tokens)],
            samplers=[sampler],
        )
        self._hooks.observe(self.tokens_held, True)

    @property
    def tokens_held(self) -> int:
        """Tokens in this row's KV cache."""
        return self._prefilled + self._generated

    def step(self) -> Sequence[AnyEvent]:
        """One prefill chunk or one decoded token."""
        return self._guard(self._advance)

    def cancel(self) -> Sequence[AnyEvent]:
        """Stop and keep the cache of exactly the tokens fed so far."""
        return self._guard(lambda: self._end("cancelled", self._withdraw()))

    def _guard(self, act: Callable[[], list[AnyEvent]]) -> list[AnyEvent]:
        try:
            events = act()
        except Exception:
            self._hooks.abandon()
            raise
        self._hooks.observe(self.tokens_held, not self._is_over)
        return events

    def _advance(self) -> list[AnyEvent]:
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
        return events

    def _take_token(self, response: Any, began: float) -> list[AnyEvent]:
        if not self._first_token_at:
            self._first_token_at = time.monotonic()
        self._check_sanity(response)
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

    def _check_sanity(self, response: Any) -> None:
        """Refuse what a damaged file or a lost allocation makes of a model's output."""
        logprobs = response.logprobs
        chosen, spread = logprobs[response.token], mx.max(logprobs) - mx.min(logprobs)
        if not math.isfinite(chosen.item()) or not spread.item():
            raise Refused(
                "internal",
                "The model produced no usable numbers; its files may be damaged, or memory ran "
                "out. Load it again or choose another model.",
            )
        if self._circles.is_circling_after(response.token):
            raise Refused(
                "internal",
                "The answer went round in circles and was stopped. Ask in other words, or choose "
                "a larger model.",
            )

    def _withdraw(self) -> tuple[list[int], list[Any]]:
        found = self._generator.remove([self._row], return_prompt_caches=True)
        cache, tokens = found[self._row]
        return list(tokens), cache

    def _end(self, reason: FinishReason, left: tuple[list[int], list[Any]]) -> list[AnyEvent]:
        self._is_over = True
        self._hooks.keep(*left)
        events: list[AnyEvent] = [
            TextDelta(self._id, text, span) for span, text in self._text.finish()
        ]
        usage = self._usage()
        self._hooks.finish(usage)
        return [*events, Finished(self._id, reason, usage)]

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
