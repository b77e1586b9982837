"""Lists the notes of a vault as a tree, without following links out of it or in circles."""

import os
import unicodedata
from collections.abc import Container
from dataclasses import dataclass
from pathlib import Path

from vault import os_errors
from vault.marker import read_marker
from vault.names import displayable, identity_key, is_note_name, stem_of, title_of
from vault.setup import ARTICLES, META, REFERENCE, TALK

_OUR_ORDER = (ARTICLES, TALK, META, REFERENCE)
_MOST_LEVELS = 64


@dataclass(frozen=True, slots=True)
class Note:
    """A Markdown file. `path` opens it, `title` can be shown; times in ns, sizes in bytes.

    One that `is_excluded` is found by links and by the tree, and left out of searches.
    """

    path: str
    title: str
    size: int
    modified_ns: int
    is_excluded: bool = False


@dataclass(frozen=True, slots=True)
class Folder:
    """A folder that holds notes, here or further down; `path` is empty for the vault itself."""

    path: str
    name: str
    folders: tuple["Folder", ...]
    notes: tuple[Note, ...]


@dataclass(frozen=True, slots=True)
class Problem:
    """A folder or file that could not be listed; `reason` has no final full stop."""

    path: str
    reason: str


@dataclass(frozen=True, slots=True)
class VaultListing:
    """Every note of a vault: as a tree, and flat in the order of the tree."""

    top: Folder
    notes: tuple[Note, ...]
    problems: tuple[Problem, ...]
    is_ours: bool


def list_vault(root: Path, excluded: Container[str] = ()) -> VaultListing:
    """List the notes; our own vaults show their four folders, others every `.md` in its place.

    Hidden folders and symbolic links to folders are left out. What cannot be read is reported.
    """
    is_ours = read_marker(root) is not None
    walk = _Walk(root, is_ours, excluded)
    if is_ours:
        folders = tuple(walk.folder(name, name, 1) for name in _OUR_ORDER if _is_dir(root / name))
        top = Folder("", root.name, folders, ())
    else:
        top = walk.folder("", root.name, 0)
    return VaultListing(top, tuple(_flat(top)), tuple(walk.problems), is_ours)


def note_at(root: Path, path: str, excluded: Container[str] = ()) -> Note | None:
    """Return one note as `list_vault` has it; None where it has none. Raises OSError."""
    *folders, name = path.split("/")
    is_ours = read_marker(root) is not None
    if is_ours and (not folders or folders[0] not in _OUR_ORDER):
        return None
    if len(folders) > _MOST_LEVELS or not is_note_name(name):
        return None
    place = root
    for folder in folders:
        place /= folder
        if folder in {"", ".."} or folder.startswith(".") or place.is_symlink():
            return None
    file = place / name
    if not file.is_file() or not _is_spelt_so(place, name):
        return None
    real_root = os.path.realpath(root) + os.sep
    if file.is_symlink() and not os.path.realpath(file).startswith(real_root):
        return None
    status, stem = file.stat(), stem_of(displayable(path))
    title = title_of(stem) if is_ours else stem
    return Note(path, title, status.st_size, status.st_mtime_ns, path in excluded)


def _is_spelt_so(folder: Path, name: str) -> bool:
    """Whether a file has this very name, where the disk also answers to other spellings of it."""
    composed = unicodedata.normalize("NFC", name)
    other = (unicodedata.normalize("NFD", name) if composed == name else composed).swapcase()
    if other == name or not os.path.lexists(folder / other):
        return True
    return any(entry.name == name for entry in folder.iterdir())


class _Walk:
    def __init__(self, root: Path, is_ours: bool, excluded: Container[str]) -> None:
        self._root = root
        self._excluded = excluded
        self._real_root = os.path.realpath(root) + os.sep
        self._is_ours = is_ours
        self.problems: list[Problem] = []

    def folder(self, path: str, name: str, level: int) -> Folder:
        folders: list[Folder] = []
        notes: list[Note] = []
        for entry in self._entries(path, level):
            inner = f"{path}/{entry.name}" if path else entry.name
            try:
                if entry.is_dir(follow_symlinks=False):
                    found = self.folder(inner, entry.name, level + 1)
                    if found.folders or found.notes:
                        folders.append(found)
                elif is_note_name(entry.name) and self._is_readable_note(entry):
                    notes.append(self._note(inner, entry))
            except OSError as error:
                self.problems.append(Problem(inner, os_errors.reason(error)))
        folders.sort(key=lambda found: identity_key(found.name))
        notes.sort(key=lambda note: (identity_key(note.title), note.path))
        return Folder(path, displayable(name), tuple(folders), tuple(notes))

    def _entries(self, path: str, level: int) -> list[os.DirEntry[str]]:
        if level > _MOST_LEVELS:
            self.problems.append(Problem(path, f"it is more than {_MOST_LEVELS} folders deep"))
            return []
        try:
            with os.scandir(self._root / path) as entries:
                return [entry for entry in entries if not entry.name.startswith(".")]
        except OSError as error:
            self.problems.append(Problem(path, os_errors.reason(error)))
            return []

    def _is_readable_note(self, entry: os.DirEntry[str]) -> bool:
        if entry.is_symlink() and not os.path.realpath(entry.path).startswith(self._real_root):
            return False
        return entry.is_file()

    def _note(self, path: str, entry: os.DirEntry[str]) -> Note:
        status = entry.stat()
        stem = stem_of(displayable(path))
        title = title_of(stem) if self._is_ours else stem
        is_excluded = path in self._excluded
        return Note(path, title, status.st_size, status.st_mtime_ns, is_excluded)


def _flat(folder: Folder) -> list[Note]:
    return [note for inner in folder.folders for note in _flat(inner)] + list(folder.notes)


def _is_dir(path: Path) -> bool:
    return path.is_dir() and not path.is_symlink()
