"""The moments between two keys, in which drawing holds nobody up."""

from __future__ import annotations

import asyncio
import time

TYPING_SECONDS = 0.4
"""Who pressed no key for so long does not type."""

_ECHO_SECONDS = 0.02
_BETWEEN_GAPS_SECONDS = 0.6


class Typist:
    """Told of every key; whoever has something slow to do asks for a gap."""

    def __init__(self) -> None:
        self._last = float("-inf")
        self._given = float("-inf")
        self._key = asyncio.Event()

    def press(self) -> None:
        """A key was pressed."""
        self._last = time.monotonic()
        self._key.set()

    async def gap(self) -> None:
        """Return when the next key will not come soon: after an echo, or when nobody types."""
        await asyncio.sleep(max(0.0, min(self._until_rested, self._until_idle)))
        left = self._until_idle
        if left <= 0:
            return
        self._key.clear()
        try:
            async with asyncio.timeout(left):
                await self._key.wait()
        except TimeoutError:
            return
        await asyncio.sleep(_ECHO_SECONDS)
        self._given = time.monotonic()

    @property
    def _until_idle(self) -> float:
        return self._last + TYPING_SECONDS - time.monotonic()

    @property
    def _until_rested(self) -> float:
        """Every gap costs some keys a little, so there are few of them."""
        return self._given + _BETWEEN_GAPS_SECONDS - time.monotonic()


async def at_once() -> None:
    """Nobody types."""
