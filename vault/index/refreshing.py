"""One refresh of the index under way."""

import itertools
from collections.abc import Mapping
from pathlib import Path

import apsw

from vault.index.edges import Edges
from vault.index.reading import PageRead, Wanted, read_pages
from vault.index.rows import FileVersion, delete_page, insert_page
from vault.index.schema import create_indexes, drop_indexes
from vault.links.known import PageNames
from vault.listing import Note

PAGES_A_TRANSACTION = 4000
MANY = 500
"""From so many changed pages on every link is resolved anew."""


class Refreshing:
    """Transactions of many pages, links resolved at the end.

    `known` are the pages as the index has them; `is_whole` resolves every link instead of those
    that may lead elsewhere now.
    """

    def __init__(
        self,
        root: Path,
        connection: apsw.Connection,
        edges: Edges,
        known: Mapping[str, FileVersion],
        is_whole: bool,
    ) -> None:
        self._root = root
        self._connection = connection
        self._edges = edges
        self._known = known
        self._is_whole = is_whole
        self._is_first = is_whole and not edges.pages
        self._keys: set[str] = set()
        self._pages: set[int] = set()
        self.taken = self.indexed = self.failed = 0

    def remove(self, paths: list[str]) -> None:
        """Take pages out."""
        with self._connection:
            for path in paths:
                self._forget(path)

    def read(self, notes: list[Note]) -> None:
        """Read pages and put them in."""
        if self._is_first:
            with self._connection:
                drop_indexes(self._connection)
        wanted = [Wanted(note, self._hash_of(note)) for note in notes]
        pages = read_pages(self._root, wanted)
        for start in range(0, len(wanted), PAGES_A_TRANSACTION):
            with self._connection:
                for page in itertools.islice(pages, min(PAGES_A_TRANSACTION, len(wanted) - start)):
                    self._take(page)
                    self.taken += 1

    def _hash_of(self, note: Note) -> str:
        """The hash that makes reading the page unnecessary."""
        known = self._known.get(note.path)
        is_same = known is not None and known.is_excluded == note.is_excluded
        return known.sha256 if known and is_same and not known.problem else ""

    def finish(self) -> None:
        """Resolve the links."""
        with self._connection:
            if self._is_whole:
                self._edges.resolve_all()
                create_indexes(self._connection)
            else:
                self._edges.resolve_pages(self._pages)
                self._edges.resolve_keys(self._keys)

    def _take(self, read: PageRead) -> None:
        path, known = read.note.path, self._known.get(read.note.path)
        if read.is_missing:
            self._forget(path)
            return
        if read.rows is None and not read.problem and known is not None:
            # Only the file's time has changed.
            self._connection.execute(
                "UPDATE page SET size = ?, modified_ns = ? WHERE path = ?",
                (read.note.size, read.note.modified_ns, path),
            )
            return
        old = self._edges.pages.get(path)
        if old is not None:
            delete_page(self._connection, old)
        page = insert_page(self._connection, _version(read), read.rows)
        self._pages.add(page)
        names = read.rows.names if read.rows else PageNames()
        self._keys |= self._edges.add(path, page, names)
        if old is not None:
            # Who linked to the old row leads to the new one.
            self._keys |= self._edges.keys_of(path)
        self.indexed += read.rows is not None
        self.failed += bool(read.problem)

    def _forget(self, path: str) -> None:
        page = self._edges.pages.get(path)
        if page is not None:
            delete_page(self._connection, page)
            self._keys |= self._edges.remove(path)


def _version(read: PageRead) -> FileVersion:
    note = read.note
    return FileVersion(
        note.path, note.size, note.modified_ns, read.sha256, note.is_excluded, read.problem
    )
