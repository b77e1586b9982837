"""The pages of a query without words: those its filters leave, or those called by its signs."""

import json

import apsw

from vault.search.candidates import Candidate
from vault.search.ranking import Ranked
from vault.search.scope import Scope

_MOST = 500
_LISTED = (
    "SELECT id FROM page WHERE NOT is_excluded AND problem = '' AND {condition}"
    " ORDER BY date DESC, modified_ns DESC, path LIMIT ?"
)


def listed_pages(connection: apsw.Connection, scope: Scope, typed: str) -> list[Ranked]:
    """Return them, the newest first; none for a query with neither."""
    conditions: list[str] = []
    values: list[str] = []
    if scope.allowed is not None:
        conditions.append("id IN (SELECT value FROM json_each(?))")
        values.append(json.dumps(sorted(scope.allowed)))
    if typed:
        conditions.append("id IN (SELECT page FROM name WHERE instr(text, ?))")
        values.append(typed)
    if not conditions:
        return []
    conditions.append("id NOT IN (SELECT value FROM json_each(?))")
    values.append(json.dumps(sorted(scope.excluded)))
    query = _LISTED.format(condition=" AND ".join(conditions))
    rows = connection.execute(query, (*values, _MOST))
    return [Ranked(Candidate(page), 0.0, ()) for (page,) in rows]
