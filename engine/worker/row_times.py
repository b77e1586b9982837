"""When an answer was asked for, begun and first heard, and what that makes of its cost."""

from __future__ import annotations

from collections.abc import Callable


class RowTimes:
    """Counts from when it is made. `clock` in seconds."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._submitted = clock()
        self._started: float | None = None
        self._first_token_at: float | None = None

    @property
    def has_started(self) -> bool:
        """Whether it left the queue."""
        return self._started is not None

    def start(self) -> None:
        """It leaves the queue."""
        self._started = self._clock()

    def note_token(self) -> None:
        """A token came."""
        if self._first_token_at is None:
            self._first_token_at = self._clock()

    @property
    def time_to_first_token(self) -> float:
        """From the submission; 0 without a token."""
        return self._first_token_at - self._submitted if self._first_token_at is not None else 0.0

    @property
    def queued_seconds(self) -> float:
        """Until it left the queue, or until now."""
        return self._begun_by(self._clock()) - self._submitted

    def prefill_tps(self, tokens: int) -> float:
        """Prompt tokens a second, of so many that were read."""
        now = self._clock()
        first = now if self._first_token_at is None else self._first_token_at
        return tokens / max(first - self._begun_by(now), 1e-9)

    def decode_tps(self, tokens: int) -> float:
        """Answer tokens a second after the first, of so many; 0 when it had no second one."""
        if self._first_token_at is None or tokens < 2:
            return 0.0
        return (tokens - 1) / max(self._clock() - self._first_token_at, 1e-9)

    def _begun_by(self, now: float) -> float:
        return now if self._started is None else self._started
