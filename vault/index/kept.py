"""The index of an opened wiki: opened when it is first asked for, then told of every change."""

import threading
from collections.abc import Container, Iterable
from pathlib import Path

import apsw

from vault.errors import SearchUnavailable
from vault.index.index import Index, Progress, index_file

# From so many files on it is quicker to list the whole wiki than to look for each.
_MOST_LOOKED_AT = 500


class KeptIndex:
    """Keeps one index in `data_dir`; any thread may call."""

    def __init__(self, root: Path, data_dir: Path | None, excluded: Container[str] = ()) -> None:
        self._root = root
        self._data_dir = data_dir
        self._excluded = excluded
        self._lock = threading.Lock()
        self._index: Index | None = None
        self._is_doubtful = True

    def opened(self) -> Index:
        """The index, in line with the files when it is first opened. Raises SearchUnavailable."""
        with self._lock:
            try:
                if self._index is None:
                    self._index = self._open()
                if self._index.is_damaged:
                    self._index.rebuild()
                    self._is_doubtful = True
                if self._is_doubtful:
                    self._index.refresh()
                    self._is_doubtful = False
            except (apsw.Error, OSError) as error:
                raise SearchUnavailable(f"The wiki cannot be searched: {error}.") from error
            return self._index

    @property
    def is_ready(self) -> bool:
        """Whether a question is answered at once. Never blocks."""
        index = self._index
        return index is not None and not self._is_doubtful and index.progress is None

    @property
    def progress(self) -> Progress | None:
        """How far the index has come that another call waits for; None when none is at work."""
        index = self._index
        return None if index is None else index.progress

    def note(self, paths: Iterable[str]) -> None:
        """These files may have changed. What goes wrong is put right at the next question."""
        changed = set(paths)
        with self._lock:
            if self._index is None or self._is_doubtful:
                return
            try:
                if len(changed) > _MOST_LOOKED_AT:
                    self._index.refresh()
                else:
                    self._index.update(changed)
            except (apsw.Error, OSError):
                self._is_doubtful = True

    def doubt(self) -> None:
        """Something may have changed unseen: the next question looks at every file first."""
        with self._lock:
            self._is_doubtful = True

    def close(self) -> None:
        """Let go of the file."""
        with self._lock:
            if self._index is not None:
                self._index.close()
            self._index, self._is_doubtful = None, True

    def _open(self) -> Index:
        if self._data_dir is None:
            raise SearchUnavailable("The wiki cannot be searched: there is no place for its index.")
        return Index(self._root, index_file(self._data_dir, self._root), self._excluded)
