"""Remembers what the notes of a vault were, to tell real changes from mere events."""

import stat
from dataclasses import dataclass
from pathlib import Path

from vault.atomic import digest
from vault.confined import opened_place, read_regular
from vault.errors import NotAllowed
from vault.files import MOST_EDITED_BYTES
from vault.listing import list_vault
from vault.names import is_note_name

_MOST_HASHED_AT_START = 5000

_Signature = tuple[int, int, int, int]


@dataclass(frozen=True, slots=True)
class _Seen:
    signature: _Signature
    sha256: str | None


class Snapshot:
    """The notes as last seen. Blocking; one thread at a time."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._seen: dict[str, _Seen] = {}
        notes = list_vault(root).notes
        is_hashed = len(notes) <= _MOST_HASHED_AT_START
        for note in notes:
            signature = self._signature(note.path)
            if signature is not None:
                sha = self._sha256(note.path) if is_hashed else None
                self._seen[note.path] = _Seen(signature, sha)

    def check(self, hints: set[str]) -> frozenset[str]:
        """Return which of the hinted paths changed; a hinted folder means looking everywhere."""
        if any(self._is_folder(hint) for hint in hints):
            return self.rescan()
        notes = (hint for hint in hints if is_note_name(hint.rpartition("/")[2]))
        return frozenset(path for path in notes if self._has_changed(path))

    def rescan(self) -> frozenset[str]:
        """Look at every note and return the paths that changed, appeared or went."""
        if not self._root.is_dir():
            # An unmounted disk is no reason to call every note deleted.
            return frozenset()
        listing = list_vault(self._root)
        unreadable = tuple(f"{problem.path}/" for problem in listing.problems)
        listed = {note.path for note in listing.notes}
        gone = {path for path in self._seen if path not in listed}
        asked = listed | {path for path in gone if not path.startswith(unreadable)}
        return frozenset(path for path in asked if self._has_changed(path))

    def _is_folder(self, hint: str) -> bool:
        if (self._root / hint).is_dir():
            return True
        return any(path.startswith(f"{hint}/") for path in self._seen)

    def _has_changed(self, path: str) -> bool:
        seen = self._seen.get(path)
        signature = self._signature(path)
        if signature is None:
            self._seen.pop(path, None)
            return seen is not None
        if seen is not None and seen.signature == signature:
            return False
        sha = self._sha256(path)
        self._seen[path] = _Seen(signature, sha)
        return seen is None or sha is None or sha != seen.sha256

    def _signature(self, path: str) -> _Signature | None:
        """Return what changes with the file; None when there is no such note in the vault."""
        try:
            parents = path.split("/")[:-1]
            for level in range(1, len(parents) + 1):
                folder = (self._root / "/".join(parents[:level])).lstat()
                if not stat.S_ISDIR(folder.st_mode):
                    return None
            status = (self._root / path).stat()
        except OSError:
            return None
        return status.st_mtime_ns, status.st_ctime_ns, status.st_size, status.st_ino

    def _sha256(self, path: str) -> str | None:
        try:
            with opened_place(self._root, path) as place:
                content = read_regular(place, MOST_EDITED_BYTES)[1]
        except (OSError, NotAllowed):
            return None
        return digest(content) if len(content) <= MOST_EDITED_BYTES else None
