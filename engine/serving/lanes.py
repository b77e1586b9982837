"""What the scheduler knows of a row and of the lane that computes it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, TypeVar, get_args

from engine.protocol import AnyEvent, Generate, Lane, RowState
from engine.serving.kv_budget import Claim

LANES: tuple[Lane, ...] = get_args(Lane)
"""In the order in which they are served."""


class ScheduledRow(Protocol):
    """One answer, as far as its lane is concerned."""

    command: Generate
    claim: Claim
    granted_tokens: int
    """Answer tokens it may have; may rise while it runs."""
    was_alone: bool
    """Whether no other row has run beside it."""

    @property
    def state(self) -> RowState:
        """Where it stands."""

    @property
    def has_first_token(self) -> bool:
        """Whether its answer has begun."""

    @property
    def answered_tokens(self) -> int:
        """What its answer has come to."""

    def start(self) -> None:
        """It leaves the queue."""

    def cancel_queued(self) -> Sequence[AnyEvent]:
        """End it before it began."""


R = TypeVar("R", bound=ScheduledRow)


class LaneRunner(Protocol[R]):
    """Computes the rows of one lane. A row that ends leaves by itself with its last event."""

    @property
    def rows(self) -> Sequence[R]:
        """The rows that were started and have not ended, in that order."""

    @property
    def held_bytes(self) -> int:
        """What these rows were granted, padding included."""

    def start(self, row: R) -> None:
        """Take on a row. Raises Refused."""

    def step(self, is_brief: bool) -> Sequence[AnyEvent]:
        """Do one piece of work; `is_brief` asks for a small one because somebody reads along."""

    def wait(self) -> None:
        """Wait for what a step began and did not finish."""

    def cancel(self, row: R) -> Sequence[AnyEvent]:
        """End a row now, keeping its cache."""
