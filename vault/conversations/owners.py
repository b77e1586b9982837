"""Tells whether the program that is writing an answer still runs.

Each open store holds a lock on a file of its own, which the system lets go of when the process
ends, however it ends. https://man7.org/linux/man-pages/man2/flock.2.html
"""

import contextlib
import fcntl
import os
import secrets
from pathlib import Path

_SUFFIX = ".running"


class Owner:
    """The name under which this store writes answers. Raises OSError."""

    def __init__(self, folder: Path | None) -> None:
        """`folder` is None for a store in memory, which nobody else can see."""
        self.name = f"{os.getpid()}-{secrets.token_hex(8)}"
        self._folder = folder
        self._descriptor = -1
        if folder is None:
            return
        # Nobody may see the file before it is locked.
        hidden = folder / f".{self.name}"
        self._descriptor = os.open(hidden, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600)
        fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        hidden.rename(folder / f"{self.name}{_SUFFIX}")

    def is_running(self, name: str) -> bool:
        """Whether the owner of that name, maybe in another process, still runs."""
        if name == self.name:
            return True
        if self._folder is None or not name or "/" in name or "\0" in name:
            return False
        return _is_locked(self._folder / f"{name}{_SUFFIX}")

    @property
    def is_there(self) -> bool:
        """Whether others can still see that this one runs."""
        return self._folder is None or (self._folder / f"{self.name}{_SUFFIX}").exists()

    def sweep(self) -> None:
        """Remove what owners that were killed left behind."""
        if self._folder is not None:
            for file in self._folder.glob(f"*{_SUFFIX}"):
                if not self.is_running(file.name.removesuffix(_SUFFIX)):
                    file.unlink(missing_ok=True)

    def close(self) -> None:
        """End."""
        if self._folder is not None and self._descriptor >= 0:
            with contextlib.suppress(OSError):
                (self._folder / f"{self.name}{_SUFFIX}").unlink(missing_ok=True)
            os.close(self._descriptor)
            self._descriptor = -1


def _is_locked(file: Path) -> bool:
    try:
        descriptor = os.open(file, os.O_RDWR | os.O_NOFOLLOW)
    except OSError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return True
    finally:
        os.close(descriptor)
    return False
