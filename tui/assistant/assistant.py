"""Answers questions in a conversation. Knows the engine's contract, no screen and no process."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from typing import Protocol, assert_never

from engine.answers import AnswerEvent
from engine.errors import EngineError
from engine.protocol import (
    Finished,
    FinishReason,
    Message,
    PromptProgress,
    Sampling,
    TextDelta,
    ToolCallMalformed,
    ToolCallRequested,
    Usage,
)
from tui.assistant.conversation import AnswerState, Conversation, Exchange, new_conversation
from tui.assistant.events import Answered, AnswerFailed, AssistantEvent, PromptRead, Said

_DEFAULT_SAMPLING = Sampling()
_NOTHING_USED = Usage(0, 0, 0, 0, 0.0, 0.0, 0.0)


class AnsweringEngine(Protocol):
    """The part of `EngineClient` the assistant needs."""

    def generate(
        self,
        messages: Sequence[Message],
        conversation: str = ...,
        sampling: Sampling = ...,
        max_tokens: int | None = ...,
        stop: Sequence[str] = ...,
        thinking: bool | None = ...,
    ) -> AsyncGenerator[AnswerEvent, None]:
        """Stream one answer."""

    def stop_answers(self, conversation: str | None = ...) -> None:
        """Stop what is being answered, in one conversation or in all."""

    async def forget(self, conversation: str) -> int:
        """Drop a conversation's cache."""


@dataclass(frozen=True, slots=True)
class AnswerStyle:
    """How to answer: the user's chat settings."""

    system_prompt: str = ""
    sampling: Sampling = _DEFAULT_SAMPLING
    max_tokens: int | None = None
    stop: tuple[str, ...] = ()


class Assistant:
    """One chat with the model, one answer at a time."""

    def __init__(
        self,
        engine: AnsweringEngine,
        style: AnswerStyle,
        before_asking: Callable[[], None] = lambda: None,
    ) -> None:
        """`before_asking` is called with every question; it may start what is missing."""
        self._engine = engine
        self._style = style
        self._before_asking = before_asking
        self.conversation = new_conversation()
        self.thinking: bool | None = None
        self.is_answering = False
        self._is_stop_wanted = False

    def toggle_thinking(self) -> None:
        """Forbid thinking, ask for it, leave it to the model."""
        self.thinking = {None: False, False: True, True: None}[self.thinking]

    def begin(self) -> None:
        """A question is on its way; a stop counts from now on, also before `ask` runs."""
        self._is_stop_wanted = False

    async def ask(self, question: str) -> AsyncGenerator[AssistantEvent, None]:
        """Answer `question`; whatever happens, question and partial answer join the chat."""
        collected = _Collected()
        self.is_answering = True
        try:
            if self._is_stop_wanted:
                yield Answered("cancelled", _NOTHING_USED)
                return
            self._before_asking()
            messages = self.conversation.messages(self._style.system_prompt, question)
            stream = self._engine.generate(
                messages,
                self.conversation.id,
                self._style.sampling,
                self._style.max_tokens,
                self._style.stop,
                thinking=self.thinking,
            )
            async with aclosing(stream) as events:
                async for event in events:
                    yield collected.take(event)
        except EngineError as error:
            collected.state = "failed"
            yield AnswerFailed(str(error))
        finally:
            self.is_answering = False
            self.conversation = self.conversation.with_exchange(collected.exchange(question))

    def stop(self) -> None:
        """Stop the answer under way and nothing else; its events still end with `Answered`."""
        self._is_stop_wanted = True
        self._engine.stop_answers(self.conversation.id)

    async def start_new_chat(self) -> Conversation:
        """Leave this chat, freeing its cache; returns the chat left."""
        left, self.conversation = self.conversation, new_conversation()
        if left.exchanges:
            await self._engine.forget(left.id)
        return left


class _Collected:
    """The answer so far."""

    def __init__(self) -> None:
        self._answer: list[str] = []
        self._thinking: list[str] = []
        self.state: AnswerState = "stopped"

    def take(self, event: AnswerEvent) -> AssistantEvent:
        match event:
            case PromptProgress(done=done, total=total, reused=reused):
                return PromptRead(done, total, reused)
            case TextDelta(text=text, span=span):
                (self._answer if span == "answer" else self._thinking).append(text)
                return Said(text, span)
            case ToolCallRequested(call=call):
                return self._say(f"{call.name}({call.arguments})")
            case ToolCallMalformed(text=text):
                return self._say(text)
            case Finished(reason=reason, usage=usage):
                self.state = _STATES[reason]
                return Answered(reason, usage)
            case _:
                assert_never(event)

    def _say(self, text: str) -> Said:
        """A call nobody here asked for is what the model said: text on a line of its own."""
        text = f"\n{text}\n" if self._answer else f"{text}\n"
        self._answer.append(text)
        return Said(text, "answer")

    def exchange(self, question: str) -> Exchange:
        return Exchange(question, "".join(self._answer), "".join(self._thinking), self.state)


_STATES: dict[FinishReason, AnswerState] = {
    "stop": "complete",
    "length": "cut",
    "cancelled": "stopped",
}
