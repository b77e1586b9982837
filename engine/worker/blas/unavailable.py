"""Why a fast path cannot be taken."""

from __future__ import annotations

from engine.errors import EngineError


class BlasUnavailable(EngineError):
    """One way to a fast matrix library is closed; `advice` says how to open it."""

    def __init__(self, reason: str, advice: str) -> None:
        super().__init__(reason)
        self.reason = reason
        self.advice = advice
