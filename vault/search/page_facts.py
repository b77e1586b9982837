"""What ranking asks about pages beside their words: names, links to them, age."""

import datetime
import json
from collections.abc import Collection
from typing import Any

import apsw

from vault.search.ranking import Name, PageFacts
from vault.search.terms import Analyser

_DAY_NS = 86_400 * 10**9


def read_page_facts(
    connection: apsw.Connection, analyser: Analyser, pages: Collection[int]
) -> dict[int, PageFacts]:
    """Look them up for these pages."""
    asked = json.dumps(sorted(pages))
    names: dict[int, list[Name]] = {}
    for page, text in connection.execute(
        "SELECT DISTINCT page, text FROM name WHERE page IN (SELECT value FROM json_each(?))",
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
    rows: Any = connection.execute(
        "SELECT id, date, modified_ns FROM page WHERE id IN (SELECT value FROM json_each(?))",
        (asked,),
    )
    today = datetime.date.today()
    return {
        page: PageFacts(tuple(names.get(page, ())), links.get(page, 0), _days(date, today))
        for page, date, _ in rows
    }


def _days(date: str, today: datetime.date) -> float | None:
    try:
        return max(0, (today - datetime.date.fromisoformat(date)).days)
    except ValueError:
        return None
