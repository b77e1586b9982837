"""What a row borrows from the prompt cache, and on what terms."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from engine.worker.entry_shelf import Match


@dataclass(frozen=True, slots=True)
class Loan:
    """A cache that already holds the first `len(tokens)` prompt tokens; None when there is none."""

    cache: list[Any] | None
    tokens: list[int]


@dataclass(frozen=True, slots=True)
class Borrower:
    """Whose prompt it is.

    Of what others have kept less than `least_of_others` tokens are not worth having. `spends`
    decides whether an entry is handed over: that saves a copy, and the entry is gone.
    """

    owner: str = ""
    is_temporary: bool = False
    least_of_others: int = 1
    spends: Callable[[Match], bool] = lambda _: False

    def suits(self, match: Match) -> bool:
        """Whether it is worth having."""
        return match.usable >= self.least_of_others or self.owner in match.entry.owners


NOBODY = Borrower()
