"""How many tokens to draft, from what checking costs here and from what was right so far.

Times are relative to a pass that feeds one token. Plain Python.
"""

from __future__ import annotations

from collections import defaultdict, deque
from statistics import median

from engine.plan.transient import MOST_DRAFTED

_FIRST_DRAFTED = 3
_COST_GUESS = 0.13
"""What each drafted token adds to a pass, before any was measured: so much on a CPU."""
_RECENT = 7
_LEAST_GAIN = 1.05
_FEWEST_OFFERS, _MOST_OFFERS = 8, 128
"""Chances let pass between two tries where drafting does not pay."""
_FORGETTING = 0.9


class PassCosts:
    """What passes cost on this machine with this model: the median of the last ones."""

    def __init__(self) -> None:
        self._single: deque[float] = deque(maxlen=_RECENT)
        self._checks: dict[int, deque[float]] = defaultdict(lambda: deque(maxlen=_RECENT))

    def note_single(self, seconds: float) -> None:
        """A pass that fed one token took so long."""
        self._single.append(seconds)

    def note_check(self, drafted: int, seconds: float) -> None:
        """Drafting so many tokens and feeding them took so long."""
        if self._single:
            self._checks[drafted].append(seconds / max(median(self._single), 1e-9))

    def of(self, drafted: int) -> float:
        """The cost of a check; between and beyond those measured on a straight line."""
        low, low_cost = 0, 1.0
        for count in sorted(self._checks):
            cost = median(self._checks[count])
            if count >= drafted:
                return low_cost + (cost - low_cost) * (drafted - low) / (count - low)
            low, low_cost = count, cost
        slope = max(low_cost - 1, 0) / low if low else _COST_GUESS
        return low_cost + slope * (drafted - low)


class Pace:
    """One row's drafts of one kind: how often they were right, and whether to go on.

    `likelihood` is how likely a drafted token is taken to be right before anything is known.
    """

    def __init__(self, costs: PassCosts, likelihood: float) -> None:
        self._costs = costs
        self._right, self._wrong = 4 * likelihood, 4 * (1 - likelihood)
        self._reach = _FIRST_DRAFTED
        self._patience = _FEWEST_OFFERS
        self._passed_up = 0

    @property
    def likelihood(self) -> float:
        """How likely a drafted token is right when those before it are."""
        return self._right / (self._right + self._wrong)

    def has_turn(self) -> bool:
        """Whether to draft at the next chance; one that is let pass is counted."""
        if self._best(self._reach)[1] >= _LEAST_GAIN:
            return True
        self._passed_up += 1
        return self._passed_up >= self._patience

    def length(self, room: int) -> int:
        """How many tokens to draft, at most `room`; 0 for none."""
        if self._passed_up >= self._patience:
            # Things may have changed: one token tells.
            return min(room, 1)
        count, gain = self._best(min(self._reach, room))
        return count if gain >= _LEAST_GAIN else 0

    def note(self, drafted: int, accepted: int) -> None:
        """So many of the drafted tokens were right."""
        self._right = self._right * _FORGETTING + accepted
        self._wrong = self._wrong * _FORGETTING + (accepted < drafted)
        if accepted == drafted:
            self._reach = min(max(self._reach, 2 * drafted), MOST_DRAFTED)
        else:
            self._reach = max(_FIRST_DRAFTED, accepted)
        if self._passed_up >= self._patience:
            pays_now = self._best(self._reach)[1] >= _LEAST_GAIN
            self._patience = _FEWEST_OFFERS if pays_now else min(2 * self._patience, _MOST_OFFERS)
        self._passed_up = 0

    def _best(self, most: int) -> tuple[int, float]:
        """The length that gains most, and how many times as fast as single passes it is."""
        best, gain, expected, chance = 0, 0.0, 1.0, 1.0
        for count in range(1, most + 1):
            chance *= self.likelihood
            expected += chance
            if expected / self._costs.of(count) > gain:
                best, gain = count, expected / self._costs.of(count)
        return best, gain
