"""Writes one file so that a crash at any moment leaves the old content or the new, whole.

A temporary file in the same folder is written and synced, then takes the name in one rename,
and the folder is synced. Errors are OSError; the temporary file is then gone.
"""

import contextlib
import errno
import fcntl
import hashlib
import os
import re
import secrets
import sys
from collections.abc import Iterator
from enum import Enum, auto

from vault.confined import Place, read_regular
from vault.exchange import exchange, move_without_replacing, rename_without_replacing

_TEMPORARY_NAME = re.compile(r"\.zib-(\d{1,10})-[0-9a-f]{12}\.tmp~")
_NEW_FILE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_OLD_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_NO_DIRECTORY_SYNC = {errno.EINVAL, errno.ENOTSUP, errno.EBADF}


class Replaced(Enum):
    """What became of an attempt to replace a file."""

    DONE = auto()
    CHANGED_MEANWHILE = auto()  # nothing was changed by us


def temporary_owner(name: str) -> int | None:
    """Return the process that made a temporary file of ours; None for any other name."""
    found = _TEMPORARY_NAME.fullmatch(name)
    return int(found.group(1)) if found else None


def digest(content: bytes) -> str:
    """Return the SHA-256 of `content` in hexadecimal."""
    return hashlib.sha256(content).hexdigest()


def create_file(place: Place, content: bytes, mode: int = 0o666) -> None:
    """Create a file with `mode` less the umask; FileExistsError when the name is taken."""
    with contextlib.suppress(FileNotFoundError):
        os.stat(place.name, dir_fd=place.folder, follow_symlinks=False)
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), place.name)
    with _temporary_file(place.folder, content, mode) as temporary:
        move_without_replacing(place.folder, temporary, place.name)
    sync_folder(place.folder)


def replace_file(
    place: Place,
    content: bytes,
    expected: os.stat_result,
    sha256: str,
    *,
    is_folder_synced: bool = True,
) -> Replaced:
    """Replace the regular file at `place`, but only while its content still has `sha256`.

    Who replaces many files may sync their folder once, after the last.

    Where files can be exchanged, the displaced content is checked after the fact and put back
    when it is not what was expected, so that no write by another program falls between.
    """
    with _temporary_file(place.folder, content, 0o600) as temporary:
        _take_over(place, temporary, expected)
        if _current_digest(place) != sha256:
            return Replaced.CHANGED_MEANWHILE
        if exchange(place.folder, temporary, place.name):
            displaced = Place(place.folder, temporary, temporary)
            if _current_digest(displaced) != sha256:
                _put_back(place, temporary, digest(content))
                return Replaced.CHANGED_MEANWHILE
        else:
            os.replace(temporary, place.name, src_dir_fd=place.folder, dst_dir_fd=place.folder)
    if is_folder_synced:
        sync_folder(place.folder)
    return Replaced.DONE


def _take_over(place: Place, temporary: str, status: os.stat_result) -> None:
    """Give the temporary file the owner, attributes and mode of the file it will replace."""
    old = os.open(place.name, _OLD_FILE, dir_fd=place.folder)
    new = os.open(temporary, os.O_WRONLY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=place.folder)
    try:
        if (status.st_uid, status.st_gid) != (os.geteuid(), os.getegid()):
            with contextlib.suppress(PermissionError):
                os.fchown(new, status.st_uid, status.st_gid)
        if sys.platform == "linux":
            with contextlib.suppress(OSError):
                for name in os.listxattr(old):
                    os.setxattr(new, name, os.getxattr(old, name))
        os.fchmod(new, status.st_mode & 0o7777)
    finally:
        os.close(old)
        os.close(new)


def _put_back(place: Place, temporary: str, ours: str) -> None:
    exchange(place.folder, temporary, place.name)
    if _current_digest(Place(place.folder, temporary, temporary)) != ours:
        # A third program wrote in between: that text must not go with the temporary file.
        kept = f"{place.name[:-3]} (kept {secrets.token_hex(4)}).md"
        rename_without_replacing(place.folder, temporary, kept)


def _current_digest(place: Place) -> str | None:
    try:
        return digest(read_regular(place, 1 << 40)[1])
    except OSError:
        return None


@contextlib.contextmanager
def _temporary_file(folder: int, content: bytes, mode: int) -> Iterator[str]:
    name = f".zib-{os.getpid()}-{secrets.token_hex(6)}.tmp~"
    descriptor = os.open(name, _NEW_FILE, mode, dir_fd=folder)
    try:
        try:
            write_all(descriptor, content)
            _sync_file(descriptor)
        finally:
            os.close(descriptor)
        yield name
    finally:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(name, dir_fd=folder)


def write_all(descriptor: int, content: bytes) -> None:
    """Write every byte, however many calls it takes."""
    view = memoryview(content)
    while view:
        view = view[os.write(descriptor, view) :]


def _sync_file(descriptor: int) -> None:
    full_sync = getattr(fcntl, "F_FULLFSYNC", None)
    if full_sync is not None:
        with contextlib.suppress(OSError):
            fcntl.fcntl(descriptor, full_sync)
            return
    os.fsync(descriptor)


def sync_folder(folder: int) -> None:
    """Make the names of a folder durable, where the system can."""
    try:
        os.fsync(folder)
    except OSError as error:
        if error.errno not in _NO_DIRECTORY_SYNC:
            raise
