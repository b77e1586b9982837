"""What candidates are called, as tokens."""

import json
from collections.abc import Collection

import apsw

from vault.search.ranking import Name
from vault.search.terms import Analyser


def read_page_names(
    connection: apsw.Connection, analyser: Analyser, pages: Collection[int]
) -> dict[int, list[Name]]:
    """Look up the names of these pages."""
    names: dict[int, list[Name]] = {}
    for page, text in connection.execute(
        "SELECT page, text FROM name WHERE page IN (SELECT value FROM json_each(?))",
        (json.dumps(sorted(pages)),),
    ):
        names.setdefault(page, []).append(Name(text, analyser.keys(text.replace("_", " "))))
    return names
