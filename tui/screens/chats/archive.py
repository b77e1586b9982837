"""The chats for the screens: calls of the store in threads, and caches that are needless then."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Protocol, TypeVar

from engine.errors import EngineError
from vault.conversations.errors import StoreDamaged
from vault.conversations.store import Conversations

Answer = TypeVar("Answer")


class ForgettingEngine(Protocol):
    """The part of `EngineClient` a deletion needs."""

    async def forget(self, conversation: str) -> int:
        """Drop a conversation's cache."""


class ChatArchive:
    """All stored chats, asked from the event loop."""

    def __init__(self, store: Conversations, engine: ForgettingEngine) -> None:
        self._store = store
        self._engine = engine

    async def ask(self, question: Callable[[Conversations], Answer]) -> Answer:
        """Run `question` on the store in a thread; a damaged file is mended once.

        Raises ConversationError.
        """
        try:
            return await asyncio.to_thread(question, self._store)
        except StoreDamaged:
            await asyncio.to_thread(self._store.mend)
            return await asyncio.to_thread(question, self._store)

    async def settle(self) -> None:
        """Let the engine forget what was deleted; what it cannot now, it is asked again.

        Raises ConversationError.
        """
        owed = await self.ask(lambda store: store.trash.owed())
        forgotten: list[str] = []
        try:
            for owner in owed:
                await self._engine.forget(owner)
                forgotten.append(owner)
        except EngineError:
            # It is not there; the store remembers what it still has to forget.
            pass
        if forgotten:
            await self.ask(lambda store: store.trash.settle(forgotten))
