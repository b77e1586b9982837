"""Which page each link leads to, kept right as pages come, go and change their names."""

from collections.abc import Iterable, Iterator
from typing import Any

import apsw

from vault.links.known import PageNames
from vault.links.link import Link, LinkForm
from vault.links.resolve import Found, LinkResolver, Refused, page_key
from vault.names import stem_of


class Edges:
    """Resolves the links of the index; `pages` maps paths to row ids."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection
        self.pages: dict[str, int] = {}
        names: dict[str, PageNames] = {}
        for page, path in connection.execute("SELECT id, path FROM page"):
            self.pages[path] = page
        self._keys = {path: set[str]() for path in self.pages}
        paths = {page: path for path, page in self.pages.items()}
        aliases: dict[int, list[str]] = {}
        for page, text in connection.execute(
            "SELECT page, text FROM name WHERE kind <> 'file' ORDER BY rowid"
        ):
            aliases.setdefault(page, []).append(text)
        for page, texts in aliases.items():
            if page in paths:
                names[paths[page]] = PageNames(aliases=tuple(texts))
        for path in self.pages:
            self._keys[path] = _keys_of(path, names.get(path))
        self._resolver = LinkResolver(self.pages, lambda: names)

    def add(self, path: str, page: int, names: PageNames) -> set[str]:
        """A page is there, maybe anew; returns the keys whose links may lead elsewhere now."""
        old = self._keys.get(path)
        self.pages[path] = page
        self._keys[path] = new = _keys_of(path, names)
        self._resolver.add(path, names)
        return new if old is None else old ^ new

    def remove(self, path: str) -> set[str]:
        """A page is gone; returns the keys whose links may lead elsewhere now."""
        self._resolver.remove(path)
        del self.pages[path]
        return self._keys.pop(path)

    def keys_of(self, path: str) -> set[str]:
        """What links call a page."""
        return self._keys[path]

    def resolve_pages(self, pages: Iterable[int]) -> None:
        """Resolve the links of these pages."""
        for page in pages:
            self._resolve("link.page = ?", page)

    def resolve_keys(self, keys: Iterable[str]) -> None:
        """Resolve every link that names one of these."""
        for key in keys:
            self._resolve("link.key = ?", key)
            if "#" in key:
                self._resolve("link.key = ?", key.partition("#")[0].strip())

    def resolve_all(self) -> None:
        """Resolve every link."""
        self._resolve("? = 0", 0)

    def _resolve(self, which: str, value: int | str) -> None:
        rows: Any = self._connection.execute(
            "SELECT link.id, page.path, link.form, link.target, link.fragment FROM link"
            f" JOIN page ON page.id = link.page WHERE {which}",
            (value,),
        ).fetchall()
        self._connection.executemany(
            "UPDATE link SET leads_to = ?, state = ? WHERE id = ?", self._resolutions(rows)
        )

    def _resolutions(
        self, rows: Iterable[tuple[int, str, LinkForm, str, str | None]]
    ) -> Iterator[tuple[int | None, str, int]]:
        known: dict[tuple[str, ...], tuple[int | None, str]] = {}
        for row, path, form, target, fragment in rows:
            # Links of one folder that say the same lead to the same page.
            place = path.rpartition("/")[0] if target else path
            key = (form, target, "" if fragment is None else f"#{fragment}", place)
            if key not in known:
                link = Link(0, 0, (0, 0), target, fragment, "", is_embed=False, form=form)
                known[key] = self._resolution(link, path)
            yield *known[key], row

    def _resolution(self, link: Link, path: str) -> tuple[int | None, str]:
        match self._resolver.resolve(link, path):
            case Found(path=found, candidates=candidates):
                return self.pages[found], "ambiguous" if len(candidates) > 1 else "found"
            case Refused():
                return None, "refused"
            case _:
                return None, "wanted"


def _keys_of(path: str, names: PageNames | None) -> set[str]:
    return {page_key(stem_of(path)), *(page_key(name) for name in (names.all if names else ()))}
