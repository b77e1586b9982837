"""Reads prompts: one alone in chunks, or several short ones at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import mlx.core as mx
from mlx_lm.generate import PromptProcessingBatch

from engine.worker.cache.detached import detach
from engine.worker.lane_tools import LaneTools
from engine.worker.prefilled import Prefilled
from engine.worker.row import Row

# mlx-lm carries hardly any types.
_PromptBatch: Any = PromptProcessingBatch


class Reading:
    """One prompt on its way into the row's own caches, all but its last token.

    At so many tokens as `marks` say a chunk ends and the cache is shared.
    """

    def __init__(
        self,
        tools: LaneTools,
        row: Row,
        caches: list[Any],
        marks: Sequence[int],
    ) -> None:
        self.row = row
        self.rows = (row,)
        self.caches = caches
        self._tools = tools
        self._marks = marks

    @property
    def is_done(self) -> bool:
        """Whether only the last token is left."""
        return self.row.unread == 0

    def step(self, limit: int) -> int:
        """Read at most so many tokens; returns how many."""
        start = self.row.prefilled
        count = min(limit, self.row.unread)
        count = min([mark - start for mark in self._marks if mark > start] + [count])
        if count:
            chunk = self.row.prompt[start : start + count]
            self._tools.model(mx.array([chunk]), cache=self.caches)
            detach(self.caches)
            self._tools.scheme.convert_due(self.caches)
            mx.clear_cache()
        if start + count in self._marks:
            self._tools.kept.share(self.row, start + count, self.caches)
        return count


def read_together(tools: LaneTools, rows: Sequence[Row], caches: Sequence[list[Any]]) -> Prefilled:
    """Read what is left of several prompts in one go; their caches become a batch."""
    lists = [list(row.prompt[row.prefilled : -1]) for row in rows]
    batch = _PromptBatch(
        tools.model,
        [row.id for row in rows],
        list(caches),
        prefill_step_size=max(len(tokens) for tokens in lists),
    )
    batch.prompt(lists)
    tools.scheme.convert_due(batch.prompt_cache)
    return Prefilled(rows, batch.prompt_cache, is_batch=True)
