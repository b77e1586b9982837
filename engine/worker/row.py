"""One answer under way: what it was asked, how far it is, what it has said and cost."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from engine.protocol import (
    AnyEvent,
    Finished,
    FinishReason,
    Generate,
    PromptProgress,
    RowState,
    RowUsage,
    Usage,
)
from engine.serving.backend import Refused
from engine.serving.kv_budget import Claim
from engine.worker.circling import CIRCLES, FORM_PATIENCE, CircleDetector
from engine.worker.constraint import Constraint
from engine.worker.guard import GuardedProcessor, Processor
from engine.worker.keyed_sampler import Sampler
from engine.worker.row_times import RowTimes
from engine.worker.text_stream import Said, TextStream, event_of

NO_NUMBERS = (
    "The model produced no usable numbers; its files may be damaged, or memory ran out. Load it "
    "again or choose another model."
)


@dataclass(frozen=True, slots=True)
class Request:
    """What a row is made of; `window` is the context its conversation is granted.

    At so many prompt tokens as `checkpoints` say a later prompt may part from this one.
    """

    command: Generate
    prompt: tuple[int, ...]
    claim: Claim
    sampler: Sampler
    text: TextStream
    window: int
    processors: tuple[Processor, ...] = ()
    constraint: Constraint | None = None
    clock: Callable[[], float] = field(default=time.monotonic)
    checkpoints: tuple[int, ...] = ()


class Row:
    """Counts tokens and makes events; the arrays are with its lane.

    `spare_bytes` is what may be kept beside it, None where nothing bounds that.
    """

    def __init__(self, request: Request) -> None:
        self.command = request.command
        self.claim = request.claim
        self.prompt = request.prompt
        self.checkpoints = request.checkpoints
        self.spare_bytes: int | None = None
        self.sampler = request.sampler
        self.constraint = request.constraint
        # The form last: whatever else moves the logits, only what it allows is left.
        form = () if request.constraint is None else (request.constraint,)
        processors: list[Processor] = [*request.processors, *form]
        self.processors = [GuardedProcessor(processor) for processor in processors]
        self.granted_tokens = 0
        self.was_alone = True
        self.reused = self.prefilled = self.generated = 0
        self.kv_bytes = 0
        self.drafted = self.accepted = 0
        self._text = request.text
        self._window = request.window
        self._circles = CircleDetector(FORM_PATIENCE if request.constraint else 1)
        self._times = RowTimes(request.clock)

    @property
    def id(self) -> int:
        """The request's id."""
        return self.command.id

    @property
    def state(self) -> RowState:
        """Where it stands."""
        if not self._times.has_started:
            return "queued"
        return "decode" if self.has_first_token else "prefill"

    @property
    def has_first_token(self) -> bool:
        """Whether its answer has begun."""
        return self.generated > 0

    @property
    def answered_tokens(self) -> int:
        """What its answer has come to."""
        return self.generated

    @property
    def tokens_held(self) -> int:
        """Tokens in its KV cache."""
        return self.prefilled + self.generated

    @property
    def granted_bytes(self) -> int:
        """KV bytes at its longest."""
        return self.claim.bytes_for(self.granted_tokens)

    @property
    def unread(self) -> int:
        """Prompt tokens to be read before the answer's first step, which reads the last one."""
        return max(len(self.prompt) - 1 - self.prefilled, 0)

    def start(self) -> None:
        """It leaves the queue."""
        self._times.start()

    def reuse(self, tokens: int) -> None:
        """So many prompt tokens are in its cache already."""
        self.reused = self.prefilled = tokens

    def note_read(self, tokens: int) -> PromptProgress:
        """So many more prompt tokens are in its cache."""
        self.prefilled += tokens
        return PromptProgress(self.id, self.prefilled, len(self.prompt), self.reused)

    def note_drafts(self, drafted: int, accepted: int) -> None:
        """So many tokens were drafted for it, and so many of them were right."""
        self.drafted += drafted
        self.accepted += accepted

    def take_token(self, token: int, is_end: bool, is_sound: bool) -> list[AnyEvent]:
        """The next token of the answer; the last event says when it was the last one.

        Raises Refused for an answer that makes no sense, and what a processor raised.
        """
        self._times.note_token()
        if not is_sound:
            raise Refused("internal", NO_NUMBERS)
        for processor in self.processors:
            processor.raise_if_it_failed()
        if self._circles.is_circling_after(token):
            raise Refused("internal", CIRCLES)
        self.generated += 1
        events = self._events([] if is_end else self._text.add(token))
        if is_end or self._text.has_stopped or self._is_satisfied:
            return events + self.finish("stop")
        if self.generated >= self.granted_tokens:
            return events + self.finish("length")
        return events

    @property
    def _is_satisfied(self) -> bool:
        constraint = self.constraint
        return constraint is not None and constraint.is_satisfied_by(self.generated)

    def cancel_queued(self) -> Sequence[AnyEvent]:
        """End it before it began."""
        return self.finish("cancelled")

    def finish(self, reason: FinishReason) -> list[AnyEvent]:
        """Its last words and its last event."""
        said = self._events(self._text.finish(reason))
        return [*said, Finished(self.id, reason, self._cost())]

    def usage(self) -> RowUsage:
        """What the gauge shows of it."""
        return RowUsage(
            self.id,
            self.command.lane,
            self.state,
            self.tokens_held,
            self.kv_bytes,
            self.drafted,
            self.accepted,
        )

    def _events(self, said: Sequence[Said]) -> list[AnyEvent]:
        return [event_of(self.id, each) for each in said]

    def _cost(self) -> Usage:
        times = self._times
        return Usage(
            prompt_tokens=len(self.prompt),
            reused_tokens=self.reused,
            generated_tokens=self.generated,
            context_window=self._window,
            time_to_first_token=times.time_to_first_token,
            prefill_tps=times.prefill_tps(self.prefilled - self.reused),
            decode_tps=times.decode_tps(self.generated),
            lane=self.command.lane,
            queued_seconds=times.queued_seconds,
            drafted_tokens=self.drafted,
            accepted_tokens=self.accepted,
            grammar_seconds=self.constraint.seconds if self.constraint else 0.0,
        )
