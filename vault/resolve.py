"""Decides which note a link means; the same answer whichever note it is asked from.

Order: exact path, path without regard to case, unique end of a path, file name, then the first
heading. A space and an underscore are the same. Several candidates: the shortest path wins,
then the alphabet, and the answer says that it was ambiguous.
"""

import posixpath
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from vault.links import Link
from vault.listing import VaultListing
from vault.names import NOTE_SUFFIX, identity_key


@dataclass(frozen=True, slots=True)
class Found:
    """The note a link means; `candidates` has several paths when the link is ambiguous."""

    path: str
    fragment: str | None
    candidates: tuple[str, ...]

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


Resolution = Found | Wanted | Refused


class LinkResolver:
    """Resolves links against one listing; build a new one when the listing changes.

    `load_titles` maps paths to first headings; it is called at most once, and only when a link
    matches no file name.
    """

    def __init__(
        self,
        listing: VaultListing,
        load_titles: Callable[[], Mapping[str, str]] | None = None,
    ) -> None:
        self._load_titles = load_titles
        self._by_title: dict[str, list[str]] | None = None
        self._exact = {note.path for note in listing.notes}
        self._by_end: dict[str, list[str]] = {}
        self._by_path: dict[str, list[str]] = {}
        for note in listing.notes:
            key = _key(note.path)
            self._by_path.setdefault(key, []).append(note.path)
            for end in _ends(key):
                self._by_end.setdefault(end, []).append(note.path)

    def resolve(self, link: Link, from_path: str) -> Resolution:
        """Return what `link`, written in the note `from_path`, points to."""
        if not link.target:
            return Found(from_path, link.fragment, (from_path,))
        if link.fragment is not None and link.is_wikilink:
            # A page may be called C#: the whole text is tried as a name before it is split.
            whole = self._page(f"{link.target}#{link.fragment}", link, from_path)
            if isinstance(whole, Found):
                return Found(whole.path, None, whole.candidates)
        return self._page(link.target, link, from_path)

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
            found = self._by_end.get(_key(path), []) or self._titled(path)
        return _best(found, link.fragment) or Wanted(path)

    def _at_path(self, path: str) -> list[str]:
        for spelling in (path, path + NOTE_SUFFIX):
            if spelling in self._exact:
                return [spelling]
        return self._by_path.get(_key(path), [])

    def _titled(self, name: str) -> list[str]:
        if self._by_title is None:
            titles = self._load_titles() if self._load_titles else {}
            self._by_title = {}
            for path, title in titles.items():
                self._by_title.setdefault(_key(title), []).append(path)
        found = self._by_title.get(_key(name), [])
        return found if len(found) == 1 else []


def _best(paths: Iterable[str], fragment: str | None) -> Found | None:
    ranked = sorted(paths, key=lambda path: (len(path), path))
    return Found(ranked[0], fragment, tuple(ranked)) if ranked else None


def _key(path: str) -> str:
    """Return what a link and a path are compared by: no `.md`, no case, underscores as spaces."""
    bare = path[:-3] if path[-3:].casefold() == NOTE_SUFFIX else path
    return " ".join(identity_key(bare).replace("_", " ").split(" "))


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
