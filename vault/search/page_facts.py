"""What ranking asks about pages beside their words."""

import json
from collections.abc import Collection

import apsw

from vault.search.ranking import Name, PageFacts
from vault.search.terms import Analyser


def read_page_facts(
    connection: apsw.Connection, analyser: Analyser, pages: Collection[int]
) -> dict[int, PageFacts]:
    """Look them up for these pages."""
    asked = json.dumps(sorted(pages))
    names: dict[int, list[Name]] = {}
    for page, text in connection.execute(
        "SELECT page, text FROM name WHERE page IN (SELECT value FROM json_each(?))",
        (asked,),
    ):
        names.setdefault(page, []).append(Name(text, analyser.keys(text.replace("_", " "))))
    links = dict(
        connection.execute(
            "SELECT leads_to, count(DISTINCT page) FROM link WHERE leads_to IN"
            " (SELECT value FROM json_each(?)) AND page <> leads_to GROUP BY leads_to",
            (asked,),
        )
    )
    return {page: PageFacts(tuple(names.get(page, ())), links.get(page, 0)) for page in pages}
