"""Which terms a table is asked for, in FTS5's language."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from vault.search.terms import Term

COMMON = 1500
"""To rank more pages than so many takes long."""


@dataclass(frozen=True, slots=True)
class Wish:
    """What to ask one table for. `order` has the indexes of the terms as the expressions do.

    Terms that very many pages have are looked for only in pages with a rarer one, where there is
    a rarer one: to rank all the others would take long and change little.
    """

    order: tuple[int, ...]
    of_any: str
    of_rare: str = ""

    @classmethod
    def of(cls, terms: Sequence[Term], counts: Sequence[int], indexes: Sequence[int]) -> Wish:
        """Make it of the terms at these indexes; `counts` are the pages with each term."""
        most = max(COMMON, min(counts[index] for index in indexes))
        rare = [index for index in indexes if counts[index] <= most]
        common = [index for index in indexes if counts[index] > most]
        order = (*rare, *common)
        of_any = either(terms[index] for index in order)
        if not rare or not common:
            return cls(order, of_any)
        of_rare = either(terms[index] for index in rare)
        of_common = either(terms[index] for index in common)
        # The terms named again come last, where their places are not asked for.
        return cls(order, of_any, f"{of_rare} OR (({of_common}) AND ({of_rare}))")


def either(terms: Iterable[Term]) -> str:
    """Ask for pages with any of these."""
    return " OR ".join(term.expression for term in terms)
