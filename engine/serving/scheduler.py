"""Who computes next: the queue of each lane, the KV budget and the duty cycle.

Knows nothing of models. A lane's runner computes the rows it was given; here is decided when a
row may start and which lane takes the next step.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Generic, Protocol, TypeVar, get_args

from engine.protocol import AnyEvent, Generate, Lane, RowState, is_last
from engine.serving.backend import Refused
from engine.serving.containment import Caught, attempt, failure
from engine.serving.duty_cycle import DutyCycle
from engine.serving.kv_budget import Claim, Held, KvBudget

LANES: tuple[Lane, ...] = get_args(Lane)
LOOK_AGAIN_SECONDS = 1.0
"""The machine's free memory changes without our doing."""


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

    def start(self) -> None:
        """It leaves the queue."""

    def cancel_queued(self) -> Sequence[AnyEvent]:
        """End it before it began."""


R = TypeVar("R", bound=ScheduledRow)


class LaneRunner(Protocol[R]):
    """Computes the rows of one lane. A row that ends leaves by itself with its last event."""

    @property
    def rows(self) -> Sequence[R]:
        """The rows that were started and have not ended."""

    @property
    def held_bytes(self) -> int:
        """What these rows were granted, padding included."""

    def start(self, row: R) -> None:
        """Take on a row."""

    def step(self, is_brief: bool) -> Sequence[AnyEvent]:
        """Do one piece of work; `is_brief` asks for a small one because somebody reads along."""

    def wait(self) -> None:
        """Wait for what a step began and did not finish."""

    def cancel(self, row: R) -> Sequence[AnyEvent]:
        """End a row now, keeping its cache."""


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
        self._sizes = sizes
        self._budget = budget
        self._clock = clock
        self._duty = DutyCycle()
        self._queues: dict[Lane, deque[R]] = {lane: deque() for lane in LANES}
        self._last_lane: Lane = "chat"
        self._has_changed = True
        self._looked_at = 0.0
        self.budget_bytes = 0
        """The budget when it was last looked at; 0 while nothing bounds it."""

    def submit(self, row: R) -> None:
        """Queue a row. Raises Refused when it is too big alone."""
        lane = row.command.lane
        longest = self._budget.alone(row.claim, lane)
        row.claim = Claim(row.claim.prompt_tokens, longest, row.claim.bytes_at)
        self._queues[lane].append(row)
        self._has_changed = True

    def step(self) -> list[AnyEvent]:
        """Start what may start, then let one lane compute."""
        events = self._start_rows()
        chat, background = (self._runners[lane].rows for lane in LANES)
        if not chat and not background:
            return events
        is_contended = bool(chat and background) and not self._is_chat_first
        if is_contended:
            lane = self._duty.next_lane()
            self._change_to(lane)
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
            for row in self._queues[lane]:
                if row.command.id == id:
                    self._queues[lane].remove(row)
                    return self._hear(row.cancel_queued())
            for row in self._runners[lane].rows:
                if row.command.id == id:
                    return self._hear(self._runners[lane].cancel(row))
        return []

    def rows(self) -> Iterator[R]:
        """Every row: chat before background, running before queued, in the order they came."""
        for lane in LANES:
            yield from self._runners[lane].rows
            yield from self._queues[lane]

    def held(self) -> Held:
        """What the running rows were granted."""
        running = [row for lane in LANES for row in self._runners[lane].rows]
        return Held(
            chat_bytes=self._runners["chat"].held_bytes,
            background_bytes=self._runners["background"].held_bytes,
            rows=len(running),
            longest_tokens=max((_reach(row) for row in running), default=0),
        )

    def _change_to(self, lane: Lane) -> None:
        """Let the other lane bear the time of what it has begun."""
        if lane != self._last_lane:
            began = self._clock()
            self._runners[self._last_lane].wait()
            self._duty.note(self._last_lane, self._clock() - began)

    def _hear(self, events: Sequence[AnyEvent]) -> list[AnyEvent]:
        if any(is_last(event) for event in events):
            self._has_changed = True
        return list(events)

    def _start_rows(self) -> list[AnyEvent]:
        """First come, first served in each lane; who does not fit yet keeps the others waiting."""
        now = self._clock()
        if not self._has_changed and now - self._looked_at < LOOK_AGAIN_SECONDS:
            return []
        self._has_changed, self._looked_at = False, now
        events: list[AnyEvent] = []
        for lane in LANES:
            queue, runner = self._queues[lane], self._runners[lane]
            while queue and len(runner.rows) < self._sizes[lane] and self._may_start(queue[0]):
                events += self._start(queue.popleft(), runner)
        if not any(runner.rows for runner in self._runners.values()):
            events += self._refuse_first()
        self.budget_bytes = self._budget.size(self.held()) or 0
        self._raise_ceilings()
        return events

    def _may_start(self, row: R) -> bool:
        granted = self._budget.beside(row.claim, row.command.lane, self.held())
        row.granted_tokens = granted
        return granted > 0

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

    def _raise_ceilings(self) -> None:
        """A chat answer that began with less room gets more when others have left."""
        held = self.held()
        for row in self._runners["chat"].rows:
            if row.granted_tokens < row.claim.wished_tokens:
                own = row.claim.bytes_for(row.granted_tokens)
                rest = Held(
                    max(held.chat_bytes - own, 0),
                    held.background_bytes,
                    held.rows - 1,
                    held.longest_tokens,
                )
                granted = self._budget.beside(row.claim, "chat", rest)
                row.granted_tokens = max(granted, row.granted_tokens)
                held = self.held()

    @property
    def _is_chat_first(self) -> bool:
        """Whether somebody waits for the first token of a chat answer.

        One that waits for the memory of background rows gains nothing from their standing still.
        """
        chat = self._runners["chat"].rows
        is_next_held_up = len(chat) >= self._sizes["chat"] and bool(self._queues["chat"])
        return is_next_held_up or any(not row.has_first_token for row in chat)


_SHORTAGE = "Memory ran short before this could begin: close other programs and ask again."


def _reach(row: ScheduledRow) -> int:
    return row.claim.prompt_tokens + row.granted_tokens
