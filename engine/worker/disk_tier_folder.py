"""The tier's folder: what lies in it, what must go, and whose it is. No MLX here.

    ROOT/FINGERPRINT/OWNERS-RANDOM.zibkv

The folder itself is the only record: other processes may add and remove files at any moment.
"""

from __future__ import annotations

import contextlib
import os
import shutil
from array import array
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path

from engine.worker.disk_tier_format import FileRefused, Header, read_header
from engine.worker.disk_tier_names import (
    SUFFIX,
    TEMPORARY_SUFFIX,
    mark_of,
    marks_in,
    remove_all,
    sync_folder,
    without_mark,
)
from engine.worker.disk_tier_writing import is_abandoned

OLD_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_AUTO_SHARE, _AUTO_MOST = 10, 8 * 1024**3


@dataclass(frozen=True, slots=True)
class Stored:
    """A file that can be read, without what it holds; `used_at` in seconds since 1970."""

    path: Path
    tokens: array[int]
    is_trimmable: bool
    nbytes: int
    used_at: float

    @property
    def marks(self) -> frozenset[str]:
        """Whose it is."""
        return marks_in(self.path.name)


@dataclass(frozen=True, slots=True)
class FolderUsage:
    """What all files of the tier take together, those of other models too."""

    files: int = 0
    nbytes: int = 0


def allowance(wish: int | None, root: Path) -> int:
    """How many bytes the tier may take: what is wished for, or a modest part of the free disk."""
    if wish is not None:
        return wish
    place = next(folder for folder in (root, *root.parents) if folder.is_dir())
    try:
        room = shutil.disk_usage(place).free + TierFolder(root).usage().nbytes
    except OSError:
        return 0
    return min(room // _AUTO_SHARE, _AUTO_MOST)


class TierFolder:
    """Any thread; nothing is kept between two calls. Methods raise OSError."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def scan(self, fingerprint: str) -> list[Stored]:
        """What is stored for one model; removes what nobody can use any more."""
        folder = self.root / fingerprint
        found: list[Stored] = []
        spent: list[Path] = []
        for file in _files(folder):
            try:
                found.append(_look_into(file, fingerprint))
            except FileRefused as refusal:
                spent += [file] if refusal.is_spent else []
            except OSError:
                continue
        remove_all(spent)
        return found

    def reap(self) -> int:
        """Remove what dead processes left unfinished, whatever model it was for."""
        dead = []
        for temporary in self._everything(TEMPORARY_SUFFIX):
            with contextlib.suppress(OSError):
                if is_abandoned(temporary):
                    dead.append(temporary)
        return remove_all(dead)

    def usage(self) -> FolderUsage:
        """What all finished files take."""
        sizes = [status.st_size for _, status in self._with_status()]
        return FolderUsage(len(sizes), sum(sizes))

    def evict(self, limit: int, spared: Path | None = None) -> list[Path]:
        """Remove the files unused for longest until the others fit; returns what went."""
        files = sorted(self._with_status(), key=lambda each: each[1].st_mtime_ns)
        surplus = sum(status.st_size for _, status in files) - limit
        doomed: list[Path] = []
        for file, status in files:
            if surplus <= 0:
                break
            if file != spared:
                doomed.append(file)
                surplus -= status.st_size
        remove_all(doomed)
        return doomed

    def forget(self, owner: str) -> int:
        """Remove what only this owner uses, of all models; the rest is no longer named after it.

        Returns how many files went, those that were never finished not among them.
        """
        mark = mark_of(owner)
        own = [file for file in self._everything("") if mark in marks_in(file.name)]
        alone = [file for file in own if marks_in(file.name) == {mark}]
        remove_all([file for file in alone if not file.name.endswith(SUFFIX)])
        removed = remove_all([file for file in alone if file.name.endswith(SUFFIX)])
        for file in set(own) - set(alone):
            with contextlib.suppress(FileNotFoundError):
                file.rename(file.with_name(without_mark(file.name, mark)))
                sync_folder(file.parent)
        return removed

    def _with_status(self) -> Iterator[tuple[Path, os.stat_result]]:
        for file in self._everything(SUFFIX):
            with contextlib.suppress(FileNotFoundError):
                yield file, file.lstat()

    def _everything(self, suffix: str) -> Iterator[Path]:
        """Files of ours with this ending, or with any."""
        suffixes = (suffix,) if suffix else (SUFFIX, TEMPORARY_SUFFIX)
        for folder in _listed(self.root):
            if folder.is_dir(follow_symlinks=False):
                for file in _listed(Path(folder.path)):
                    if file.name.endswith(suffixes) and SUFFIX in file.name:
                        yield Path(file.path)


def open_stored(path: Path, fingerprint: str) -> tuple[int, Header, int]:
    """An open file, its header and where its data begins; the caller closes it.

    Raises FileRefused, OSError.
    """
    descriptor = os.open(path, OLD_FILE)
    try:
        opened = read_header(descriptor)
        if opened.header.fingerprint != fingerprint:
            raise FileRefused("It belongs to another model.", is_spent=False)
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor, opened.header, opened.data_start


def _look_into(path: Path, fingerprint: str) -> Stored:
    descriptor, header, _ = open_stored(path, fingerprint)
    try:
        status = os.fstat(descriptor)
    finally:
        os.close(descriptor)
    tokens = array("i", header.tokens)
    return Stored(path, tokens, header.is_trimmable, status.st_size, status.st_mtime)


def _files(folder: Path) -> Collection[Path]:
    return [Path(entry.path) for entry in _listed(folder) if entry.name.endswith(SUFFIX)]


def _listed(folder: Path) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return list(entries)
    except (FileNotFoundError, NotADirectoryError):
        return []
