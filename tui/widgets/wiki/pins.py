"""Which pages the user pinned, remembered outside the wiki."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

from vault import os_errors
from vault.errors import VaultError, VaultUnusable
from vault.names import displayable
from vault.private_files import read_private, write_private
from vault.root import folder_key

MOST_PINS = 1000
_MOST_BYTES = 1_000_000


class Pins:
    """The pins of one wiki, in a file of the data folder. Every call blocks."""

    def __init__(self, data_dir: Path, root: Path) -> None:
        self._folder = data_dir / "pins"
        self._root = root
        self._name = f"{folder_key(root)}.json"

    def read(self) -> tuple[str, ...]:
        """The pinned paths, the newest pin first; none when they cannot be read."""
        try:
            stored = json.loads(read_private(self._folder, self._name, _MOST_BYTES))
            return tuple(path for path in stored["pages"] if isinstance(path, str))[:MOST_PINS]
        except (OSError, ValueError, KeyError, TypeError, RecursionError, VaultError):
            return ()

    def toggle(self, path: str) -> tuple[str, ...]:
        """Pin a page or unpin it; the pins from then on. Raises VaultUnusable."""
        pinned = self.read()
        others = tuple(each for each in pinned if each != path)
        return self._write(others if path in pinned else (path, *others)[:MOST_PINS])

    def follow(self, path_after: Callable[[str], str]) -> None:
        """Pages were renamed: their pins go with them. Raises VaultUnusable."""
        before = self.read()
        after = tuple(dict.fromkeys(map(path_after, before)))
        if after != before:
            self._write(after)

    def _write(self, pins: tuple[str, ...]) -> tuple[str, ...]:
        stored = {"path": displayable(os.fspath(self._root)), "pages": pins}
        # A file name that is not UTF-8 stays what it is: as escapes.
        content = (json.dumps(stored, indent=1) + "\n").encode("ascii")
        try:
            write_private(self._folder, self._name, content)
        except OSError as error:
            raise VaultUnusable(
                f"The pins could not be kept in {self._folder}: {os_errors.reason(error)}."
            ) from error
        return pins
