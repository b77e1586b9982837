"""What the lanes of one loaded model work with."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from engine.serving.chunk_pace import ChunkPace
from engine.worker.batching import Batching
from engine.worker.cache_scheme import CacheScheme
from engine.worker.drafts.row_drafts import Drafting
from engine.worker.grouping import Costs
from engine.worker.kept_caches import KeptCaches
from engine.worker.rate import Meters
from engine.worker.row import Row


@dataclass(frozen=True, slots=True)
class LaneTools:
    """What a lane works with.

    `admit` is asked when a row starts and may refuse it; `spare_bytes` is what padding may take,
    None where nothing bounds it; `drafting` is None where every pass feeds a row one token.
    """

    model: Any
    end_tokens: frozenset[int]
    chunk: int
    costs: Costs
    batching: Batching
    meters: Meters
    pace: ChunkPace
    scheme: CacheScheme
    kept: KeptCaches
    admit: Callable[[Row], None]
    spare_bytes: Callable[[], int | None]
    drafting: Drafting | None = None
