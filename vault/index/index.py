"""The index of one vault: brought in line with the files, which are the truth."""

from __future__ import annotations

import contextlib
import json
import threading
import time
from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import apsw
from filelock import FileLock

from vault.errors import SearchUnavailable
from vault.index.edges import Edges
from vault.index.refreshing import MANY, Refreshing
from vault.index.rows import FileVersion
from vault.index.schema import open_index, remove_index
from vault.listing import Note, list_vault, note_at
from vault.root import folder_key


@dataclass(frozen=True, slots=True)
class Refreshed:
    """What a refresh did: how many pages were read, unchanged ones left out, and how many went."""

    indexed: int
    removed: int
    failed: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Progress:
    """How many of the pages that changed a refresh has taken in."""

    done: int
    total: int


@dataclass(frozen=True, slots=True)
class Counts:
    """What is in the index. `failed` maps pages that could not be read to the reason."""

    pages: int
    excluded: int
    failed: dict[str, str]
    links: int
    wanted: int
    tags: int


def index_file(data_dir: Path, root: Path) -> Path:
    """Where the index of a folder lies: named by the folder's real path."""
    return data_dir / "index" / f"{folder_key(root)}.sqlite"


class Index:
    """Derived from the files of `root` and kept in `file`; any thread may call, one at a time."""

    def __init__(self, root: Path, file: Path, excluded: Container[str] = ()) -> None:
        self.root = root
        self._file = file
        self._excluded = excluded
        self._lock = threading.RLock()
        # Two programs that make or fill one index must not do so at once.
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._among_processes = FileLock(file.with_name(file.name + ".lock"), mode=0o600)
        self._connection = self._open()
        self.is_damaged = False
        """A question met bytes that are no index: it is to be rebuilt."""
        self._edges: Edges | None = None
        self._version = -1
        self._under_way: tuple[Refreshing, int] | None = None

    @property
    def version(self) -> tuple[int, int, int]:
        """What differs after any change, by this process or another."""
        connection = self._connection
        return id(connection), int(connection.pragma("data_version")), connection.total_changes()

    @property
    def progress(self) -> Progress | None:
        """How far a refresh has come that runs in another thread; None while none does."""
        under_way = self._under_way
        return None if under_way is None else Progress(under_way[0].taken, under_way[1])

    @contextlib.contextmanager
    def reading(self) -> Iterator[apsw.Connection]:
        """The tables, for who asks them; what they cannot answer raises SearchUnavailable."""
        with self._lock:
            try:
                yield self._connection
            except apsw.Error as error:
                self.is_damaged = isinstance(error, (apsw.CorruptError, apsw.NotADBError))
                raise SearchUnavailable(f"The wiki cannot be searched: {error}.") from error

    def refresh(self) -> Refreshed:
        """Look at every file; a damaged index is made anew."""
        try:
            return self._refresh(None)
        except (apsw.CorruptError, apsw.NotADBError, apsw.FullError, apsw.SQLError):
            self.rebuild()
            return self._refresh(None)

    def update(self, paths: Iterable[str]) -> Refreshed:
        """Look at these files only."""
        return self._refresh(set(paths))

    def rebuild(self) -> None:
        """Throw it away; the next refresh reads every file."""
        with self._lock, self._among_processes:
            self._connection.close()
            remove_index(self._file)
            self._connection = self._open()
            self._edges = None
            self.is_damaged = False

    def close(self) -> None:
        """Let go of the file."""
        with self._lock:
            self._connection.close()

    def counts(self) -> Counts:
        """What is in it, to hold against the files."""
        with self.reading() as connection:
            one = _Asked(connection)
            return Counts(
                pages=one("SELECT count(*) FROM page"),
                excluded=one("SELECT count(*) FROM page WHERE is_excluded"),
                failed=dict(
                    connection.execute("SELECT path, problem FROM page WHERE problem <> ''")
                ),
                links=one("SELECT count(*) FROM link"),
                wanted=one("SELECT count(DISTINCT key) FROM link WHERE state = 'wanted'"),
                tags=one("SELECT count(DISTINCT key) FROM tag"),
            )

    def _open(self) -> apsw.Connection:
        with self._among_processes:
            return open_index(self._file, str(self.root))

    def _refresh(self, only: set[str] | None) -> Refreshed:
        began = time.monotonic()
        with self._lock, self._among_processes:
            notes = self._notes(only)
            known = self._known(only)
            gone = [path for path in known if path not in notes]
            changed = [
                note for note in notes.values() if not _is_up_to_date(known.get(note.path), note)
            ]
            is_whole = len(changed) > MANY
            work = Refreshing(self.root, self._connection, self.edges(), known, is_whole)
            self._under_way = work, len(changed)
            try:
                work.remove(gone)
                work.read(changed)
                work.finish()
            finally:
                self._under_way = None
        return Refreshed(work.indexed, len(gone), work.failed, time.monotonic() - began)

    def _notes(self, only: set[str] | None) -> dict[str, Note]:
        if only is None:
            return {note.path: note for note in list_vault(self.root, self._excluded).notes}
        notes: dict[str, Note] = {}
        for path in only:
            with contextlib.suppress(OSError):
                note = note_at(self.root, path, self._excluded)
                if note is not None:
                    notes[path] = note
        return notes

    def _known(self, only: set[str] | None) -> dict[str, FileVersion]:
        query = "SELECT path, size, modified_ns, sha256, is_excluded, problem FROM page"
        if only is None:
            rows = self._connection.execute(query)
        else:
            query += " WHERE path IN (SELECT value FROM json_each(?))"
            rows = self._connection.execute(query, (json.dumps(sorted(only)),))
        return {
            path: FileVersion(path, size, modified, sha256, bool(excluded), problem)
            for path, size, modified, sha256, excluded, problem in rows
        }

    def edges(self) -> Edges:
        """The links' resolver, made anew when another process wrote."""
        version = int(self._connection.pragma("data_version"))
        if self._edges is None or version != self._version:
            self._edges, self._version = Edges(self._connection), version
        return self._edges


def _is_up_to_date(known: FileVersion | None, note: Note) -> bool:
    return known is not None and known == FileVersion(
        note.path, note.size, note.modified_ns, known.sha256, note.is_excluded
    )


class _Asked:
    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection

    def __call__(self, query: str) -> int:
        return int(self._connection.execute(query).get)
