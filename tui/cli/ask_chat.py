"""The stored chat that `zib ask --chat` goes on with."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

from engine.answers import AnswerEvent
from engine.errors import EngineError
from engine.protocol import Finished, Message, TextDelta
from tui.assistant.answer_writer import AnswerWriter
from tui.assistant.collected import STATES, stored_usage
from tui.assistant.recall.desk import Looked, RecallDesk
from tui.assistant.recall.record import sources_json
from tui.assistant.stored_chat import StoredChat
from tui.cli.run import print_error
from vault.conversations.store import Conversations, open_conversations
from vault.conversations.values import ChatOptions, EndState, Extras, MessageNode

NEW = "new"


class AskedChat:
    """One question and its answer, stored as they come."""

    def __init__(self, store: Conversations, chat: StoredChat | None) -> None:
        """Without a chat, a new one is made when it is asked."""
        self.store, self.chat = store, chat
        self._writer: AnswerWriter | None = None
        self._state: EndState = "stopped"
        self._extras = Extras()
        self._sources = ""

    @property
    def id(self) -> str:
        """The chat's, once it was asked."""
        return self.chat.id if self.chat else ""

    @property
    def stored_id(self) -> str:
        """The same, unless the chat could not be stored."""
        return self.chat.id if self.chat and not self.chat.trouble else ""

    @property
    def path(self) -> tuple[MessageNode, ...]:
        """The messages down to the question."""
        return self.chat.path if self.chat else ()

    async def ask(
        self, question: str, system_prompt: str, model: str, recall: RecallDesk | None = None
    ) -> tuple[tuple[Message, ...], Looked]:
        """Store the question and return what the model gets. Raises ConversationError.

        A chat keeps its own system prompt unless one is given.
        """
        if self.chat is None:
            options = ChatOptions(system_prompt=system_prompt, model=model)
            self.chat = await StoredChat.new(self.store, options)
        asked = await self.chat.ask(question)
        looked = await recall.recall(self.chat, asked.id) if recall else Looked()
        messages = self.chat.messages(system_prompt or self.chat.chat.options.system_prompt)
        self._sources = sources_json(self.chat.path)
        self._writer = await self.chat.answer(model)
        return messages, looked

    async def noted(self, events: AsyncIterator[AnswerEvent]) -> AsyncIterator[AnswerEvent]:
        """The same events, each taken down."""
        try:
            async for event in events:
                self._note(event)
                yield event
        except EngineError:
            self._state = "failed"
            raise

    async def close(self) -> None:
        """Store the end of the answer, and say when the chat could not be stored."""
        if self._writer is not None:
            await self._writer.finish(self._state, replace(self._extras, recalled=self._sources))
        if self.chat is not None and self.chat.trouble:
            print_error(self.chat.trouble)

    def _note(self, event: AnswerEvent) -> None:
        if isinstance(event, TextDelta) and self._writer is not None:
            self._writer.say(event.text, event.span)
        elif isinstance(event, Finished):
            self._state = STATES[event.reason]
            self._extras = Extras(usage=stored_usage(event.usage))


@asynccontextmanager
async def asked_chat(data_dir: Path, name: str) -> AsyncIterator[AskedChat | None]:
    """Open the chat that is meant; None without a name. Raises ConversationError."""
    if not name:
        yield None
        return
    store = await asyncio.to_thread(open_conversations, data_dir)
    try:
        for notice in store.notices:
            print_error(notice)
        chat = AskedChat(store, None if name == NEW else await _found(store, name))
        try:
            yield chat
        finally:
            await chat.close()
    finally:
        await asyncio.to_thread(store.close)


async def _found(store: Conversations, name: str) -> StoredChat:
    from tui.cli.chats.opened import chat_called

    found = await asyncio.to_thread(chat_called, store, name)
    return await StoredChat.open(store, found.id)
