"""Prompts of a lane that are still to be read: first come first, alike ones together."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from engine.protocol import AnyEvent
from engine.serving.containment import Caught, attempt, failure
from engine.worker.fetches import Fetches
from engine.worker.grouping import reading_group
from engine.worker.lane_tools import LaneTools
from engine.worker.loan import Loan
from engine.worker.prefilled import Prefilled
from engine.worker.reading import Reading, read_together
from engine.worker.row import Row
from engine.worker.row_results import Left


@dataclass(slots=True)
class Outcome:
    """What reading a chunk brought: events, and the prompts that are read now."""

    events: list[AnyEvent] = field(default_factory=list)
    prefilled: list[Prefilled] = field(default_factory=list)


class PromptQueue:
    """Its truth is whether there is something to read."""

    def __init__(self, tools: LaneTools) -> None:
        self._tools = tools
        self._unread: list[Row] = []
        self._loans: dict[int, Loan] = {}
        self._fetches = Fetches(tools.kept)
        self._reading: Reading | None = None

    def __bool__(self) -> bool:
        return bool(self._unread or self._reading)

    @property
    def rows(self) -> list[Row]:
        """Every row in it."""
        return [*(row for reading in self.begun for row in reading.rows), *self._unread]

    @property
    def is_fetching(self) -> bool:
        """Whether it waits for the disk."""
        return (
            bool(self._unread)
            and self._reading is None
            and not (self._fetches.is_done(self._unread[0]))
        )

    @property
    def begun(self) -> list[Reading]:
        """The prompt that is being read in chunks, if there is one."""
        return [self._reading] if self._reading else []

    def add(self, row: Row) -> None:
        """Take on a row."""
        self._unread.append(row)

    def withdraw(self, row: Row) -> Left | None:
        """Take a row out, with what of its prompt is in its cache."""
        if self._reading is not None and self._reading.row is row:
            reading, self._reading = self._reading, None
            return self._left(row, reading.caches)
        self._unread.remove(row)
        self._fetches.drop(row)
        loan = self._loans.pop(row.id, None)
        return self._left(row, loan.cache) if loan and loan.cache else None

    def read(self, limit: int) -> Outcome:
        """Read at most so many tokens."""
        if self._reading is None:
            if not self._fetches.advance(self._unread[0]):
                return Outcome()
            together = self._choose(limit)
            if len(together) > 1:
                return self._read_together(together)
            self._begin(together[0])
        return self._read_on(limit)

    def _choose(self, limit: int) -> list[Row]:
        """The first row and those to read with it.

        Where the shared beginning of a group is still unread, the first of its rows reads it for
        the others. A row that leaves copies on its way is read alone.
        """
        first, *others = self._unread
        if not others or self._tools.kept.marks(first) or not self._tools.batching.is_reading_safe:
            return [first]
        rows = [first, *filter(self._is_at_hand, others)]
        for row in rows:
            self._lend(row)
        return [rows[index] for index in reading_group([row.unread for row in rows], limit)]

    def _is_at_hand(self, row: Row) -> bool:
        return self._fetches.is_done(row) and not self._tools.kept.marks(row)

    def _lend(self, row: Row) -> None:
        if row.id not in self._loans:
            loan = self._tools.kept.lend(row, self._fetches.take(row))
            self._loans[row.id] = loan
            row.reuse(len(loan.tokens))

    def _take(self, row: Row) -> list[Any]:
        """The caches a row is to be read into."""
        self._lend(row)
        self._unread.remove(row)
        return self._loans.pop(row.id).cache or self._tools.scheme.make()

    def _begin(self, row: Row) -> None:
        caches = self._take(row)
        self._reading = Reading(self._tools, row, caches, self._tools.kept.marks(row))

    def _read_on(self, limit: int) -> Outcome:
        reading = self._reading
        assert reading is not None  # just begun, or begun before
        began = time.monotonic()
        count = attempt(partial(reading.step, limit))
        if isinstance(count, Caught):
            self._reading = None
            return Outcome([failure(reading.row.command, count)])
        outcome = Outcome()
        if count:
            self._note(began, count)
            outcome.events.append(reading.row.note_read(count))
        if reading.is_done:
            self._reading = None
            outcome.prefilled.append(Prefilled([reading.row], reading.caches, is_batch=False))
        return outcome

    def _read_together(self, rows: Sequence[Row]) -> Outcome:
        began = time.monotonic()
        caches = [self._take(row) for row in rows]
        read = attempt(partial(read_together, self._tools, rows, caches))
        if isinstance(read, Caught):
            return Outcome([failure(row.command, read) for row in rows])
        self._note(began, sum(row.unread for row in rows))
        return Outcome([row.note_read(row.unread) for row in rows], [read])

    def _note(self, began: float, tokens: int) -> None:
        self._tools.meters.prefill.add(began, tokens)
        self._tools.pace.note(tokens, time.monotonic() - began)

    def _left(self, row: Row, caches: list[Any]) -> Left:
        return Left(list(row.prompt[: row.prefilled]), caches)
