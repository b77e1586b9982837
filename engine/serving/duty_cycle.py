"""Which lane computes next while both have work: a share of time, not of steps."""

from __future__ import annotations

from engine.protocol import Lane

CHAT_SHARE = 0.53
"""A little more than half, so that the chat keeps 45 % of its idle speed and background work 40 %
of its own, each with room for what switching costs."""


class DutyCycle:
    """Gives the chat its share of the seconds in which both lanes compute."""

    def __init__(self, chat_share: float = CHAT_SHARE) -> None:
        self._chat_share = chat_share
        self._chat_surplus = 0.0

    def next_lane(self) -> Lane:
        """The lane that is behind; the chat when neither is."""
        return "background" if self._chat_surplus > 0 else "chat"

    def note(self, lane: Lane, seconds: float) -> None:
        """A lane computed for so long while the other one could have."""
        if lane == "chat":
            self._chat_surplus += seconds * (1 - self._chat_share)
        else:
            self._chat_surplus -= seconds * self._chat_share

    def reset(self) -> None:
        """One lane had no work: nobody is owed anything for that time."""
        self._chat_surplus = 0.0
