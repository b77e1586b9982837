"""Text that is being typed, kept outside the wiki until it is saved, for when the program dies.

A draft belongs to the window that types it; once that is gone anybody may take it up.
"""

import contextlib
import os
import re
from pathlib import Path

import msgspec
import psutil

from vault import os_errors
from vault.atomic import digest
from vault.errors import DraftFailed
from vault.private_files import read_private, write_private
from vault.root import folder_key

_NAME = re.compile(r"[0-9a-f]{32}-\d+\.json")


class Draft(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`text` was typed over `base`, the page as it was read; `line` and `column` count from 0.

    `started` is when the typing process began, in seconds since 1970: ids of processes recur.
    """

    path: str
    base: str | None
    text: str
    line: int = 0
    column: int = 0
    saved_at: str = ""
    process: int = 0
    started: float = 0.0


def drafts_dir(data_dir: Path, root: Path) -> Path:
    """Where the drafts for a wiki lie: named by the folder's real path."""
    return data_dir / "drafts" / folder_key(root)


class Drafts:
    """The drafts of one wiki, a file each, in `folder`."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._process = os.getpid()
        self._started = psutil.Process().create_time()

    def keep(self, draft: Draft) -> None:
        """Keep what is typed in this window, in place of what was kept. Raises DraftFailed."""
        own = msgspec.structs.replace(draft, process=self._process, started=self._started)
        # A lone surrogate can be typed by some terminals, and JSON cannot hold it.
        text = own.text.encode("utf-8", "replace").decode()
        content = msgspec.json.encode(msgspec.structs.replace(own, text=text))
        try:
            write_private(self._folder, self._own_name(draft.path), content)
        except OSError as error:
            raise DraftFailed(
                f"What you type is not kept for a crash: {os_errors.reason(error)}."
                " Save with Ctrl+S."
            ) from error

    def drop(self, path: str) -> None:
        """The text of this window was saved or thrown away. Raises DraftFailed."""
        self._unlink(self._own_name(path))

    def left_behind(self) -> tuple[Draft, ...]:
        """Drafts of windows that are gone, the newest last."""
        found = [draft for draft in self._all() if not self._is_typing(draft)]
        return tuple(sorted(found, key=lambda draft: draft.saved_at))

    def forget(self, draft: Draft) -> None:
        """Take a draft that was left behind out for good. Raises DraftFailed."""
        self._unlink(_name(draft.path, draft.process))

    def _own_name(self, path: str) -> str:
        return _name(path, self._process)

    def _unlink(self, name: str) -> None:
        try:
            (self._folder / name).unlink(missing_ok=True)
        except OSError as error:
            raise DraftFailed(f"A draft stays behind: {os_errors.reason(error)}.") from error

    def _all(self) -> list[Draft]:
        try:
            names = sorted(file.name for file in self._folder.iterdir())
        except OSError:
            return []
        drafts = []
        for name in names:
            if _NAME.fullmatch(name):
                # One that cannot be read is no reason to hide the others; its file stays.
                with contextlib.suppress(OSError, msgspec.MsgspecError, UnicodeError):
                    drafts.append(msgspec.json.decode(read_private(self._folder, name), type=Draft))
        return drafts

    def _is_typing(self, draft: Draft) -> bool:
        if draft.process == self._process:
            return draft.started == self._started
        try:
            return abs(psutil.Process(draft.process).create_time() - draft.started) < 1
        except psutil.Error:
            return False


def _name(path: str, process: int) -> str:
    return f"{digest(path.encode('utf-8', 'surrogateescape'))[:32]}-{process}.json"
