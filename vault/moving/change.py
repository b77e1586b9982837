"""A change of several pages: what is asked for, and what it comes to."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from vault.article.splices import Edit
from vault.files import ArticleFile
from vault.links.known import PageNames


@dataclass(frozen=True, slots=True)
class Change:
    """What is to happen: pages that get new paths, pages that go, or pages that come."""

    moves: Mapping[str, str]
    deletes: frozenset[str] = frozenset()
    creates: frozenset[str] = frozenset()
    is_heading_kept: bool = True

    def path_after(self, path: str) -> str:
        """Where a page is then."""
        return self.moves.get(path, path)


@dataclass(frozen=True, slots=True)
class PageEdit:
    """Changes of one page, which was read as `file`; `links` counts those of links."""

    file: ArticleFile
    edits: tuple[Edit, ...]
    links: int


@dataclass(frozen=True, slots=True)
class SkippedPage:
    """A page that keeps a link that will lead elsewhere; `reason` has no final full stop."""

    path: str
    reason: str


@dataclass(frozen=True, slots=True)
class MovePlan:
    """Everything a change does, before it is done. `files` are the pages that move or go."""

    change: Change
    files: tuple[ArticleFile, ...]
    edits: tuple[PageEdit, ...]
    skipped: tuple[SkippedPage, ...]


@dataclass(frozen=True, slots=True)
class Pages:
    """The pages of a vault: their paths, what else they are called, and how to read one.

    `is_file` tells whether a path is that of any file.
    """

    paths: tuple[str, ...]
    names: Mapping[str, PageNames]
    read: Callable[[str], ArticleFile]
    is_file: Callable[[str], bool]
