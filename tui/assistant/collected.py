"""An answer as the engine says it: passed on to the screen and to the store."""

from __future__ import annotations

import time
from collections.abc import Collection
from typing import TYPE_CHECKING, assert_never

from engine.answers import AnswerEvent
from engine.protocol import (
    Finished,
    FinishReason,
    PromptProgress,
    TextDelta,
    ToolCallMalformed,
    ToolCallRequested,
    Usage,
)
from tui.assistant.events import (
    Answered,
    AssistantEvent,
    PromptRead,
    Said,
    StepEnded,
    ToolAsked,
)
from tui.assistant.memory_tools.calls import unreadable_call, with_own_id
from vault.conversations import values
from vault.conversations.values import EndState, Extras, ToolCall

if TYPE_CHECKING:
    from tui.assistant.answer_writer import AnswerWriter

NOTHING_USED = Usage(0, 0, 0, 0, 0.0, 0.0, 0.0)
STATES: dict[FinishReason, EndState] = {
    "stop": "complete",
    "length": "cut",
    "cancelled": "stopped",
}


class Collected:
    """What was said so far goes to `writer`; `state` says how it ended."""

    def __init__(
        self, writer: AnswerWriter, is_begun: bool, taken_ids: Collection[str] | None = None
    ) -> None:
        """`is_begun` when the answer has text already and goes on.

        `taken_ids` are the ids of the calls made before; None where nobody carries out any.
        """
        self._writer = writer
        self._is_begun = is_begun
        self._taken_ids = taken_ids
        self.calls: list[ToolCall] = []
        self.malformed: dict[str, str] = {}
        self._usage: values.Usage | None = None
        self.spent = NOTHING_USED
        self._thinking_since = 0.0
        self._thinking_seconds = 0.0
        self.state: EndState = "stopped"

    @property
    def extras(self) -> Extras:
        """The calls and the figures of the answer."""
        return Extras(tuple(self.calls), usage=self._usage, thinking_seconds=self._thinking_seconds)

    def take(self, event: AnswerEvent) -> AssistantEvent:
        """Take down an event of the engine; what the screen gets of it."""
        match event:
            case PromptProgress(done=done, total=total, reused=reused):
                return PromptRead(done, total, reused)
            case TextDelta(text=text, span=span):
                self._note_time(span == "thinking")
                self._writer.say(text, span)
                self._is_begun = self._is_begun or span == "answer"
                return Said(text, span)
            case ToolCallRequested() | ToolCallMalformed():
                return self._call(event)
            case Finished(reason=reason, usage=usage):
                self._note_time(is_thinking=False)
                self.state = STATES[reason]
                self._usage, self.spent = stored_usage(usage), usage
                return StepEnded(usage) if self.is_waiting else Answered(reason, usage)
            case _:
                assert_never(event)

    @property
    def is_waiting(self) -> bool:
        """Whether it came to its end with calls that want an answer."""
        return bool(self.calls) and self.state == "complete"

    def _call(self, event: ToolCallRequested | ToolCallMalformed) -> ToolAsked | Said:
        match event, self._taken_ids:
            case ToolCallRequested(call=call), None:
                return self._say(f"{call.name}({call.arguments})")
            case ToolCallMalformed(text=text), None:
                return self._say(text)
            case ToolCallRequested(call=call), _:
                return self._ask(ToolCall(call.name, call.arguments, call.id), "")
            case ToolCallMalformed(text=text, reason=why), _:
                return self._ask(unreadable_call(text), why)

    def _ask(self, call: ToolCall, malformed: str) -> ToolAsked:
        self._note_time(is_thinking=False)
        taken = {*(self._taken_ids or ()), *(each.id for each in self.calls)}
        call = with_own_id(call, self._writer.id, len(self.calls), taken)
        self.calls.append(call)
        if malformed:
            self.malformed[call.id] = malformed
        return ToolAsked(call.id, call.name, call.arguments)

    def _say(self, text: str) -> Said:
        """A call nobody here asked for is what the model said: text on a line of its own."""
        text = f"\n{text}\n" if self._is_begun else f"{text}\n"
        self._is_begun = True
        self._writer.say(text)
        return Said(text, "answer")

    def _note_time(self, is_thinking: bool) -> None:
        if is_thinking:
            self._thinking_since = self._thinking_since or time.monotonic()
        elif self._thinking_since:
            self._thinking_seconds += time.monotonic() - self._thinking_since
            self._thinking_since = 0.0


def stored_usage(usage: Usage) -> values.Usage:
    """What an answer cost, as it is kept with it."""
    return values.Usage(
        usage.reused_tokens,
        usage.prompt_tokens,
        usage.generated_tokens,
        usage.decode_tps,
        usage.time_to_first_token,
    )
