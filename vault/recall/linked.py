"""Pages that nobody asked for by a word of theirs, but to which the pages found lead."""

import json
import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import apsw

from vault.search.scope import Scope

_ASKED = 10
_MOST = 2
_LEAST_FROM = 2


@dataclass(frozen=True, slots=True)
class Linked:
    """A page that others lead to, which are called `titles`."""

    page: int
    score: float
    titles: tuple[str, ...]


class Scored(Protocol):
    """A page that was found."""

    @property
    def page(self) -> int:
        """Its id in the index."""

    @property
    def score(self) -> float:
        """How well it answers."""


def linked_pages(
    connection: apsw.Connection, found: Sequence[Scored], scope: Scope
) -> list[Linked]:
    """The pages that most of the best ones link to; what everything links to counts less."""
    scores = {each.page: each.score for each in found[:_ASKED]}
    known = {each.page for each in found}
    from_pages: dict[int, dict[int, str]] = defaultdict(dict)
    for source, title, target in connection.execute(
        "SELECT DISTINCT link.page, page.title, link.leads_to FROM link"
        " JOIN page ON page.id = link.page"
        " WHERE link.page IN (SELECT value FROM json_each(?)) AND link.leads_to IS NOT NULL",
        (json.dumps(list(scores)),),
    ):
        if target not in known and scope.holds(target):
            from_pages[target][source] = title
    linked = [
        Linked(
            target,
            _score(connection, target, [scores[each] for each in sources]),
            tuple(sources.values()),
        )
        for target, sources in from_pages.items()
        if len(sources) >= _LEAST_FROM
    ]
    linked.sort(key=lambda each: (-each.score, each.page))
    return linked[:_MOST]


def _score(connection: apsw.Connection, target: int, scores: Sequence[float]) -> float:
    links = int(
        connection.execute("SELECT count(*) FROM link WHERE leads_to = ?", (target,)).get or 0
    )
    return sum(scores) / math.log(2 + links)
