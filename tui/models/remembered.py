"""The model that was chosen last in the window, for the next start."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

import msgspec

from engine.wanted_model import ModelChoice
from tui.paths import PathsError, ensure


class _Record(msgspec.Struct, frozen=True):
    path: str
    adapter: str = ""


def remember_model(file: Path, choice: ModelChoice) -> None:
    """Keep the choice; where that cannot be, the next start chooses anew."""
    # Load anyway is an answer to one question, not to the next start's.
    record = _Record(choice.path, choice.adapter)
    temporary = file.with_name(f".{file.name}.{os.getpid()}")
    with contextlib.suppress(OSError, PathsError, UnicodeEncodeError):
        ensure(file.parent)
        temporary.write_bytes(msgspec.json.encode(record))
        temporary.replace(file)


def remembered_model(file: Path) -> ModelChoice | None:
    """What was kept, or None when nothing was, or its folder is gone."""
    try:
        record = msgspec.json.decode(file.read_bytes(), type=_Record)
        is_there = Path(record.path, "config.json").is_file()
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError, ValueError):
        return None
    return ModelChoice(record.path, record.adapter) if is_there else None
