"""What a step brings a row, and what a row leaves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from engine.worker.row import Row


@dataclass(frozen=True, slots=True)
class Decoded:
    """What one step brought a row."""

    row: Row
    token: int
    is_sound: bool


@dataclass(frozen=True, slots=True)
class Left:
    """What a row that has left holds: the tokens in its cache, and the cache."""

    tokens: list[int]
    cache: list[Any]
