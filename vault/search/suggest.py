"""What else may be meant: pages that are wanted, and pages with a name like the query's."""

import difflib

import apsw

from vault.links.resolve import page_key
from vault.search.result import Suggestion
from vault.search.terms import Analyser

_MOST = 5
_LONGEST = 60
_LIKENESS = 0.75


def suggestions(
    connection: apsw.Connection, analyser: Analyser, typed: str, is_little: bool
) -> tuple[Suggestion, ...]:
    """Return wanted pages called so; when `is_little` was found, near names as well."""
    if not typed.strip():
        return ()
    found = _wanted(connection, analyser, typed, is_little)
    if is_little:
        found += _near(connection, typed)
    return tuple(found[:_MOST])


def _wanted(
    connection: apsw.Connection, analyser: Analyser, typed: str, is_little: bool
) -> list[Suggestion]:
    key = page_key(typed.strip())
    where, values = ("", ()) if is_little else ("AND key = ?", (key,))
    rows = connection.execute(
        "SELECT key, min(target), count(*) FROM link JOIN page ON page.id = link.page"
        " WHERE state = 'wanted' AND target <> '' AND NOT is_excluded"
        f" {where} GROUP BY key ORDER BY count(*) DESC",
        values,
    )
    tokens = set(analyser.keys(typed))
    found: list[Suggestion] = []
    for wanted, target, links in rows:
        if wanted == key or (tokens and tokens <= set(analyser.keys(wanted))):
            found.append(Suggestion(target, links=links))
            if len(found) == _MOST:
                break
    return found


def _near(connection: apsw.Connection, typed: str) -> list[Suggestion]:
    key = page_key(typed.strip())
    if len(key) > _LONGEST:
        return []
    letters = set(key)
    names = {
        name: (text, path)
        for name, text, path in connection.execute(
            "SELECT name.key, name.text, page.path FROM name JOIN page ON page.id = name.page"
            " WHERE NOT is_excluded AND length(name.key) BETWEEN ? AND ?",
            (int(0.6 * len(key)), int(1.7 * len(key)) + 1),
        )
        # To compare names in full takes long; those alike share most letters.
        if 2 * len(letters.intersection(name)) > len(letters)
    }
    near = difflib.get_close_matches(key, names, _MOST, _LIKENESS)
    return [Suggestion(*names[each]) for each in near if each != key]
