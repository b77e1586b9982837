"""One scripted reply being said; words stand for tokens."""

from __future__ import annotations

import time
from collections.abc import Sequence

from engine.protocol import (
    AnyEvent,
    Finished,
    FinishReason,
    Generate,
    PromptProgress,
    RowState,
    RowUsage,
    Span,
    TextDelta,
    ToolCallMalformed,
    ToolCallRequested,
    Usage,
)
from engine.script import Reply, commit_fault, cut_at_stop, split_words
from engine.script_plan import KV_BYTES_PER_TOKEN
from engine.serving.kv_budget import Claim

PREFILL_TPS = 240.0
DECODE_TPS = 31.0


class ScriptedRow:
    """A reply with the words of its prompt; `window` is the context it is granted."""

    def __init__(
        self,
        command: Generate,
        reply: Reply,
        prompt: list[str],
        claim: Claim,
        window: int,
    ) -> None:
        self.command = command
        self.claim = claim
        self.granted_tokens = 0
        self.was_alone = True
        self.reply = reply
        self.prompt = prompt
        self.prefilled = self.reused = 0
        self._window = window
        thinking = [] if command.thinking is False else split_words(reply.thinking)
        self._words: list[tuple[Span, str]] = [("thinking", word) for word in thinking]
        spelled = "" if command.tools else _spelled(reply)
        answer = cut_at_stop(reply.text + spelled, command.stop)
        self._words += [("answer", word) for word in split_words(answer)]
        self._said = 0
        self._submitted = time.monotonic()
        self._queued_seconds = self._first_word_after = 0.0
        self._is_queued = True

    @property
    def state(self) -> RowState:
        """Where it stands."""
        if self._is_queued:
            return "queued"
        return "prefill" if self.is_reading else "decode"

    @property
    def has_first_token(self) -> bool:
        """Whether a word was said."""
        return self._said > 0

    @property
    def answered_tokens(self) -> int:
        """Words said."""
        return self._said

    @property
    def is_reading(self) -> bool:
        """Whether a part of the prompt is still to be read."""
        return self.prefilled < len(self.prompt)

    @property
    def tokens_held(self) -> int:
        """Words in the pretended KV cache."""
        return self.prefilled + self._said

    @property
    def kept_words(self) -> list[str]:
        """What the pretended KV cache holds, thinking left out."""
        answer = [word for (span, word) in self._words[: self._said] if span == "answer"]
        return self.prompt[: self.prefilled] + answer

    def start(self) -> None:
        """It leaves the queue."""
        self._is_queued = False
        self._queued_seconds = time.monotonic() - self._submitted

    def reuse(self, words: int) -> None:
        """So many words of the prompt are in the cache already."""
        self.reused = self.prefilled = words

    def read(self, words: int) -> list[AnyEvent]:
        """Read a chunk of the prompt."""
        self.prefilled = min(self.prefilled + words, len(self.prompt))
        return [PromptProgress(self.command.id, self.prefilled, len(self.prompt), self.reused)]

    def say(self) -> list[AnyEvent]:
        """Say one word. Raises what the script wants raised."""
        if self._said == self.reply.fault_at:
            commit_fault(self.reply.fault)
        if self._said == len(self._words):
            return [*self._calls(), self.finish("stop")]
        self._first_word_after = self._first_word_after or time.monotonic() - self._submitted
        span, word = self._words[self._said]
        self._said += 1
        delta = TextDelta(self.command.id, word, span)
        if self._said == self.granted_tokens:
            return [delta, self.finish("length")]
        return [delta]

    def _calls(self) -> list[AnyEvent]:
        """The calls of the script, as an engine tells them that was offered tools."""
        id, offered = self.command.id, {tool.name for tool in self.command.tools}
        if not offered:
            return []
        events: list[AnyEvent] = []
        for call in self.reply.calls:
            if call.name in offered:
                events.append(ToolCallRequested(id, call))
            else:
                text = f"{call.name}({call.arguments})"
                events.append(ToolCallMalformed(id, text, f"There is no tool {call.name!r}."))
        if self.reply.malformed_call:
            events.append(ToolCallMalformed(id, self.reply.malformed_call, "It cannot be read."))
        return events

    def cancel_queued(self) -> Sequence[AnyEvent]:
        """End it before it began."""
        self._queued_seconds = time.monotonic() - self._submitted
        return [self.finish("cancelled")]

    def finish(self, reason: FinishReason) -> Finished:
        """Its last event."""
        usage = Usage(
            prompt_tokens=len(self.prompt),
            reused_tokens=self.reused,
            generated_tokens=self._said,
            context_window=self._window,
            time_to_first_token=self._first_word_after,
            prefill_tps=PREFILL_TPS,
            decode_tps=DECODE_TPS,
            lane=self.command.lane,
            queued_seconds=self._queued_seconds,
        )
        return Finished(self.command.id, reason, usage)

    def usage(self) -> RowUsage:
        """What the gauge shows of it."""
        held = 0 if self._is_queued else self.tokens_held
        return RowUsage(
            self.command.id, self.command.lane, self.state, held, held * KV_BYTES_PER_TOKEN
        )


def _spelled(reply: Reply) -> str:
    """Its calls as text."""
    return "".join(
        [*(f"{call.name}({call.arguments})" for call in reply.calls), reply.malformed_call]
    )
