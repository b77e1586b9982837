"""Opens files of a vault so that no symbolic link leads out of it, not even one swapped in late.

Every path is walked from a descriptor of the root, one component at a time and never through a
link: a link is read and its target, when it stays inside, is walked the same way. What was
checked is therefore what is opened.
"""

import contextlib
import errno
import os
import stat
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from vault.errors import NotAllowed
from vault.names import displayable

_MOST_LINKS = 8
_DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


@dataclass(frozen=True, slots=True)
class Place:
    """A file's folder, held open, and its name there; `relative` has no link in it."""

    folder: int
    name: str
    relative: str


@contextlib.contextmanager
def opened_place(root: Path, relative: str, *, make_folders: bool = False) -> Iterator[Place]:
    """Hold the folder of `relative` open. Raises OSError, or NotAllowed for a way out."""
    with _opened(root) as top:
        parts = _without_links(root, top, relative)
        with _walked(top, parts[:-1], make_folders=make_folders) as folder:
            yield Place(folder, parts[-1], "/".join(parts))


def is_spelt_so(place: Place) -> bool:
    """Whether a file has this very name, where the disk also answers to other spellings of it."""
    name = place.name
    composed = unicodedata.normalize("NFC", name)
    other = (unicodedata.normalize("NFD", name) if composed == name else composed).swapcase()
    try:
        os.stat(name, dir_fd=place.folder, follow_symlinks=False)
        if other != name:
            os.stat(other, dir_fd=place.folder, follow_symlinks=False)
            return name in os.listdir(place.folder)  # noqa: PTH208 - a descriptor, not a path
    except FileNotFoundError as error:
        return bool(error.filename == other)
    return True


def read_regular(place: Place, most_bytes: int) -> tuple[os.stat_result, bytes]:
    """Read a regular file, at most one byte more than `most_bytes`; OSError for anything else."""
    descriptor = os.open(place.name, _FILE, dir_fd=place.folder)
    with open(descriptor, "rb", buffering=0) as file:  # noqa: PTH123 - a descriptor, not a path
        status = os.fstat(descriptor)
        if stat.S_ISDIR(status.st_mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        if not stat.S_ISREG(status.st_mode):
            raise OSError(errno.EINVAL, "it is not an ordinary file")
        return status, _read_up_to(file.fileno(), most_bytes + 1)


def _read_up_to(descriptor: int, most_bytes: int) -> bytes:
    pieces: list[bytes] = []
    left = most_bytes
    while left > 0 and (piece := os.read(descriptor, min(left, 1 << 20))):
        pieces.append(piece)
        left -= len(piece)
    return b"".join(pieces)


@contextlib.contextmanager
def _opened(path: Path) -> Iterator[int]:
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


@contextlib.contextmanager
def _walked(top: int, parts: list[str], *, make_folders: bool) -> Iterator[int]:
    folder = os.dup(top)
    try:
        for part in parts:
            if make_folders:
                with contextlib.suppress(FileExistsError):
                    os.mkdir(part, dir_fd=folder)
            inner = os.open(part, _DIRECTORY, dir_fd=folder)
            os.close(folder)
            folder = inner
        yield folder
    finally:
        os.close(folder)


def _without_links(root: Path, top: int, relative: str) -> list[str]:
    """Return the components of `relative` with every symbolic link replaced by its target."""
    ahead = list(reversed(relative.split("/")))
    real: list[str] = []
    links = 0
    while ahead:
        part = ahead.pop()
        if part in {"", "."}:
            continue
        if part == "..":
            if not real:
                raise _leads_out(relative)
            real.pop()
            continue
        target = _link_target(top, [*real, part])
        if target is None:
            real.append(part)
            continue
        links += 1
        if links > _MOST_LINKS:
            raise NotAllowed(
                f"“{displayable(relative)}” is a symbolic link that leads in a circle."
            )
        if target.startswith("/"):
            target = _inside(root, target, relative)
            real.clear()
        ahead.extend(reversed(target.split("/")))
    if not real:
        raise _leads_out(relative)
    return real


def _link_target(top: int, parts: list[str]) -> str | None:
    try:
        with _walked(top, parts[:-1], make_folders=False) as folder:
            if not stat.S_ISLNK(os.lstat(parts[-1], dir_fd=folder).st_mode):
                return None
            return os.readlink(parts[-1], dir_fd=folder)
    except FileNotFoundError:
        return None


def _inside(root: Path, target: str, relative: str) -> str:
    prefix = os.fspath(root).rstrip("/") + "/"
    if not target.startswith(prefix):
        raise _leads_out(relative)
    return target[len(prefix) :]


def _leads_out(relative: str) -> NotAllowed:
    name = displayable(relative)
    return NotAllowed(f"“{name}” is a symbolic link that leads out of the wiki; it is not opened.")
