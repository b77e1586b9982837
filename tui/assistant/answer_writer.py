"""An answer on its way into the store: gathered for a quarter of a second, then written."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Literal, TypeVar

from vault.conversations.errors import ConversationError
from vault.conversations.store import Conversations
from vault.conversations.values import NO_EXTRAS, EndState, Extras, MessageNode

BATCH_SECONDS = 0.25
Kept = TypeVar("Kept")
Ask = Callable[[Callable[[Conversations], Kept]], Awaitable[Kept]]


class AnswerWriter:
    """Writes one answer. `text` and `thinking` are what the store has acknowledged."""

    def __init__(self, node: MessageNode, ask: Ask[None], end: Ask[MessageNode]) -> None:
        """`ask` and `end` run something on the store, off the event loop."""
        self.id = node.id
        self.text, self.thinking = node.text, node.thinking
        self._ask, self._end = ask, end
        self._waiting: list[str] = []
        self._waiting_thinking: list[str] = []
        self._lock = asyncio.Lock()
        self._timer: asyncio.Task[None] | None = None

    def say(self, text: str, span: Literal["answer", "thinking"] = "answer") -> None:
        """Take the next piece; it is written within a quarter of a second."""
        (self._waiting if span == "answer" else self._waiting_thinking).append(text)
        if self._timer is None:
            self._timer = asyncio.create_task(self._write_later())

    async def finish(self, state: EndState, extras: Extras = NO_EXTRAS) -> MessageNode:
        """Write what waits and end the answer, also when the caller is being cancelled."""
        return await asyncio.shield(asyncio.ensure_future(self._finish(state, extras)))

    async def _finish(self, state: EndState, extras: Extras) -> MessageNode:
        async with self._lock:
            if self._timer is not None:
                self._timer.cancel()
            text, thinking = self._taken()

            def end(store: Conversations) -> MessageNode:
                if text or thinking:
                    store.answers.append(self.id, text, thinking)
                return store.answers.finish(self.id, state, extras)

            return await self._end(end)

    async def _write_later(self) -> None:
        await asyncio.sleep(BATCH_SECONDS)
        async with self._lock:
            self._timer = None
            text, thinking = self._taken()
            try:
                await self._ask(lambda store: store.answers.append(self.id, text, thinking))
            except ConversationError:
                # It is written with what comes next, or at the end.
                self._waiting.insert(0, text)
                self._waiting_thinking.insert(0, thinking)
                return
            self.text += text
            self.thinking += thinking

    def _taken(self) -> tuple[str, str]:
        text, thinking = "".join(self._waiting), "".join(self._waiting_thinking)
        self._waiting.clear()
        self._waiting_thinking.clear()
        return text, thinking
