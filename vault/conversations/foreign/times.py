"""Times as other programs write them."""

from __future__ import annotations

import math
from datetime import UTC, datetime, timedelta
from typing import Any

from vault.conversations.values import EPOCH

# A number as large as this counts milliseconds.
_MILLISECONDS_FROM = 1e11
_FIRST, _LAST = EPOCH, datetime(9000, 1, 1, tzinfo=UTC)


def time_of(value: Any, instead: datetime) -> datetime:
    """Seconds or milliseconds since 1970, or an ISO date; `instead` for anything else."""
    if isinstance(value, str):
        return _from_text(value, instead)
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not is_number or not math.isfinite(value) or value <= 0:
        return instead
    seconds = value / 1000 if value >= _MILLISECONDS_FROM else value
    try:
        return _bounded(EPOCH + timedelta(seconds=seconds), instead)
    except OverflowError:
        return instead


def _from_text(text: str, instead: datetime) -> datetime:
    try:
        moment = datetime.fromisoformat(text.strip())
        moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        return _bounded(moment, instead)
    except (ValueError, OverflowError):
        return instead


def _bounded(moment: datetime, instead: datetime) -> datetime:
    return moment if _FIRST <= moment <= _LAST else instead
