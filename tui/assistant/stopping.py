"""The user's wish that an answer ends, which may come while nothing is asked of the engine."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

Result = TypeVar("Result")


class Stop:
    """One wish at a time, for the answer under way."""

    def __init__(self) -> None:
        self._wanted = asyncio.Event()

    @property
    def is_wanted(self) -> bool:
        """Whether the answer is to end."""
        return self._wanted.is_set()

    def want(self) -> None:
        """The answer is to end."""
        self._wanted.set()

    def forget(self) -> None:
        """Another answer begins."""
        self._wanted.clear()

    async def unless_wanted(self, work: Coroutine[Any, Any, Result]) -> Result | None:
        """What `work` returns; None as soon as a stop is wanted. Raises what `work` raises.

        A thread that was begun goes on to its end, with nobody waiting for it.
        """
        if self.is_wanted:
            work.close()
            return None
        working = asyncio.create_task(work)
        stopping = asyncio.create_task(self._wanted.wait())
        try:
            await asyncio.wait((working, stopping), return_when=asyncio.FIRST_COMPLETED)
            return working.result() if working.done() else None
        finally:
            working.cancel()
            stopping.cancel()
