"""Answers in a chat that is kept. Knows the engine's contract, no screen and no process."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from typing import TYPE_CHECKING, Protocol

from engine.answers import AnswerEvent
from engine.errors import EngineError
from engine.protocol import NO_REQUEST, Generate
from tui.assistant.collected import NOTHING_USED
from tui.assistant.current_chat import CurrentChat
from tui.assistant.events import (
    AnswerBegun,
    Answered,
    AnswerFailed,
    Asked,
    AssistantEvent,
    Recalled,
)
from tui.assistant.memory_tools.carrying_out import carried_out
from tui.assistant.requests import Ask, Request
from tui.assistant.stopping import Stop
from tui.assistant.stored_chats import StoredChats
from tui.assistant.style import AnswerStyle
from tui.assistant.turn import Turn, placed
from vault.conversations.errors import ConversationError

if TYPE_CHECKING:
    from tui.assistant.memory_tools.look_ups import LookUps
    from tui.assistant.memory_tools.tool_desk import ToolDesk
    from tui.assistant.recall.desk import Looked, RecallDesk
    from tui.assistant.stored_chat import StoredChat

_CLOSING_SECONDS = 2.0


class AnsweringEngine(Protocol):
    """The part of `EngineClient` the assistant needs."""

    def run(self, request: Generate) -> AsyncGenerator[AnswerEvent, None]:
        """Stream one answer."""

    def stop_answers(self, conversation: str | None = ...) -> None:
        """Stop what is being answered, in one conversation or in all."""

    async def forget(self, conversation: str) -> int:
        """Drop a conversation's cache."""


class Assistant(CurrentChat):
    """One chat with the model, one answer at a time."""

    def __init__(
        self,
        engine: AnsweringEngine,
        style: AnswerStyle,
        before_asking: Callable[[], None] = lambda: None,
        chats: StoredChats | None = None,
        model_name: Callable[[], str] = lambda: "",
    ) -> None:
        """`before_asking` is called with every question; it may start what is missing.

        `model_name` says who answers; without `chats` nothing is stored.
        """
        super().__init__(engine.forget, chats or StoredChats())
        self._engine = engine
        self.style = style
        self._before_asking = before_asking
        self._model_name = model_name
        self.is_answering = False
        self.tools: ToolDesk | None = None
        self.recall: RecallDesk | None = None
        self._stop = Stop()
        self._has_ended = asyncio.Event()

    @property
    def engine(self) -> AnsweringEngine:
        """Who answers."""
        return self._engine

    def begin(self) -> None:
        """A question is on its way; a stop counts from now on, also before `answer` runs."""
        self._stop.forget()

    def ask(self, question: str) -> AsyncGenerator[AssistantEvent, None]:
        """Answer a question, as `answer` does."""
        return self.answer(Ask(question))

    async def answer(self, request: Request) -> AsyncGenerator[AssistantEvent, None]:
        """Do what is asked; whatever happens, question and partial answer are in the chat."""
        self.is_answering = True
        self._has_ended.clear()
        try:
            chat = await self._chat_to_ask()
            parent, resumed = await placed(chat, request)
            yield Asked(parent)
            if looked := await self._recalled(chat, parent):
                yield Recalled(parent, looked.remark)
            async with aclosing(self._steps(chat, parent, resumed)) as events:
                async for event in events:
                    yield event
        except ConversationError as error:
            yield AnswerFailed(str(error))
        finally:
            self.is_answering = False
            self._has_ended.set()

    def stop(self) -> None:
        """Stop the answer under way and nothing else; its events still end with `Answered`."""
        self._stop.want()
        if self.chat is not None:
            self._engine.stop_answers(self.chat.id)

    async def close(self) -> None:
        """The program ends: the answer under way is stored as far as it is."""
        if self.is_answering:
            self.stop()
            try:
                async with asyncio.timeout(_CLOSING_SECONDS):
                    await self._has_ended.wait()
            except TimeoutError:
                # The store marks it as interrupted.
                pass
        await self.chats.close()

    async def _chat_to_ask(self) -> StoredChat:
        if self.chat is None:
            self.chat = await self.chats.new(self._options, self._is_temporary)
        elif self.chat.trouble:
            self.chat = await self.chats.rescue(self.chat)
        return self.chat

    async def _steps(
        self, chat: StoredChat, parent: str, resumed: str
    ) -> AsyncGenerator[AssistantEvent, None]:
        """Have the model go on for as long as it asks for something to be looked up."""
        look_ups = await self._look_ups(chat)
        is_waiting = True
        while is_waiting:
            takes_calls = look_ups is not None and bool(look_ups.offered)
            turn = Turn(chat, parent, resumed, self._model_name, takes_calls=takes_calls)
            async with aclosing(self._answered(turn, look_ups)) as events:
                async for event in events:
                    yield event
            if self.recall is not None and turn.collected is not None:
                self.recall.take_speed(turn.collected.spent)
            is_waiting = turn.is_waiting
            parent, resumed = turn.last_result, ""

    async def _recalled(self, chat: StoredChat, question: str) -> Looked | None:
        if self.recall is None or self._stop.is_wanted:
            return None
        self._before_asking()
        return await self._stop.unless_wanted(self.recall.recall(chat, question))

    async def _look_ups(self, chat: StoredChat) -> LookUps | None:
        if self.tools is None or self._stop.is_wanted:
            return None
        self._before_asking()
        return await self._stop.unless_wanted(self.tools.begin(chat.chat.options))

    async def _answered(
        self, turn: Turn, look_ups: LookUps | None
    ) -> AsyncGenerator[AssistantEvent, None]:
        try:
            if self._stop.is_wanted:
                await turn.begin()
                yield Answered("cancelled", NOTHING_USED)
                return
            self._before_asking()
            async with aclosing(self._engine.run(self._request(turn, look_ups))) as events:
                async for event in events:
                    if turn.collected is None:
                        yield AnswerBegun(await turn.begin())
                    if turn.collected is not None:
                        yield turn.collected.take(event)
            if turn.is_waiting and look_ups is not None:
                async with aclosing(carried_out(turn, look_ups, self._stop)) as results:
                    async for result in results:
                        yield result
        except EngineError as error:
            await turn.begin()
            turn.fail()
            yield AnswerFailed(str(error))
        finally:
            await turn.end()

    def _request(self, turn: Turn, look_ups: LookUps | None) -> Generate:
        style = self.style.of_chat(turn.chat.chat.options)
        system_prompt = style.system_prompt
        if look_ups is not None:
            system_prompt = look_ups.instructed(system_prompt)
        return Generate(
            NO_REQUEST,
            turn.messages(system_prompt),
            turn.chat.id,
            style.sampling,
            style.max_tokens,
            style.stop,
            thinking=self.thinking,
            tools=look_ups.offered if look_ups is not None else (),
            is_temporary=self._is_temporary,
        )
