"""Cuts an answer where a stop string begins, wherever tokens cut it.

Only the answer counts: a thinking block may hold the text it was told to stop at. The stop string
that is complete first ends the answer; of those complete with the same character the longest does,
so that less is said.
"""

from __future__ import annotations

from collections.abc import Sequence

from engine.worker.seeker import Seeker


class StopStrings:
    """Fed one answer; `has_stopped` once a stop string was met."""

    def __init__(self, stop: Sequence[str]) -> None:
        self._seeker = Seeker([text for text in dict.fromkeys(stop) if text])
        self._held = ""
        self.has_stopped = False

    def add(self, text: str) -> str:
        """Take text; what is certain to belong to the answer."""
        if self.has_stopped:
            return ""
        held = self._held + text
        for place in range(len(self._held), len(held)):
            if found := self._seeker.advance(held[place]):
                self.has_stopped, self._held = True, ""
                return held[: place + 1 - len(found)]
        certain = len(held) - self._seeker.held
        self._held = held[certain:]
        return held[:certain]

    def flush(self) -> str:
        """What was held back; what comes after it is not of one text with it."""
        self._seeker.reset()
        held, self._held = self._held, ""
        return held
