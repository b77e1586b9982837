"""What is remembered of the wiki's window: whether the panel is seen, which wikis were open."""

from __future__ import annotations

import contextlib
import json
import os
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from vault.errors import VaultError
from vault.private_files import read_private, write_private

_NAME = "wiki-window.json"
_MOST_BYTES = 1_000_000
_MOST_RECENT = 30


@dataclass(frozen=True, slots=True)
class Remembered:
    """`is_panel_beside` where there is room for it, `is_panel_below` elsewhere."""

    is_panel_beside: bool = True
    is_panel_below: bool = False
    recent: tuple[str, ...] = ()


class WindowMemory:
    """Kept in the data folder. Every call blocks, shortly; what cannot be kept is forgotten."""

    def __init__(self, data_dir: Path) -> None:
        self._folder = data_dir

    def read(self) -> Remembered:
        """What was kept; the beginning where nothing was, or it cannot be read."""
        with contextlib.suppress(
            OSError, ValueError, KeyError, TypeError, RecursionError, VaultError
        ):
            stored = json.loads(read_private(self._folder, _NAME, _MOST_BYTES))
            recent = tuple(path for path in stored["recent"] if isinstance(path, str))
            return Remembered(
                stored["is_panel_beside"] is True,
                stored["is_panel_below"] is True,
                recent[:_MOST_RECENT],
            )
        return Remembered()

    def keep_panel(self, *, is_beside: bool, is_below: bool) -> None:
        """The panel is shown or hidden from now on."""
        self._write(replace(self.read(), is_panel_beside=is_beside, is_panel_below=is_below))

    def keep_opened(self, root: Path) -> None:
        """A wiki was opened: it is the latest of the recent ones."""
        kept = self.read()
        path = os.fspath(root)
        recent = (path, *(each for each in kept.recent if each != path))[:_MOST_RECENT]
        if recent != kept.recent:
            self._write(replace(kept, recent=recent))

    def _write(self, kept: Remembered) -> None:
        # Names that are not UTF-8 stay what they are: as escapes.
        content = (json.dumps(asdict(kept), indent=1) + "\n").encode("ascii")
        with contextlib.suppress(OSError, VaultError):
            write_private(self._folder, _NAME, content)
