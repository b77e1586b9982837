"""What a backend must offer so that the serving loop can run it.

Everything here is called on the loop's one compute thread, except `memory` and `plan`, which
read snapshots and may be called from any thread.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from engine.errors import EngineError
from engine.plan.contract import MemoryPlan
from engine.plan.device import Device
from engine.protocol import (
    AnyEvent,
    FailureKind,
    Generate,
    LoadModel,
    MemoryReport,
    ModelInfo,
    Plan,
)


class Refused(EngineError):
    """A request that cannot be served; becomes a `Failed` event of this kind."""

    def __init__(self, kind: FailureKind, message: str) -> None:
        super().__init__(message)
        self.kind: FailureKind = kind


@dataclass(frozen=True, slots=True)
class Saved:
    """What was written, and whether all that is kept is on the disk now."""

    entries: int = 0
    nbytes: int = 0
    is_durable: bool = False


class Backend(Protocol):
    """A model runner: MLX in the worker, or the scripted one."""

    name: str
    device: Device
    idle_seconds: float | None
    """How long a model may wait for work before it is freed; None: for ever."""

    def load(self, command: LoadModel, report_stage: Callable[[str], None]) -> ModelInfo:
        """Load a model folder, unless its plan does not fit. Raises Refused."""

    def plan(self, command: Plan) -> MemoryPlan:
        """What a folder would cost. Raises Refused when the folder is the loaded model's and
        there is none."""

    def unload(self) -> None:
        """Free the model and all caches, once what can be is saved."""

    def count_tokens(self, texts: Sequence[str]) -> tuple[int, ...]:
        """Token counts. Raises Refused when no model is loaded."""

    def forget(self, owner: str) -> int:
        """Drop a conversation's caches, also on the disk; returns how many entries went."""

    def save(self, seconds: float) -> Saved:
        """Write what is kept and not on the disk yet, for at most so many seconds."""

    def upkeep(self, idle_seconds: float) -> float | None:
        """Do a little of what can wait, for tens of milliseconds at most.

        Nothing was asked for `idle_seconds`. Returns in how many seconds there is more to do, None
        when there is nothing.
        """

    def submit(self, command: Generate) -> None:
        """Queue an answer in its lane. Raises Refused."""

    def step(self) -> Sequence[AnyEvent]:
        """Do one prefill chunk or one decode step of one lane.

        Each answer submitted ends with a `Finished` or `Failed` event from here or from `cancel`.
        """

    def cancel(self, id: int) -> Sequence[AnyEvent]:
        """Stop an answer now, keeping a cache that continues exactly."""

    def abandon(self) -> None:
        """Drop every answer without a word: `step` or `cancel` raised."""

    def memory(self, rows_waiting: int) -> MemoryReport:
        """The current costs, from any thread; `rows_waiting` were not submitted yet."""
