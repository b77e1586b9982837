"""The scripted engine's lanes."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from engine.protocol import AnyEvent, Lane, is_last
from engine.script_row import ScriptedRow
from engine.serving.containment import Caught, attempt, failure

PREFILL_STEP = 16
BRIEF_STEP = 8


class ScriptedLane:
    """Reads prompts one after the other and says a word of every reply at once.

    `borrow` tells how much of a prompt is cached, `keep` hears of every row that ended well.
    """

    def __init__(
        self, lane: Lane, borrow: Callable[[ScriptedRow], int], keep: Callable[[ScriptedRow], None]
    ) -> None:
        self._is_chat = lane == "chat"
        self._borrow = borrow
        self._keep = keep
        self._rows: list[ScriptedRow] = []
        self._has_just_read = False

    @property
    def rows(self) -> Sequence[ScriptedRow]:
        """The rows that were started and have not ended."""
        return tuple(self._rows)

    @property
    def held_bytes(self) -> int:
        """What these rows were granted."""
        return sum(row.claim.bytes_for(row.granted_tokens) for row in self._rows)

    def start(self, row: ScriptedRow) -> None:
        """Take on a row."""
        row.reuse(self._borrow(row))
        self._rows.append(row)

    def step(self, is_brief: bool) -> list[AnyEvent]:
        """One chunk of one prompt, or one word of every reply."""
        reading = next((row for row in self._rows if row.is_reading), None)
        speaking = [row for row in self._rows if not row.is_reading]
        must_speak = self._is_chat and self._has_just_read and bool(speaking)
        self._has_just_read = reading is not None and not must_speak
        if reading is None or must_speak:
            return self._speak(speaking)
        time.sleep(reading.reply.seconds_per_chunk)
        return reading.read(BRIEF_STEP if is_brief else PREFILL_STEP)

    def wait(self) -> None:
        """Nothing is ever begun and not finished."""

    def cancel(self, row: ScriptedRow) -> list[AnyEvent]:
        """End a row now."""
        self._rows.remove(row)
        self._keep(row)
        return [row.finish("cancelled")]

    def _speak(self, rows: Sequence[ScriptedRow]) -> list[AnyEvent]:
        time.sleep(max(row.reply.seconds_per_token for row in rows))
        events: list[AnyEvent] = []
        for row in rows:
            said = attempt(row.say)
            if isinstance(said, Caught):
                said = [failure(row.command, said)]
            elif is_last(said[-1]):
                self._keep(row)
            if is_last(said[-1]):
                self._rows.remove(row)
            events += said
        return events
