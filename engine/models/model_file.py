"""Reading small files of a model folder that anybody may have made."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path
from typing import Any

MOST_BYTES = 32 << 20
"""The largest tokenizer_config.json met so far has 1 MB."""


def read_start(file: Path, most_bytes: int) -> bytes | None:
    """The first bytes of a regular file, or None when there is none or it cannot be read."""
    try:
        # Opening a pipe would wait for its other end.
        descriptor = os.open(file, os.O_RDONLY | os.O_NONBLOCK)
    except (OSError, ValueError):
        return None
    try:
        with os.fdopen(descriptor, "rb") as stream:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                return None
            return stream.read(most_bytes)
    except OSError:
        return None


def read_text(file: Path) -> str | None:
    """The text of a regular file of bearable size, or None; what is not UTF-8 is replaced."""
    content = read_start(file, MOST_BYTES + 1)
    if content is None or len(content) > MOST_BYTES:
        return None
    return content.decode(errors="replace")


def read_object(file: Path) -> dict[str, Any] | None:
    """The JSON object in a file, or None when it holds anything else."""
    content = read_start(file, MOST_BYTES + 1)
    if content is None or len(content) > MOST_BYTES:
        return None
    try:
        value = json.loads(content)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None
