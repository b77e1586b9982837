"""What candidates are called, as tokens."""

import json
from collections.abc import Collection

import apsw

from vault.search.ranking import Name
from vault.search.terms import Analyser


class KnownNames:
    """Remembers the names of pages as long as the index stays as it is."""

    def __init__(self, analyser: Analyser) -> None:
        self._analyser = analyser
        self._version: tuple[int, int, int] | None = None
        self._names: dict[int, list[Name]] = {}

    def read(
        self, connection: apsw.Connection, version: tuple[int, int, int], pages: Collection[int]
    ) -> dict[int, list[Name]]:
        """Look up the names of these pages, and maybe more."""
        if version != self._version:
            self._names, self._version = {}, version
        missing = sorted(page for page in pages if page not in self._names)
        self._names.update((page, []) for page in missing)
        for page, text in connection.execute(
            "SELECT page, text FROM name WHERE page IN (SELECT value FROM json_each(?))",
            (json.dumps(missing),),
        ):
            keys = self._analyser.keys(text.replace("_", " "))
            self._names[page].append(Name(text, keys))
        return self._names
