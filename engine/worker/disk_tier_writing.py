"""Writes one file of the tier. Called on the tier's writing thread only; no MLX here."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import shutil
from collections.abc import Sequence
from pathlib import Path

from engine.worker.disk_tier_format import (
    Header,
    data_start,
    digest_text,
    encode_header,
    file_size,
    new_digest,
    tensors_of,
    with_digests,
)
from engine.worker.disk_tier_names import make_private, sync_folder, temporary_name

_NEW_FILE = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_FREE_BYTES, _FREE_SHARE = 1024**3, 50
"""So much of a disk stays free, or one part in so many of a small one: others need room."""


class FileInWriting:
    """Under its own name there is nothing until `finish`; every method raises OSError.

    The lock tells other processes that the temporary file is not a dead one's.
    """

    def __init__(self, folder: Path, name: str, header: Header) -> None:
        make_private(folder)
        _require_room(folder, file_size(header))
        self._header = header
        self._start = data_start(header)
        self._digests = [new_digest() for _ in tensors_of(header.layers)]
        self._path, self._temporary = folder / name, folder / temporary_name(name)
        self._descriptor = os.open(self._temporary, _NEW_FILE, 0o600)
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            self.abandon()
            raise

    def write(self, tensor: int, offset: int, pieces: Sequence[memoryview]) -> None:
        """The next pieces of a tensor, which follow each other from `offset` on."""
        for piece in pieces:
            self._digests[tensor].update(piece)
            _write_all(self._descriptor, piece, self._start + offset)
            offset += piece.nbytes

    def finish(self) -> int:
        """Give the file its name, safely on the disk; returns its size."""
        header = with_digests(self._header, [digest_text(digest) for digest in self._digests])
        size = file_size(header)
        _write_all(self._descriptor, memoryview(encode_header(header)), 0)
        os.ftruncate(self._descriptor, size)
        os.fsync(self._descriptor)
        self._temporary.rename(self._path)
        self._close()
        sync_folder(self._path.parent)
        return size

    def abandon(self) -> None:
        """Leave nothing behind."""
        with contextlib.suppress(FileNotFoundError):
            self._temporary.unlink()
        self._close()

    def _close(self) -> None:
        descriptor, self._descriptor = self._descriptor, -1
        if descriptor >= 0:
            os.close(descriptor)


def is_abandoned(temporary: Path) -> bool:
    """Whether the process that was writing this file is gone. Raises OSError."""
    descriptor = os.open(temporary, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    finally:
        os.close(descriptor)
    return True


def _require_room(folder: Path, size: int) -> None:
    disk = shutil.disk_usage(folder)
    if disk.free < size + min(_FREE_BYTES, disk.total // _FREE_SHARE):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(folder))


def _write_all(descriptor: int, data: memoryview, offset: int) -> None:
    while data:
        written = os.pwrite(descriptor, data, offset)
        data, offset = data[written:], offset + written
