"""What a model folder is called."""

from __future__ import annotations

from pathlib import PurePath

_HUB_PREFIX, _HUB_SEPARATOR = "models--", "--"


def model_name(path: str) -> str:
    """`organisation/name` for a snapshot in the Hugging Face cache, else the folder's name."""
    folder = PurePath(path)
    for part in folder.parts:
        if part.startswith(_HUB_PREFIX):
            return part.removeprefix(_HUB_PREFIX).replace(_HUB_SEPARATOR, "/")
    return folder.name or path
