"""Decides which note a link means; the same answer whichever note it is asked from.

Order: exact path, path without regard to case, unique end of a path, file name, then an alias, a
title or the first heading that only one note has. A space and an underscore are the same. Several
candidates: the shortest path wins, then the alphabet, and the answer says that it was ambiguous.
"""

import posixpath
import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from vault.links.known import PageNames
from vault.links.link import Link
from vault.names import NOTE_SUFFIX, identity_key
from vault.setup import ARTICLES, TALK


@dataclass(frozen=True, slots=True)
class Found:
    """The note a link means; `candidates` has several paths when the link is ambiguous.

    `redirect` is the page that led on to this one.
    """

    path: str
    fragment: str | None
    candidates: tuple[str, ...]
    redirect: str | None = None

    @property
    def is_ambiguous(self) -> bool:
        """Whether other notes answer to the same name."""
        return len(self.candidates) > 1


@dataclass(frozen=True, slots=True)
class Wanted:
    """A page that does not exist yet; `name` is what the link calls it."""

    name: str


@dataclass(frozen=True, slots=True)
class Refused:
    """A link that may not be followed; `reason` is a sentence."""

    reason: str


_ARTICLES, _TALK = f"{ARTICLES}/", f"{TALK}/"
Resolution = Found | Wanted | Refused
LoadNames = Callable[[], Mapping[str, PageNames]]


class LinkResolver:
    """Resolves links against a set of paths, which may come and go.

    `load_names` tells what else the notes are called; it is called at most once, and only when a
    link matches no file name or may lead to a redirect.
    """

    def __init__(self, paths: Iterable[str], load_names: LoadNames | None = None) -> None:
        self._load_names = load_names
        self._names: dict[str, PageNames] | None = None
        self._loading = threading.Lock()
        self._by_name: dict[str, list[str]] = {}
        self._exact: set[str] = set()
        self._by_end: dict[str, list[str]] = {}
        self._by_path: dict[str, list[str]] = {}
        for path in set(paths):
            self._add_path(path)

    @property
    def is_loaded(self) -> bool:
        """Whether it is known by now what else the notes are called."""
        return self._names is not None

    def load(self) -> None:
        """Find out what else the notes are called: in a large wiki, many files are read."""
        self._loaded()

    def add(self, path: str, names: PageNames) -> None:
        """A page has come, or is called otherwise now."""
        known = self._loaded()
        if path in self._exact:
            self._remove_names(path, known.get(path))
        else:
            self._add_path(path)
        known[path] = names
        self._add_names(path, names)

    def remove(self, path: str) -> None:
        """A page is gone."""
        self._remove_names(path, self._loaded().pop(path, None))
        self._exact.discard(path)
        key = page_key(path)
        _drop(self._by_path, key, path)
        for end in _ends(key):
            _drop(self._by_end, end, path)

    def resolve(self, link: Link, from_path: str) -> Resolution:
        """Return the page that `link`, written in the note `from_path`, names."""
        if not link.target:
            return Found(from_path, link.fragment, (from_path,))
        if link.fragment is not None and link.is_wikilink:
            # A page may be called C#: the whole text is tried as a name before it is split.
            whole = self._page(f"{link.target}#{link.fragment}", link, from_path)
            if isinstance(whole, Found):
                return Found(whole.path, None, whole.candidates)
        return self._page(link.target, link, from_path)

    def follow(self, link: Link, from_path: str) -> Resolution:
        """Return where `link` leads: a page that only redirects is passed through, once."""
        named = self.resolve(link, from_path)
        if not isinstance(named, Found):
            return named
        names = self._loaded().get(named.path)
        if names is None or names.redirect is None:
            return named
        behind = self.resolve(names.redirect, named.path)
        if not isinstance(behind, Found) or behind.path == named.path:
            return named
        fragment = behind.fragment if named.fragment is None else named.fragment
        return Found(behind.path, fragment, named.candidates, named.path)

    def _page(self, target: str, link: Link, from_path: str) -> Resolution:
        if "\0" in target or "\\" in target:
            return Refused(f"“{link.target}” holds a character that no link may hold.")
        folder = posixpath.dirname(from_path)
        is_relative = target.startswith(("./", "../"))
        if is_relative or not (link.is_wikilink or target.startswith("/")):
            here = _joined(folder, target)
            if here is None:
                return Refused(f"“{link.target}” leads out of the wiki.")
            found = self._at_path(here)
            if found or is_relative:
                return _best(found, link.fragment) or Wanted(here)
        path = _joined("", target.lstrip("/"))
        if path is None:
            return Refused(f"“{link.target}” leads out of the wiki.")
        found = self._at_path(path)
        if not found and not target.startswith("/"):
            found = _without_talk(self._by_end.get(page_key(path), [])) or self._named(path)
        return _best(found, link.fragment) or Wanted(path)

    def _at_path(self, path: str) -> list[str]:
        for spelling in (path, path + NOTE_SUFFIX):
            if spelling in self._exact:
                return [spelling]
        return self._by_path.get(page_key(path), [])

    def _named(self, name: str) -> list[str]:
        self._loaded()
        found = self._by_name.get(page_key(name), [])
        return found if len(found) == 1 else []

    def _loaded(self) -> dict[str, PageNames]:
        if self._names is None:
            with self._loading:
                if self._names is None:
                    self._names = self._load()
        return self._names

    def _load(self) -> dict[str, PageNames]:
        found = dict(self._load_names()) if self._load_names else {}
        for path, names in found.items():
            if path in self._exact:
                self._add_names(path, names)
        return found

    def _add_path(self, path: str) -> None:
        self._exact.add(path)
        key = page_key(path)
        self._by_path.setdefault(key, []).append(path)
        for end in _ends(key):
            self._by_end.setdefault(end, []).append(path)

    def _add_names(self, path: str, names: PageNames) -> None:
        for key in {page_key(name) for name in names.all}:
            self._by_name.setdefault(key, []).append(path)

    def _remove_names(self, path: str, names: PageNames | None) -> None:
        for key in {page_key(name) for name in names.all} if names else ():
            _drop(self._by_name, key, path)


def page_key(path: str) -> str:
    """Return what a link and a path are compared by: no `.md`, no case, underscores as spaces."""
    bare = path[:-3] if path[-3:].casefold() == NOTE_SUFFIX else path
    return " ".join(identity_key(bare).replace("_", " ").split(" "))


def _best(paths: Iterable[str], fragment: str | None) -> Found | None:
    ranked = sorted(paths, key=lambda path: (len(path), path))
    return Found(ranked[0], fragment, tuple(ranked)) if ranked else None


def _without_talk(paths: list[str]) -> list[str]:
    """A talk page has its article's name; that name is the article's."""
    articles = {path[len(_ARTICLES) :] for path in paths if path.startswith(_ARTICLES)}
    return [
        path for path in paths if not (path.startswith(_TALK) and path[len(_TALK) :] in articles)
    ]


def _drop(paths: dict[str, list[str]], key: str, path: str) -> None:
    left = [each for each in paths.get(key, ()) if each != path]
    if left:
        paths[key] = left
    else:
        paths.pop(key, None)


def _ends(key: str) -> list[str]:
    parts = key.split("/")
    return ["/".join(parts[first:]) for first in range(len(parts))]


def _joined(folder: str, target: str) -> str | None:
    """Return the plain path of `target` seen from `folder`; None when it leaves the vault."""
    parts = [part for part in folder.split("/") if part]
    for part in target.split("/"):
        if part == "..":
            if not parts:
                return None
            parts.pop()
        elif part not in {"", "."}:
            parts.append(part.strip())
    return "/".join(parts) or None
