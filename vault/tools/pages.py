"""The pages the tools may know of: those that are not excluded."""

import difflib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from vault.errors import ToolRefused
from vault.index.index import Index
from vault.index.names import known_names
from vault.links.link import Link
from vault.links.resolve import Found, LinkResolver, page_key
from vault.names import stem_of
from vault.tools.offer import LIST, SEARCH

_MOST_NEAR = 5
_CLOSE_ENOUGH = 0.7
_NAME = "(SELECT text FROM name WHERE name.page = page.id AND kind = '{}')"
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class KnownPage:
    """A page as the index knows it; `date` is empty when the page gives none.

    `title` is what the page calls itself; elsewhere than in our wikis files may be named otherwise.
    """

    path: str
    title: str
    date: str
    modified_ns: int
    redirect: str


class Pages:
    """All of them, as they are at one moment."""

    def __init__(self, index: Index) -> None:
        with index.reading() as connection:
            rows: list[Any] = connection.execute(
                f"SELECT path, coalesce({_NAME.format('title')}, {_NAME.format('heading')}, title),"
                " date, modified_ns, redirect FROM page WHERE NOT is_excluded ORDER BY 2, path"
            ).fetchall()
        self.by_path = {path: KnownPage(path, *others) for path, *others in rows}
        self._names = known_names(index, with_excluded=False)

    def called(self, name: str) -> KnownPage:
        """Return the page a name means; a redirect leads on. Raises ToolRefused."""
        resolver = LinkResolver(self._names, lambda: self._names)
        page = self._resolved(resolver, name)
        if page.redirect:
            try:
                return self._resolved(resolver, page.redirect)
            except ToolRefused:
                return page
        return page

    def _resolved(self, resolver: LinkResolver, name: str) -> KnownPage:
        bare = name.strip().removeprefix("[[").removesuffix("]]").partition("|")[0]
        target, mark, heading = (part.strip() for part in bare.partition("#"))
        fragment = heading if mark else None
        link = Link(0, 0, (0, 0), target, fragment, "", is_embed=False, form="wikilink")
        found = resolver.resolve(link, "") if target else None
        if isinstance(found, Found) and found.path in self.by_path:
            if found.is_ambiguous and target not in found.candidates:
                paths = ", ".join(found.candidates[:_MOST_NEAR])
                raise ToolRefused(
                    f"“{name}” is the name of {len(found.candidates)} pages; give a path: {paths}."
                )
            return self.by_path[found.path]
        near = ", ".join(f"“{title}”" for title in self._near(name))
        hint = f" Near names: {near}." if near else ""
        raise ToolRefused(
            f"There is no page “{name}”.{hint} Look for it with {SEARCH}, or see {LIST}."
        )

    def _near(self, name: str) -> list[str]:
        """The names that share most words with a name, then those spelled like it."""
        words = set(_WORD.findall(name.casefold()))
        scored: list[tuple[int, str]] = []
        keys: dict[str, str] = {}
        for known in self._all_names():
            keys.setdefault(page_key(known), known)
            shared = len(words & set(_WORD.findall(known.replace("_", " ").casefold())))
            if shared:
                scored.append((-shared, known))
        spelled = difflib.get_close_matches(page_key(name), keys, _MOST_NEAR, _CLOSE_ENOUGH)
        near = [keys[key] for key in spelled] + [known for _, known in sorted(scored)]
        return list(dict.fromkeys(near))[:_MOST_NEAR]

    def _all_names(self) -> Iterator[str]:
        for path, names in self._names.items():
            yield stem_of(path).replace("_", " ")
            yield from names.all
