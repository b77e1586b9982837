"""Asking while somebody types: one question at a time, and only the newest counts."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Generic, TypeVar

Question = TypeVar("Question")
Answer = TypeVar("Answer")


class Newest(Generic[Question, Answer]):
    """Of questions that come while one is answered only the newest is asked.

    So a slow answer cannot fill the threads, however fast somebody types.
    """

    def __init__(self, ask: Callable[[Question], Awaitable[Answer]]) -> None:
        self._ask = ask
        self._asking = asyncio.Lock()
        self._count = 0

    async def answer(self, question: Question) -> Answer | None:
        """The answer; None when a newer question came meanwhile. Raises what asking raises."""
        self._count += 1
        mine = self._count
        async with self._asking:
            if mine != self._count:
                return None
            answer = await self._ask(question)
        return answer if mine == self._count else None
