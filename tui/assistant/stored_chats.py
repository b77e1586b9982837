"""The user's chats for the window: the store is opened when a chat first needs it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from vault.conversations.errors import ConversationError
from vault.conversations.values import DEFAULT_OPTIONS, Chat, ChatOptions

if TYPE_CHECKING:
    from tui.assistant.stored_chat import StoredChat
    from vault.conversations.store import Conversations

Found = TypeVar("Found")


class StoredChats:
    """Used from one event loop. The parts that open the store are imported after the first frame.

    Without a folder every chat is in memory.
    """

    def __init__(self, data_dir: Path | None = None, store: Conversations | None = None) -> None:
        """`store` is one that is open already."""
        self._data_dir = data_dir
        self._store = store
        self._notices: tuple[str, ...] = ()
        self._opening = asyncio.Lock()

    async def store(self) -> Conversations:
        """The open store. Raises ConversationError; the next call tries again."""
        async with self._opening:
            if self._store is None:
                self._store = await asyncio.to_thread(_opened, self._data_dir)
                self._notices += self._store.notices
            return self._store

    def take_notices(self) -> tuple[str, ...]:
        """Sentences for the user about what happened when the store was opened, each once."""
        notices, self._notices = self._notices, ()
        return notices

    async def ask(self, question: Callable[[Conversations], Found]) -> Found:
        """Run `question` on the store in a thread. Raises ConversationError."""
        store = await self.store()
        return await asyncio.to_thread(question, store)

    async def new(
        self, options: ChatOptions = DEFAULT_OPTIONS, is_temporary: bool = False
    ) -> StoredChat:
        """A chat without messages; where it cannot be stored it is in memory and says why."""
        from tui.assistant.stored_chat import StoredChat

        trouble = ""
        if not is_temporary:
            try:
                return await StoredChat.new(await self.store(), options)
            except ConversationError as error:
                trouble = str(error)
        chat = await StoredChat.new(await asyncio.to_thread(_opened, None), options)
        chat.trouble = trouble
        return chat

    async def open(self, id: str) -> StoredChat:
        """A stored chat. Raises ConversationError."""
        from tui.assistant.stored_chat import StoredChat

        return await StoredChat.open(await self.store(), id)

    async def rescue(self, chat: StoredChat) -> StoredChat:
        """The chat in the store again, when it was only in memory and can be stored now."""
        if not chat.trouble:
            return chat
        if not chat.is_temporary:
            await chat.retry_saving()
            return chat
        from tui.assistant.stored_chat import StoredChat
        from vault.conversations.exporting import chat_document

        document = chat_document(chat.chat, chat.tree)
        try:
            store = await self.store()
            await asyncio.to_thread(store.importer.take, [document])
            return await StoredChat.open(store, chat.id)
        except ConversationError as error:
            chat.trouble = str(error)
            return chat

    async def latest(self) -> Chat | None:
        """The chat that was used last; None when there is none. Raises ConversationError."""

        def find(store: Conversations) -> Chat | None:
            chats = (chat for chat in store.chats.listed() if chat.messages)
            return max(chats, key=lambda chat: chat.changed, default=None)

        return await self.ask(find)

    async def settle(self, forget: Callable[[str], Awaitable[int]]) -> None:
        """Have the engine forget what was read of chats that are gone. Raises ConversationError."""
        if self._store is None:
            return
        owed = await self.ask(lambda store: store.trash.owed())
        for owner in owed:
            await forget(owner)
        if owed:
            await self.ask(lambda store: store.trash.settle(owed))

    async def close(self) -> None:
        """Let go of the store."""
        async with self._opening:
            store, self._store = self._store, None
        if store is not None:
            await asyncio.to_thread(store.close)


def _opened(data_dir: Path | None) -> Conversations:
    from vault.conversations.store import open_conversations, temporary_conversations

    return temporary_conversations() if data_dir is None else open_conversations(data_dir)
