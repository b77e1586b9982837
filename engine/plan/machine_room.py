"""Room under one memory limit, and reading the small text files that tell of it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

_MAX_FILE_BYTES = 1 << 20
_MAX_DIGITS = 20  # 2**64 has twenty
_MAX_SHOWN = 200


@dataclass(frozen=True, slots=True)
class Room:
    """Bytes that can still be taken under one limit, and what that limit is called."""

    bytes: int
    binding: str


def smallest(rooms: Iterable[Room]) -> Room | None:
    """The limit that binds; the first of equals."""
    return min(rooms, key=lambda room: room.bytes, default=None)


def read_text(path: Path) -> str | None:
    """The text of a small file of the kernel, None where there is none or it cannot be read."""
    try:
        with path.open("rb") as stream:
            return stream.read(_MAX_FILE_BYTES).decode("utf-8", "surrogateescape")
    except (OSError, ValueError):  # ValueError: a NUL in the path
        return None


def whole_number(text: str) -> int | None:
    """A non-negative decimal number, None for anything else."""
    digits = text.strip()
    if not (digits.isascii() and digits.isdigit()) or len(digits) > _MAX_DIGITS:
        return None
    return int(digits)


def shown(text: str) -> str:
    """A name out of the system, safe to print: what is not printable is written as `?`."""
    return "".join(letter if letter.isprintable() else "?" for letter in text[:_MAX_SHOWN])
