"""What a model folder is called, from its path alone."""

from __future__ import annotations

from pathlib import Path

from engine.models.hub_name import name_of


def model_name(path: str) -> str:
    """`organisation/name` for a snapshot in the Hugging Face cache, else the folder's name."""
    return name_of(Path(path)) or path
