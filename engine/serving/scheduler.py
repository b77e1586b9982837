"""Which lane computes next.

Knows nothing of models: a lane's runner computes the rows it was given, `admittance` decides when
a row may start.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Generic

from engine.protocol import AnyEvent, Lane, is_last
from engine.serving.admittance import Admittance
from engine.serving.duty_cycle import DutyCycle
from engine.serving.kv_budget import Held, KvBudget
from engine.serving.lanes import LANES, LaneRunner, R


class Scheduler(Generic[R]):
    """`sizes` is how many rows of a lane run at once."""

    def __init__(
        self,
        runners: Mapping[Lane, LaneRunner[R]],
        sizes: Mapping[Lane, int],
        budget: KvBudget,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._runners = runners
        self._clock = clock
        self._waiting = Admittance(runners, sizes, budget, clock)
        self._duty = DutyCycle()
        self._last_lane: Lane = "chat"

    @property
    def budget_bytes(self) -> int:
        """What the caches of all running rows may take together; 0 while nothing bounds it."""
        return self._waiting.budget_bytes

    def submit(self, row: R) -> None:
        """Queue a row. Raises Refused when it is too big alone."""
        self._waiting.add(row)

    def step(self) -> list[AnyEvent]:
        """Start what may start, then let one lane compute."""
        events = self._waiting.start_rows()
        chat, background = (self._runners[lane].rows for lane in LANES)
        if not chat and not background:
            return events
        is_contended = bool(chat and background) and not self._is_chat_first
        if is_contended:
            lane = self._duty.next_lane()
            self._charge_before(lane)
        else:
            lane = "chat" if chat else "background"
            self._duty.reset()
        is_brief = any(row.has_first_token for row in chat)
        began, self._last_lane = self._clock(), lane
        events += self._hear(self._runners[lane].step(is_brief))
        if is_contended:
            self._duty.note(lane, self._clock() - began)
        return events

    def cancel(self, id: int) -> list[AnyEvent]:
        """End a row in whatever state it is; nothing for an unknown one."""
        for lane in LANES:
            for row in self._waiting.queued(lane):
                if row.command.id == id:
                    self._waiting.remove(row)
                    return list(row.cancel_queued())
            for row in self._runners[lane].rows:
                if row.command.id == id:
                    return self._hear(self._runners[lane].cancel(row))
        return []

    def rows(self) -> Iterator[R]:
        """Every row: chat before background, running before queued, in the order they came."""
        for lane in LANES:
            yield from self._runners[lane].rows
            yield from self._waiting.queued(lane)

    def held(self) -> Held:
        """What the running rows were granted."""
        return self._waiting.held()

    def _charge_before(self, lane: Lane) -> None:
        """When the lane changes, the other one bears the time of what it has begun."""
        if lane != self._last_lane:
            began = self._clock()
            self._runners[self._last_lane].wait()
            self._duty.note(self._last_lane, self._clock() - began)

    def _hear(self, events: Sequence[AnyEvent]) -> list[AnyEvent]:
        if any(is_last(event) for event in events):
            self._waiting.note_end()
        return list(events)

    @property
    def _is_chat_first(self) -> bool:
        """Whether somebody waits for the first token of a chat answer.

        One that waits for the memory of background rows gains nothing from their standing still.
        """
        chat = self._runners["chat"].rows
        return self._waiting.is_full("chat") or any(not row.has_first_token for row in chat)
