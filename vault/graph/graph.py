"""Neighbours of a page, pages nobody links to or that link nowhere, wanted pages, ways."""

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import apsw

from vault.index.index import Index
from vault.setup import META, REFERENCE, TALK

_LONGEST_WAY = 12


@dataclass(frozen=True, slots=True)
class Neighbour:
    """A page beside another: how many links lead there, and how many lead back."""

    path: str
    title: str
    links_to: int
    links_from: int


@dataclass(frozen=True, slots=True)
class WantedPage:
    """A page that does not exist: what links call it, how many there are, and from where."""

    name: str
    links: int
    pages: tuple[str, ...]


class Graph:
    """Asks the index; links of a page to itself are left out, redirects not followed."""

    def __init__(self, index: Index) -> None:
        self._index = index

    def neighbours(self, path: str) -> tuple[Neighbour, ...]:
        """The pages that a page links to or that link to it, by path."""
        with self._index.reading() as connection:
            rows: Any = connection.execute(
                "SELECT other.path, other.title, sum(is_out), sum(1 - is_out) FROM ("
                " SELECT link.leads_to AS other, 1 AS is_out FROM link"
                "  JOIN page ON page.id = link.page WHERE page.path = ?1 AND leads_to IS NOT NULL"
                " UNION ALL SELECT link.page, 0 FROM link"
                "  JOIN page ON page.id = link.leads_to WHERE page.path = ?1"
                ") JOIN page other ON other.id = other WHERE other.path <> ?1"
                " GROUP BY other.id ORDER BY other.path",
                (path,),
            ).fetchall()
        return tuple(Neighbour(*row) for row in rows)

    def orphans(self) -> tuple[str, ...]:
        """Articles no other page links to."""
        return self._articles(
            "NOT EXISTS (SELECT 1 FROM link WHERE leads_to = page.id AND link.page <> page.id)"
        )

    def dead_ends(self) -> tuple[str, ...]:
        """Articles that link to no other page that exists."""
        return self._articles(
            "NOT EXISTS (SELECT 1 FROM link WHERE link.page = page.id"
            " AND leads_to IS NOT NULL AND leads_to <> page.id)"
        )

    def wanted(self) -> tuple[WantedPage, ...]:
        """The pages that links name and nobody wrote, most wanted first."""
        found: dict[str, list[tuple[str, str]]] = {}
        with self._index.reading() as connection:
            rows: Any = connection.execute(
                "SELECT link.key, link.target, page.path FROM link JOIN page ON page.id = link.page"
                " WHERE state = 'wanted' AND link.key <> '' AND NOT page.is_excluded"
                " ORDER BY page.path, link.start"
            )
            for key, target, path in rows:
                found.setdefault(key, []).append((target, path))
        wanted = [
            WantedPage(links[0][0], len(links), tuple(dict.fromkeys(path for _, path in links)))
            for links in found.values()
        ]
        return tuple(sorted(wanted, key=lambda page: (-page.links, page.name)))

    def way(self, start: str, goal: str) -> tuple[str, ...]:
        """The shortest chain of links from a page to another, either way; empty without one."""
        with self._index.reading() as connection:
            ids = dict(
                connection.execute("SELECT path, id FROM page WHERE path IN (?, ?)", (start, goal))
            )
            if len({start, goal} & set(ids)) < len({start, goal}):
                return ()
            found = _breadth_first(connection, int(ids[start]), int(ids[goal]))
            paths = dict(connection.execute("SELECT id, path FROM page"))
        return tuple(str(paths[page]) for page in found)

    def _articles(self, condition: str) -> tuple[str, ...]:
        with self._index.reading() as connection:
            rows: Any = connection.execute(
                f"SELECT path FROM page WHERE {condition} AND NOT is_excluded AND redirect = ''"
                " AND problem = '' ORDER BY path"
            ).fetchall()
        return tuple(path for (path,) in rows if not is_apparatus(path))


def is_apparatus(path: str) -> bool:
    """Whether a page is about the wiki, and not a part of what it says."""
    return path.startswith((f"{META}/", f"{REFERENCE}/", f"{TALK}/"))


def _breadth_first(connection: apsw.Connection, start: int, goal: int) -> list[int]:
    came_from = {start: start}
    waiting = deque([(start, 0)])
    while waiting:
        page, length = waiting.popleft()
        if page == goal:
            way = [page]
            while way[-1] != start:
                way.append(came_from[way[-1]])
            return way[::-1]
        if length < _LONGEST_WAY:
            for other in _beside(connection, page):
                if other not in came_from:
                    came_from[other] = page
                    waiting.append((other, length + 1))
    return []


def _beside(connection: apsw.Connection, page: int) -> Iterator[int]:
    rows: Any = connection.execute(
        "SELECT leads_to FROM link WHERE page = ?1 AND leads_to IS NOT NULL"
        " UNION SELECT page FROM link WHERE leads_to = ?1 ORDER BY 1",
        (page,),
    ).fetchall()
    return (int(other) for (other,) in rows)
