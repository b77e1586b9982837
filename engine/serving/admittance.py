"""The queue of each lane, and which of its rows may start."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Generic

from engine.protocol import AnyEvent, Lane
from engine.serving.backend import Refused
from engine.serving.containment import Caught, attempt, failure
from engine.serving.kv_budget import OPEN_ANSWER, Held, KvBudget
from engine.serving.lanes import LANES, LaneRunner, R, ScheduledRow

_LAST_TOKENS = 32
"""More than a step of drafts says at once."""
LOOK_AGAIN_SECONDS = 1.0
"""The machine's free memory changes without our doing."""
_SHORTAGE = "Memory ran short before this could begin: close other programs and ask again."


class Admittance(Generic[R]):
    """First come, first served in each lane, chat before background; `sizes` rows run at once."""

    def __init__(
        self,
        runners: Mapping[Lane, LaneRunner[R]],
        sizes: Mapping[Lane, int],
        budget: KvBudget,
        clock: Callable[[], float],
    ) -> None:
        self._runners = runners
        self._sizes = sizes
        self._budget = budget
        self._clock = clock
        self._queues: dict[Lane, deque[R]] = {lane: deque() for lane in LANES}
        self._has_changed = True
        self._looked_at = 0.0
        self.budget_bytes = 0
        """The budget when it was last looked at; 0 while nothing bounds it."""

    def queued(self, lane: Lane) -> Sequence[R]:
        """The rows that wait."""
        return tuple(self._queues[lane])

    def add(self, row: R) -> None:
        """Queue a row. Raises Refused when it is too big alone."""
        lane = row.command.lane
        longest = self._budget.alone(row.claim, lane)
        row.claim = replace(row.claim, wished_tokens=longest)
        self._queues[lane].append(row)
        self._has_changed = True

    def remove(self, row: R) -> None:
        """Take a row out of its queue."""
        self._queues[row.command.lane].remove(row)
        self._has_changed = True

    def note_end(self) -> None:
        """A row has ended: another one may fit now."""
        self._has_changed = True

    def is_full(self, lane: Lane) -> bool:
        """Whether rows wait for others of their lane to end, whatever the memory."""
        is_full = len(self._runners[lane].rows) >= self._sizes[lane]
        return is_full and bool(self._queues[lane])

    def start_rows(self) -> list[AnyEvent]:
        """Start what may start; who does not fit yet keeps those behind waiting."""
        now = self._clock()
        is_soon = now - self._looked_at < LOOK_AGAIN_SECONDS
        if is_soon and not self._has_changed and not self._is_row_running_out():
            return []
        self._has_changed, self._looked_at = False, now
        self._raise_ceilings()
        events: list[AnyEvent] = []
        for lane in LANES:
            events += self._start_lane(lane)
            if self._queues[lane] and not self.is_full(lane):
                # It waits for memory, which a row of the next lane would take away.
                break
        if not any(runner.rows for runner in self._runners.values()):
            events += self._refuse_first()
        self.budget_bytes = self._budget.size(self.held()) or 0
        return events

    def held(self) -> Held:
        """What the running rows were granted."""
        running = [row for runner in self._runners.values() for row in runner.rows]
        reaches = (row.claim.prompt_tokens + row.granted_tokens for row in running)
        return Held(
            chat_bytes=self._runners["chat"].held_bytes,
            background_bytes=self._runners["background"].held_bytes,
            rows=len(running),
            longest_tokens=max(reaches, default=0),
        )

    def _start_lane(self, lane: Lane) -> list[AnyEvent]:
        events: list[AnyEvent] = []
        queue, runner = self._queues[lane], self._runners[lane]
        while queue and not self.is_full(lane):
            granted = self._budget.beside(queue[0].claim, lane, self.held())
            if not granted:
                break
            row = queue.popleft()
            row.granted_tokens = granted
            events += self._start(row, runner)
        return events

    def _start(self, row: R, runner: LaneRunner[R]) -> list[AnyEvent]:
        row.start()
        caught = attempt(lambda: runner.start(row))
        if isinstance(caught, Caught):
            return [failure(row.command, caught)]
        running = [other for each in self._runners.values() for other in each.rows]
        if len(running) > 1:
            for other in running:
                other.was_alone = False
        return []

    def _refuse_first(self) -> list[AnyEvent]:
        """Nothing runs and yet the first in line does not fit: memory has become short."""
        for lane in LANES:
            if self._queues[lane]:
                self._has_changed = True
                return [self._refuse(self._queues[lane].popleft())]
        return []

    def _refuse(self, row: R) -> AnyEvent:
        alone = attempt(lambda: self._budget.alone(row.claim, row.command.lane))
        shortage = alone if isinstance(alone, Caught) else Caught(Refused("no-room", _SHORTAGE))
        return failure(row.command, shortage)

    def _is_row_running_out(self) -> bool:
        """Whether an open answer would end before the next look, for want of room."""
        return any(
            row.claim.is_open
            and row.granted_tokens < row.claim.wished_tokens
            and row.granted_tokens - row.answered_tokens <= _LAST_TOKENS
            for lane in LANES
            for row in self._runners[lane].rows
        )

    def _raise_ceilings(self) -> None:
        """Answers get more room: open ones as they grow, others when rows have left."""
        for lane in LANES:
            for row in self._runners[lane].rows:
                if _is_short(row):
                    self._raise_ceiling(row, lane)

    def _raise_ceiling(self, row: R, lane: Lane) -> None:
        before, held = row.granted_tokens, self.held()
        own = row.claim.bytes_for(before)
        bytes_held = {"chat": held.chat_bytes, "background": held.background_bytes}
        bytes_held[lane] = max(bytes_held[lane] - own, 0)
        others = Held(
            bytes_held["chat"], bytes_held["background"], held.rows - 1, held.longest_tokens
        )
        granted = self._budget.beside(row.claim, lane, others, row.answered_tokens)
        row.granted_tokens = max(granted, before)
        if row.granted_tokens > before and not self._budget.is_kept(self.held()):
            # The rows of a batch are padded to its longest.
            row.granted_tokens = before


def _is_short(row: ScheduledRow) -> bool:
    """Whether a row could use more room than it has; an open one only when little is left."""
    if row.granted_tokens >= row.claim.wished_tokens:
        return False
    left = row.granted_tokens - row.answered_tokens
    return not row.claim.is_open or left <= OPEN_ANSWER // 2
