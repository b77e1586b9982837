"""The store under one chat; when it refuses to be written, a copy in memory takes its place."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import TypeVar

from vault.conversations.errors import (
    ChatMissing,
    ConversationError,
    MessageMissing,
    NotStored,
    StoreDamaged,
    StoreGone,
    StoreUnusable,
)
from vault.conversations.exporting import ChatDocument
from vault.conversations.store import Conversations, temporary_conversations

Answer = TypeVar("Answer")
Known = Callable[[], tuple[ChatDocument, Sequence[str]]]
"""A chat as it is known here, and the ids of its answers under way."""


class SafeStore:
    """`trouble` says why the chat is only in memory at the moment."""

    def __init__(self, store: Conversations, chat_id: str) -> None:
        self.trouble = ""
        self._chat_id = chat_id
        self._store, self._memory = store, store if store.is_temporary else None
        self._lock = asyncio.Lock()
        self._is_damaged = False

    @property
    def is_temporary(self) -> bool:
        """Whether the user wanted the chat to touch no disk."""
        return self._store.is_temporary

    @property
    def used(self) -> Conversations:
        """Where the chat is kept now."""
        return self._memory or self._store

    async def run(self, action: Callable[[Conversations], Answer], known: Known) -> Answer:
        """Do something off the loop, in memory where the store refuses. Raises ConversationError.

        `known` tells the chat as far as it is known here.
        """
        async with self._lock:
            if self._memory is not None:
                return await asyncio.to_thread(action, self._memory)
            try:
                return await asyncio.to_thread(action, self._store)
            except MessageMissing as error:
                if await asyncio.to_thread(self._is_kept):
                    raise
                refusal: ConversationError = error
            except (ChatMissing, NotStored, StoreGone, StoreDamaged, StoreUnusable) as error:
                refusal = error
            self._memory = await asyncio.to_thread(_in_memory, *known())
            self.trouble, self._is_damaged = str(refusal), isinstance(refusal, StoreDamaged)
            return await asyncio.to_thread(action, self._memory)

    async def put_back(
        self, known: Known, read: Callable[[Conversations], Answer]
    ) -> Answer | None:
        """Try to store a chat that is in memory; then what `read` finds, else None."""
        async with self._lock:
            chat, written = known()
            if not self.trouble or self._memory is None or written:
                return None

            def save() -> Answer:
                if self._is_damaged:
                    self._store.mend()
                else:
                    self._store.reopen()
                self._store.answers.abandon([node.id for node in chat.messages])
                self._store.importer.take([chat])
                return read(self._store)

            try:
                found = await asyncio.to_thread(save)
            except ConversationError as error:
                self.trouble = str(error)
                return None
            self._memory, self.trouble = None, ""
            return found

    def _is_kept(self) -> bool:
        """Whether the chat is there: another window may have deleted it for good."""
        try:
            self._store.chats.get(self._chat_id)
        except ConversationError:
            return False
        return True


def _in_memory(document: ChatDocument, written: Sequence[str]) -> Conversations:
    """A store in memory with this chat in it, whose answers can go on."""
    memory = temporary_conversations()
    memory.importer.take([document])
    for id in written:
        memory.answers.resume(id)
    return memory
