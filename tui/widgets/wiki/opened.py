"""When pages were opened here, remembered outside the wiki."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path

from vault.errors import VaultError
from vault.names import displayable
from vault.private_files import read_private, write_private
from vault.root import folder_key

MOST_OPENED = 500
_MOST_BYTES = 1_000_000


class Opened:
    """The latest openings in one wiki. Every call blocks; what cannot be kept is forgotten."""

    def __init__(self, data_dir: Path, root: Path) -> None:
        self._folder = data_dir / "opened"
        self._root = root
        self._name = f"{folder_key(root)}.json"

    def read(self) -> dict[str, int]:
        """The paths with the nanoseconds since 1970, the latest first."""
        try:
            stored = json.loads(read_private(self._folder, self._name, _MOST_BYTES))
            pages = [(path, when) for path, when in stored["pages"] if isinstance(path, str)]
            return {path: int(when) for path, when in pages[:MOST_OPENED]}
        except (
            OSError, ValueError, KeyError, TypeError, OverflowError, RecursionError, VaultError,
        ):  # fmt: skip
            return {}

    def note(self, path: str, when: int) -> dict[str, int]:
        """A page is opened; what is remembered from then on."""
        others = self.read()
        others.pop(path, None)
        return self._write({path: when} | others)

    def follow(self, path_after: Callable[[str], str]) -> None:
        """Pages were renamed."""
        before = self.read()
        after: dict[str, int] = {}
        for path, when in before.items():
            # The later opening comes first and counts.
            after.setdefault(path_after(path), when)
        if after != before:
            self._write(after)

    def _write(self, pages: Mapping[str, int]) -> dict[str, int]:
        kept = dict(list(pages.items())[:MOST_OPENED])
        stored = {"path": displayable(os.fspath(self._root)), "pages": list(kept.items())}
        # A file name that is not UTF-8 stays what it is: as escapes.
        content = (json.dumps(stored) + "\n").encode("ascii")
        with contextlib.suppress(OSError, VaultError):
            write_private(self._folder, self._name, content)
        return kept
