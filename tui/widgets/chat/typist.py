"""The moments between two keys, in which drawing holds nobody up."""

from __future__ import annotations

import asyncio
import time

TYPING_SECONDS = 0.4
"""Who pressed no key for so long does not type."""

_ECHO_SECONDS = 0.02


class Typist:
    """Told of every key; whoever has something slow to do asks for a gap."""

    def __init__(self) -> None:
        self._last = float("-inf")
        self._key = asyncio.Event()

    def press(self) -> None:
        """A key was pressed."""
        self._last = time.monotonic()
        self._key.set()

    async def gap(self) -> None:
        """Return when the next key will not come soon: after an echo, or when nobody types."""
        left = self._last + TYPING_SECONDS - time.monotonic()
        if left <= 0:
            return
        self._key.clear()
        try:
            async with asyncio.timeout(left):
                await self._key.wait()
        except TimeoutError:
            return
        await asyncio.sleep(_ECHO_SECONDS)


async def at_once() -> None:
    """Nobody types."""
