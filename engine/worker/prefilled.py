"""Rows whose prompts are read, before they decode."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from engine.worker.cache.detached import extract_row
from engine.worker.grouping import Extent
from engine.worker.row import Row
from engine.worker.row_results import Left


class Prefilled:
    """Rows whose prompts are read but for their last token, with their caches.

    The caches are those of one row, or a batch's of as many rows.
    """

    def __init__(self, rows: Sequence[Row], caches: list[Any], is_batch: bool) -> None:
        self.rows = list(rows)
        self.caches = caches
        self.is_batch = is_batch

    @property
    def extent(self) -> Extent:
        """Its size, for the choice which rows to join."""
        return Extent(
            len(self.rows),
            max(len(row.prompt) for row in self.rows),
            max(row.granted_bytes for row in self.rows),
        )

    def leave(self, row: Row) -> Left:
        """Take one row out."""
        index = self.rows.index(row)
        cache = extract_row(self.caches, index) if self.is_batch else self.caches
        self.rows.pop(index)
        if self.is_batch and self.rows:
            keep = [each for each in range(len(self.rows) + 1) if each != index]
            for layer in self.caches:
                layer.filter(keep)
        return Left(list(row.prompt[: row.prefilled]), cache)


def merged(parts: Sequence[Prefilled]) -> list[Any]:
    """One batch of all parts; those of one row come first."""
    alone = [part.caches for part in parts if not part.is_batch]
    batch = [layers[0].merge(list(layers)) for layers in zip(*alone, strict=True)]
    for part in parts[len(alone) :]:
        if not batch:
            batch = part.caches
            continue
        for layer, joining in zip(batch, part.caches, strict=True):
            layer.extend(joining)
    return batch
