"""The pages the tools may know of: those that are not excluded."""

import difflib
import re
from collections.abc import Iterator
from typing import Any

from vault.errors import ToolRefused
from vault.index.index import Index
from vault.index.names import known_names
from vault.links.link import Link
from vault.links.resolve import Found, LinkResolver, page_key
from vault.names import stem_of
from vault.tools.known_page import KnownPage
from vault.tools.offer import LIST, SEARCH
from vault.tools.wording import Wording

_MOST_NEAR = 5
_CLOSE_ENOUGH = 0.7
_NAME = "(SELECT text FROM name WHERE name.page = page.id AND kind = '{}')"
_WORD = re.compile(r"\w+")


class Pages:
    """All of them, or those `within`, as they are at one moment."""

    def __init__(self, index: Index, within: frozenset[str] | None = None) -> None:
        with index.reading() as connection:
            rows: list[Any] = connection.execute(
                f"SELECT path, coalesce({_NAME.format('title')}, {_NAME.format('heading')}, title),"
                " date, modified_ns, redirect FROM page WHERE NOT is_excluded ORDER BY 2, path"
            ).fetchall()
        self.by_path = {
            path: KnownPage(path, *others)
            for path, *others in rows
            if within is None or path in within
        }
        names = known_names(index, with_excluded=False)
        self._names = {path: each for path, each in names.items() if path in self.by_path}

    def called(self, name: str, wording: Wording) -> KnownPage:
        """Return the page a name means; a redirect leads on. Raises ToolRefused."""
        resolver = LinkResolver(self._names, lambda: self._names)
        page = self._resolved(resolver, name, wording) or self._as_written(name, wording)
        if page is None:
            near = ", ".join(f"“{wording.line(each)}”" for each in self._near(name))
            hint = f" Near names: {near}." if near else ""
            raise ToolRefused(
                f"There is no page “{wording.line(name)}”.{hint}"
                f" Look for it with {SEARCH}, or see {LIST}."
            )
        behind = self._resolved(resolver, page.redirect, wording) if page.redirect else None
        return behind or page

    def _resolved(self, resolver: LinkResolver, name: str, wording: Wording) -> KnownPage | None:
        bare = name.strip().removeprefix("[[").removesuffix("]]").partition("|")[0]
        target, mark, heading = (part.strip() for part in bare.partition("#"))
        fragment = heading if mark else None
        link = Link(0, 0, (0, 0), target, fragment, "", is_embed=False, form="wikilink")
        found = resolver.resolve(link, "") if target else None
        if not isinstance(found, Found):
            return None
        if found.is_ambiguous and target not in found.candidates:
            paths = ", ".join(found.candidates[:_MOST_NEAR])
            raise ToolRefused(
                f"“{wording.line(name)}” is the name of {len(found.candidates)} pages;"
                f" give a path: {paths}."
            )
        return self.by_path.get(found.path)

    def _as_written(self, name: str, wording: Wording) -> KnownPage | None:
        """The page whose name was cut or cleaned to this one when it was told."""
        pages = self.by_path.values()
        return next((page for page in pages if name in wording.names(page)), None)

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
