"""One answer on its way from the engine into the chat."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING, assert_never

from engine.protocol import Message
from tui.assistant.collected import Collected
from tui.assistant.requests import Ask, Regenerate, Request, Resume, Revise
from vault.conversations.values import EndState

if TYPE_CHECKING:
    from tui.assistant.answer_writer import AnswerWriter
    from tui.assistant.stored_chat import StoredChat


class Turn:
    """One answer on its way into the chat; `collected` is None until it has begun."""

    def __init__(
        self, chat: StoredChat, parent: str, resumed: str, model_name: Callable[[], str]
    ) -> None:
        self.chat = chat
        self._parent, self._resumed = parent, resumed
        self._model_name = model_name
        self.collected: Collected | None = None
        self._ending: EndState | None = None
        self._beginning: asyncio.Future[AnswerWriter] | None = None

    def messages(self, system_prompt: str) -> tuple[Message, ...]:
        """What the model gets."""
        return self.chat.messages(system_prompt, end=self._resumed or self._parent)

    async def begin(self) -> str:
        """Keep the answer from here on; its id. Raises ConversationError."""
        if self._beginning is None:
            self._beginning = asyncio.ensure_future(self._begun())
        # It is begun once, also when whoever waits for it is being cancelled.
        writer = await asyncio.shield(self._beginning)
        if self.collected is None:
            self.collected = Collected(writer, bool(writer.text))
        return writer.id

    async def _begun(self) -> AnswerWriter:
        if self._resumed:
            return await self.chat.resume(self._resumed)
        return await self.chat.answer(self._model_name(), self._parent)

    def fail(self) -> None:
        """It ended by an error."""
        self._ending = "failed"

    async def end(self) -> None:
        """Keep how it ended, also when its reader is gone. Raises ConversationError."""
        await self.begin()
        if self._beginning is not None and self.collected is not None:
            writer, collected = await self._beginning, self.collected
            await writer.finish(self._ending or collected.state, collected.extras)


async def placed(chat: StoredChat, request: Request) -> tuple[str, str]:
    """The question's id, stored before anything else, and that of an answer that goes on."""
    match request:
        case Ask(question=question):
            return (await chat.ask(question)).id, ""
        case Revise(message=message, question=question):
            return (await chat.revise(message, question)).id, ""
        case Regenerate(message=message):
            return message, ""
        case Resume(message=message):
            return chat.tree.parent(message), message
        case _:
            assert_never(request)
