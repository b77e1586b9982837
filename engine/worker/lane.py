"""Computes the rows of one lane: reads their prompts, joins them to groups, decodes."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Sequence
from functools import partial
from typing import Any

import mlx.core as mx
from mlx_lm.generate import generation_stream

from engine.protocol import AnyEvent, Failed, Finished, Lane, is_last
from engine.serving.containment import Caught, attempt, failure
from engine.worker.decode_group import DecodeGroup
from engine.worker.joining import join
from engine.worker.lane_tools import LaneTools
from engine.worker.prefilled import Prefilled
from engine.worker.prompt_queue import PromptQueue
from engine.worker.reading import Reading
from engine.worker.row import Row
from engine.worker.row_results import Decoded, Left

_CLEAR_EVERY = 256
"""Steps after which MLX's pool of freed buffers is emptied."""


class MlxLane:
    """A row waits for its prompt to be read, is read, waits for companions, and decodes.

    Background prompts are all read before their rows decode, so that they decode together. In the
    chat lane rows that decode get a step after every chunk.
    """

    def __init__(self, lane: Lane, tools: LaneTools) -> None:
        self._is_chat = lane == "chat"
        self._tools = tools
        self._rows: list[Row] = []
        self._prompts = PromptQueue(tools)
        self._read: list[Prefilled] = []
        self._groups: deque[DecodeGroup] = deque()
        self._has_just_read = False
        self._steps = 0

    @property
    def rows(self) -> Sequence[Row]:
        """The rows that were started and have not ended, in the order they came."""
        return tuple(self._rows)

    @property
    def held_bytes(self) -> int:
        """What these rows were granted, padding included."""
        batches: list[DecodeGroup | Prefilled] = [*self._groups, *self._read]
        alone = sum(row.granted_bytes for row in self._prompts.rows)
        return alone + sum(batch.extent.claimed_bytes for batch in batches)

    @property
    def caches(self) -> list[list[Any]]:
        """The layers of each batch and of each row outside of one."""
        return [holder.caches for holder in self._holders if holder.caches]

    def start(self, row: Row) -> None:
        """Take on a row. Raises Refused when the machine's memory has become short."""
        self._tools.admit(row)
        self._rows.append(row)
        self._prompts.add(row)

    def step(self, is_brief: bool) -> list[AnyEvent]:
        """One chunk of a prompt, or a token for every row of a group."""
        self._steps += 1
        if self._steps % _CLEAR_EVERY == 0:
            mx.clear_cache()
        events = self._read_some(is_brief) if self._must_read() else self._decode()
        if self._read and (self._is_chat or not self._prompts):
            events += self._join()
        return self._settle(events)

    def wait(self) -> None:
        """Wait for the step that was begun ahead of the last one's tokens."""
        mx.synchronize(generation_stream)

    def cancel(self, row: Row) -> list[AnyEvent]:
        """End a row wherever it is, with the cache of exactly the tokens fed so far."""
        left = attempt(partial(self._withdraw, row))
        if not isinstance(left, Caught) and left is not None:
            self._tools.kept.keep(row, left)
        said = attempt(partial(row.finish, "cancelled"))
        return self._settle([failure(row.command, said)] if isinstance(said, Caught) else said)

    def measure(self) -> None:
        """Tell every row what its cache holds now."""
        for holder in self._holders:
            share = sum(layer.nbytes for layer in holder.caches) // max(len(holder.rows), 1)
            for row in holder.rows:
                row.kv_bytes = share

    @property
    def _holders(self) -> list[DecodeGroup | Prefilled | Reading]:
        return [*self._groups, *self._read, *self._prompts.begun]

    def _settle(self, events: list[AnyEvent]) -> list[AnyEvent]:
        """Forget the rows whose last event is among these."""
        ended = {event.id for event in events if isinstance(event, Finished | Failed)}
        self._rows = [row for row in self._rows if row.id not in ended]
        return events

    def _must_read(self) -> bool:
        may_take_turns = self._is_chat or self._prompts.is_fetching
        is_turn_to_decode = may_take_turns and self._has_just_read and bool(self._groups)
        self._has_just_read = bool(self._prompts) and not is_turn_to_decode
        return self._has_just_read

    def _read_some(self, is_brief: bool) -> list[AnyEvent]:
        pace, chunk = self._tools.pace, self._tools.chunk
        outcome = self._prompts.read(pace.brief_chunk(chunk) if is_brief else chunk)
        self._read += outcome.prefilled
        return outcome.events

    def _decode(self) -> list[AnyEvent]:
        if not self._groups:
            return []
        group = self._groups[0]
        self._groups.rotate(-1)
        began = time.monotonic()
        decoded = attempt(group.step)
        if isinstance(decoded, Caught):
            return self._lose(group, decoded)
        self._tools.meters.decode.add(began, len(decoded))
        events: list[AnyEvent] = []
        ended: list[Row] = []
        for each in decoded:
            if each.row in ended:
                continue
            said = self._say(group, each)
            events += said
            if said and is_last(said[-1]):
                ended.append(each.row)
        if ended:
            group.remove(ended)
            self._groups = deque(group for group in self._groups if group.rows)
            if len(self._groups) > 1:
                events += self._join()
        return events

    def _say(self, group: DecodeGroup, decoded: Decoded) -> list[AnyEvent]:
        row = decoded.row
        is_end = decoded.token in self._tools.end_tokens
        said = attempt(partial(row.take_token, decoded.token, is_end, decoded.is_sound))
        if isinstance(said, Caught):
            return [failure(row.command, said)]
        if said and is_last(said[-1]) and row.command.conversation:
            left = attempt(partial(group.extract, row))
            if not isinstance(left, Caught):
                self._tools.kept.keep(row, left)
        return said

    def _join(self) -> list[AnyEvent]:
        """Let rows whose prompts are read decode, in batches as large as pays."""
        joined = join(self._tools, self._groups, self._read)
        self._groups, self._read = deque(joined.groups), []
        return joined.events

    def _withdraw(self, row: Row) -> Left | None:
        """Take a row out of wherever it is; None when nothing was computed for it."""
        if row in self._prompts.rows:
            return self._prompts.withdraw(row)
        for part in self._read:
            if row in part.rows:
                left = part.leave(row)
                self._read = [each for each in self._read if each.rows]
                return left
        for group in self._groups:
            if row in group.rows:
                left = group.extract(row)
                group.remove([row])
                self._groups = deque(each for each in self._groups if each.rows)
                return left
        return None

    def _lose(self, group: DecodeGroup, caught: Caught) -> list[AnyEvent]:
        """A step raised: what it left in the caches cannot be trusted."""
        self._groups.remove(group)
        rows, group.rows = group.rows, []
        return [failure(row.command, caught) for row in rows]
