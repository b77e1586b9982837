"""What the lanes of one loaded model work with."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from engine.serving.chunk_pace import ChunkPace
from engine.worker.batching import Batching
from engine.worker.conversation_cache import Loan
from engine.worker.grouping import Costs
from engine.worker.rate import Meters
from engine.worker.row import Left, Row


@dataclass(frozen=True, slots=True)
class LaneTools:
    """What a lane works with.

    `admit` is asked when a row starts and may refuse it. `lend` gives a cache that holds the
    beginning of a row's prompt, `keep` takes what a row left, `share` is shown a row's cache
    at the token count that `boundary` names.
    """

    model: Any
    end_tokens: frozenset[int]
    chunk: int
    costs: Costs
    batching: Batching
    meters: Meters
    pace: ChunkPace
    make_caches: Callable[[], list[Any]]
    admit: Callable[[Row], None]
    lend: Callable[[Row], Loan]
    keep: Callable[[Row, Left], None]
    boundary: Callable[[Row], int]
    share: Callable[[Row, int, list[Any]], None]
    spare_bytes: Callable[[], int | None]
