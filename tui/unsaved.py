"""Unsaved text of a program that was told to end: kept in a file, told about at the next start."""

from __future__ import annotations

import os
from datetime import datetime
from pathlib import Path, PurePosixPath

from tui.paths import ensure


def keep_unsaved_text(folder: Path, article: str, text: str) -> Path:
    """Write `text` into a new file of the user's own (0600) and return it. Raises OSError."""
    moment = datetime.now().astimezone().strftime("%Y-%m-%dT%H%M%S")
    file = ensure(folder) / f"{PurePosixPath(article).stem} (unsaved {moment}).md"
    descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8", errors="replace", newline="") as stream:
        stream.write(text)
        stream.flush()
        os.fsync(stream.fileno())
    return file


def kept_texts(folder: Path) -> list[Path]:
    """The files kept so far, oldest first."""
    return sorted(folder.glob("*.md")) if folder.is_dir() else []
