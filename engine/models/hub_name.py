"""Names of repositories and of their folders in the Hugging Face cache."""

from __future__ import annotations

from pathlib import Path

FOLDER_PREFIX = "models--"
SEPARATOR = "--"
"""Stands for the slash of `organisation/name`."""


def name_of(folder: Path) -> str:
    """What to call a model folder: `organisation/name` for a snapshot, whose own is a commit."""
    repository = folder.parent.parent
    if folder.parent.name == "snapshots" and repository.name.startswith(FOLDER_PREFIX):
        return "/".join(repository.name.removeprefix(FOLDER_PREFIX).split(SEPARATOR))
    return folder.name
