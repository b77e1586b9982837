"""Merges two changes of one text by lines, with git's own three-way merge on temporary files."""

import re
import tempfile
from pathlib import Path

from vault.errors import HistoryUnavailable
from vault.history.git import Finished, run
from vault.masked import masked
from vault.text import restore_line_breaks, with_plain_breaks

_OPENING = re.compile(r"^<{7}(?: |\r?$)", re.MULTILINE)
_CLOSING = re.compile(r"^>{7}(?: |\r?$)", re.MULTILINE)
# git tells the number of clashes up to this one; what is above is an error.
_MOST_CLASHES = 127


def merge(base: str, mine: str, disk: str) -> str | None:
    """Return the merged text in the line breaks of `disk`; None on a conflict or without git."""
    try:
        finished = _merge_file(base, mine, disk)
    except (HistoryUnavailable, OSError):
        return None
    if not finished.succeeded:
        return None
    return restore_line_breaks(disk, finished.output.decode("utf-8", "surrogatepass"))


def merge_with_marks(base: str, mine: str, disk: str) -> str | None:
    """Return both changes, with git's marks around what clashes; None without git."""
    names = ("-L", "mine", "-L", "before", "-L", "theirs")
    try:
        finished = _merge_file(base, mine, disk, names)
    except (HistoryUnavailable, OSError):
        return None
    if not 0 <= finished.status <= _MOST_CLASHES:
        return None
    return restore_line_breaks(disk, finished.output.decode("utf-8", "surrogatepass"))


def has_marks(text: str) -> bool:
    """Whether a text holds the marks of an unfinished merge, outside code."""
    if _OPENING.search(text) is None or _CLOSING.search(text) is None:
        return False
    prose = masked(text)
    return bool(_OPENING.search(prose) and _CLOSING.search(prose))


def _merge_file(base: str, mine: str, disk: str, names: tuple[str, ...] = ()) -> Finished:
    with tempfile.TemporaryDirectory(prefix="zib-merge-") as name:
        folder = Path(name)
        for file, text in (("mine", mine), ("base", base), ("disk", disk)):
            content = with_plain_breaks(text).encode("utf-8", "surrogatepass")
            (folder / file).write_bytes(content)
        return run(
            ["merge-file", "-p", "-q", *names, "mine", "base", "disk"],
            folder,
            environment={"GIT_CEILING_DIRECTORIES": str(folder.parent)},
        )
