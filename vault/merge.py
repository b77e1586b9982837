"""Merges two changes of one text by lines, with git's own three-way merge on temporary files."""

import tempfile
from pathlib import Path

from vault.errors import HistoryUnavailable
from vault.history.git import Finished, run
from vault.text import restore_line_breaks, with_plain_breaks


def merge(base: str, mine: str, disk: str) -> str | None:
    """Return the merged text in the line breaks of `disk`; None on a conflict or without git."""
    try:
        finished = _merge_file(base, mine, disk)
    except (HistoryUnavailable, OSError):
        return None
    if not finished.succeeded:
        return None
    return restore_line_breaks(disk, finished.output.decode("utf-8", "surrogatepass"))


def _merge_file(base: str, mine: str, disk: str) -> Finished:
    with tempfile.TemporaryDirectory(prefix="zib-merge-") as name:
        folder = Path(name)
        for file, text in (("mine", mine), ("base", base), ("disk", disk)):
            content = with_plain_breaks(text).encode("utf-8", "surrogatepass")
            (folder / file).write_bytes(content)
        return run(
            ["merge-file", "-p", "-q", "mine", "base", "disk"],
            folder,
            environment={"GIT_CEILING_DIRECTORIES": str(folder.parent)},
        )
