"""What is drafted for one row: copied where it repeats something, else by the draft model."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from engine.worker.drafts.lookup import Lookup, Match
from engine.worker.drafts.pace import Pace, PassCosts
from engine.worker.drafts.second_model import SecondModel

_KINDS_OF_MATCH = ((4, 0.4), (10, 0.65), (1 << 62, 0.85))
"""Below so many tokens in common, how likely the next one is the same too."""
_SECOND_LIKELIHOOD = 0.6


@dataclass(slots=True)
class Drafting:
    """What drafting costs with a loaded model, and its draft model if there is one."""

    end_tokens: frozenset[int]
    second: SecondModel | None = None
    copying: PassCosts = field(default_factory=PassCosts)
    seconding: PassCosts = field(default_factory=PassCosts)

    def note_single(self, seconds: float) -> None:
        """A pass that fed one token took so long."""
        self.copying.note_single(seconds)
        self.seconding.note_single(seconds)


@dataclass(frozen=True, slots=True)
class Draft:
    """Tokens that may follow the pending one, which is certain."""

    pending: int
    tokens: list[int]
    pace: Pace
    costs: PassCosts
    began: float

    def note(self, accepted: int) -> None:
        """So many turned out right, just now."""
        self.costs.note_check(len(self.tokens), time.monotonic() - self.began)
        self.pace.note(len(self.tokens), accepted)


class RowDrafts:
    """Follows one row that is alone in its group."""

    def __init__(self, drafting: Drafting) -> None:
        self._drafting = drafting
        self._lookup = Lookup()
        self._copied = [Pace(drafting.copying, chance) for _, chance in _KINDS_OF_MATCH]
        self._seconded = Pace(drafting.seconding, _SECOND_LIKELIHOOD)
        self._second = drafting.second.begin() if drafting.second else None
        self._may_ask_second = False

    def has_turn(self, tokens: Sequence[int]) -> bool:
        """Whether to draft once the pending token is known: until then the next step can begin.

        `tokens` are what the row's cache holds.
        """
        self._lookup.extend(tokens[len(self._lookup) :])
        match = self._lookup.find()
        may_copy = match is not None and self._pace_of(match, ahead=1).has_turn()
        self._may_ask_second = self._has_second_turn(tokens) and not may_copy
        return may_copy or self._may_ask_second

    def draft(self, tokens: Sequence[int], pending: int, room: int) -> Draft | None:
        """At most `room` tokens that may follow; None when there is nothing to try."""
        began = time.monotonic()
        self._lookup.extend([pending])
        drafted: list[int] = []
        pace, costs = self._seconded, self._drafting.seconding
        if match := self._lookup.find():
            copying = self._pace_of(match)
            if count := copying.length(room):
                pace, costs = copying, self._drafting.copying
                drafted = self._lookup.draft(match, count)
        if not drafted and self._may_ask_second and self._second is not None:
            drafted = self._second.draft(tokens, pending, pace.length(room))
        drafted = self._up_to_end(drafted)
        return Draft(pending, drafted, pace, costs, began) if drafted else None

    def _has_second_turn(self, tokens: Sequence[int]) -> bool:
        if self._second is None or not self._seconded.has_turn():
            return False
        return self._second.follow(tokens)

    def _pace_of(self, match: Match, ahead: int = 0) -> Pace:
        length = match.length + ahead
        kind = next(index for index, (below, _) in enumerate(_KINDS_OF_MATCH) if length < below)
        return self._copied[kind]

    def _up_to_end(self, drafted: list[int]) -> list[int]:
        """Nothing follows an end token."""
        for index, token in enumerate(drafted):
            if token in self._drafting.end_tokens:
                return drafted[: index + 1]
        return drafted
