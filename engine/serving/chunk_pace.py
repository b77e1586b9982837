"""How much of a prompt to read at once while somebody waits for the next token."""

from __future__ import annotations

BRIEF_SECONDS = 0.12
SMALLEST_CHUNK = 16
_NEW_SHARE = 0.3


class ChunkPace:
    """Turns a pause that is hardly felt into a number of prompt tokens."""

    def __init__(self, seconds: float = BRIEF_SECONDS) -> None:
        self._seconds = seconds
        self._tokens_per_second = 0.0

    def note(self, tokens: int, seconds: float) -> None:
        """So many tokens were read in this time."""
        if tokens < SMALLEST_CHUNK or seconds <= 0:
            return
        speed = tokens / seconds
        known = self._tokens_per_second or speed
        self._tokens_per_second = known + _NEW_SHARE * (speed - known)

    def brief_chunk(self, limit: int) -> int:
        """Tokens to read at once beside a row that decodes; at most `limit`."""
        wanted = max(SMALLEST_CHUNK, int(self._tokens_per_second * self._seconds))
        return min(wanted, limit)
