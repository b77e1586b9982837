"""Where an app offers its engine: a private folder with a lock, which decides, and a socket.

Whoever holds the lock is the host and alone touches the socket's name. The kernel lets the lock
go when its holder dies in any way, so a socket left behind is removed by the next host only.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import socket
import stat
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from engine.errors import SharingUnavailable

SOCKET_NAME = "engine.sock"
LOCK_NAME = "engine.lock"
LONGEST_ADDRESS = 107 if sys.platform == "linux" else 103
"""Bytes of a socket's path that the kernel takes."""
_WAITING_GUESTS = 16


@dataclass(frozen=True, slots=True)
class HostLock:
    """Held by the one host of a folder."""

    descriptor: int

    def release(self) -> None:
        """Let another app become host."""
        os.close(self.descriptor)


@dataclass(frozen=True, slots=True)
class SharingPlace:
    """The runtime folder of one user."""

    folder: Path

    @property
    def socket_file(self) -> Path:
        """Where guests knock."""
        return self.folder / SOCKET_NAME

    def make_safe(self) -> None:
        """Make the folder, or see that it is ours alone. Raises SharingUnavailable."""
        try:
            _make_private(self.folder)
        except OSError as error:
            raise self._unavailable(f"the folder {self.folder} cannot be made", error) from error
        if complaint := self._complaint():
            raise SharingUnavailable(f"This window's engine is not shared: {complaint}.")

    @property
    def is_safe(self) -> bool:
        """Whether only this user can have put a socket there."""
        return self._complaint() == ""

    def lock(self) -> HostLock | None:
        """Become the host, unless another process is it. Raises SharingUnavailable."""
        flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
        try:
            descriptor = os.open(self.folder / LOCK_NAME, flags, 0o600)
        except OSError as error:
            raise self._unavailable("its lock cannot be opened", error) from error
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(descriptor)
            return None
        except OSError as error:
            os.close(descriptor)
            raise self._unavailable("its lock cannot be taken", error) from error
        return HostLock(descriptor)

    def listen(self) -> socket.socket:
        """Offer the socket; only for the holder of the lock. Raises SharingUnavailable."""
        with contextlib.ExitStack() as undo:
            try:
                listener = undo.enter_context(socket.socket(socket.AF_UNIX, socket.SOCK_STREAM))
                self.socket_file.unlink(missing_ok=True)
                with self._address() as address:
                    listener.bind(address)
                # Between these two the folder's own mode keeps others out.
                self.socket_file.chmod(0o600)
                listener.listen(_WAITING_GUESTS)
                listener.setblocking(False)
            except OSError as error:
                raise self._unavailable("its socket cannot be opened", error) from error
            undo.pop_all()
        return listener

    def clear(self) -> None:
        """Take the socket's name away; only for the holder of the lock."""
        with contextlib.suppress(OSError):
            self.socket_file.unlink()

    def connect(self) -> socket.socket | None:
        """A connection to the host, or None when there is none."""
        with contextlib.ExitStack() as undo:
            try:
                connection = undo.enter_context(socket.socket(socket.AF_UNIX, socket.SOCK_STREAM))
                connection.setblocking(False)
                with self._address() as address:
                    connection.connect(address)
            except OSError:
                # Nobody listens, or as many knock as the kernel lets wait.
                return None
            undo.pop_all()
        return connection

    @contextlib.contextmanager
    def _address(self) -> Iterator[str]:
        """The socket's name in a form short enough for the kernel. Raises OSError."""
        if len(os.fsencode(self.socket_file)) <= LONGEST_ADDRESS:
            yield str(self.socket_file)
            return
        if sys.platform == "linux":
            descriptor = os.open(self.folder, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
            try:
                yield f"/proc/self/fd/{descriptor}/{SOCKET_NAME}"
            finally:
                os.close(descriptor)
        else:
            raise OSError(errno.ENAMETOOLONG, f"the path {self.socket_file} is too long")

    def _complaint(self) -> str:
        """What makes the folder unsafe, or nothing."""
        try:
            facts = self.folder.lstat()
        except OSError as error:
            return f"the folder {self.folder} cannot be read ({error.strerror})"
        if not stat.S_ISDIR(facts.st_mode):
            return f"{self.folder} is not a folder"
        if facts.st_uid != os.geteuid():
            return f"the folder {self.folder} belongs to another user"
        if facts.st_mode & 0o077:
            return f"others may enter its folder; keep them out with: chmod 700 {self.folder}"
        return ""

    def _unavailable(self, what: str, error: OSError) -> SharingUnavailable:
        return SharingUnavailable(
            f"This window's engine is not shared: {what} ({error.strerror or error}). "
            "Everything else works."
        )


def _make_private(folder: Path) -> None:
    """Make the folder and its missing parents for the user alone.

    A session's own folder counts only with that mode: with any other, the next window would look
    for its host elsewhere.
    """
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
    except FileNotFoundError:
        _make_private(folder.parent)
        folder.mkdir(mode=0o700, exist_ok=True)
