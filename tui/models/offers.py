"""The models recommended for a machine of this size that are not on it yet."""

from __future__ import annotations

from collections.abc import Sequence

import psutil

from engine.models.entry import ModelEntry
from tui.models.shelf import Offer, OffersBeside

_PURPOSES = {
    "chat": "to chat",
    "vision": "to chat, made for pictures too",
    "memory": "to write articles",
}


def offers_within(limit_bytes: int | None) -> OffersBeside:
    """Recommends for the machine's memory, or for `limit_bytes` where that is less."""

    def offers(entries: Sequence[ModelEntry]) -> tuple[Offer, ...]:
        # Not needed for the first frame.
        from engine.models.recommended import (
            RecommendedFileWrong,
            read_recommended,
            recommended_for,
        )

        total = psutil.virtual_memory().total
        size = total if limit_bytes is None else min(total, limit_bytes)
        try:
            rows = recommended_for(read_recommended(), size)
        except RecommendedFileWrong:
            # The list is a courtesy: without it the picker still shows what is here.
            return ()
        here = {entry.name for entry in entries if not entry.problem}
        purposes: dict[str, list[str]] = {}
        for row in rows:
            purposes.setdefault(row.repository, []).append(_PURPOSES[row.purpose])
        first = {row.repository: row for row in reversed(rows)}
        return tuple(
            Offer(
                name,
                first[name].bytes,
                first[name].licence,
                ", ".join(what),
                f"{first[name].memory} GiB",
            )
            for name, what in purposes.items()
            if name not in here
        )

    return offers
