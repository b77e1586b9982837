"""When a share of something limited calls for attention."""

from __future__ import annotations

from typing import Literal

WARN_SHARE = 0.7
CRITICAL_SHARE = 0.85

Level = Literal["plain", "warn", "critical"]


def level_of(share: float | None) -> Level:
    """Whether a share of something limited calls for attention."""
    if share is None or share < WARN_SHARE:
        return "plain"
    return "critical" if share >= CRITICAL_SHARE else "warn"


def share_of(part: float, whole: float | None) -> float | None:
    """The true share, above 1 too; None when either side is unknown."""
    if whole is None or whole <= 0 or part < 0:
        return None
    return part / whole


def known(count: int) -> int | None:
    """Reports say 0 for what they do not know."""
    return count if count > 0 else None
