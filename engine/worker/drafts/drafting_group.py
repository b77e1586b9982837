"""A group whose row, while it is alone, is fed several tokens in one pass where that pays.

Which tokens are said never depends on drafts: each position is drawn from its own logits with the
row's own processors and sampler, in order, and the first draw that differs from its draft ends the
run. So a processor and a sampler see exactly the positions they would see without drafts.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Sequence
from typing import Any

import mlx.core as mx

from engine.plan.transient import MOST_DRAFTED
from engine.worker.cache.detached import extract_row
from engine.worker.decode_group import DecodeGroup, soundness
from engine.worker.drafts.row_drafts import Draft, Drafting, RowDrafts
from engine.worker.drafts.taking_back import room_to_take_back, take_back
from engine.worker.lane_tools import LaneTools
from engine.worker.prefilled import Prefilled
from engine.worker.row import Row
from engine.worker.row_results import Decoded, Left


class DraftingGroup(DecodeGroup):
    """As a DecodeGroup, but a step may bring a row that is alone several tokens."""

    def __init__(
        self, tools: LaneTools, prefilled: Sequence[Prefilled], drafting: Drafting
    ) -> None:
        super().__init__(tools, prefilled)
        self._model = tools.model
        self._drafting = drafting
        self._drafts: RowDrafts | None = None
        self._singled_at: float | None = None

    def step(self) -> list[Decoded]:
        """The next token of every row, or the next few of the only one."""
        draft = self._draft() if len(self.rows) == 1 else None
        if draft is not None:
            self._singled_at = None
            return self._check(draft)
        began = time.monotonic()
        decoded = super().step()
        self._note_single(began)
        return decoded

    def absorb(self, other: DecodeGroup) -> None:
        """Take over another group's rows."""
        super().absorb(other)
        self._drafts = self._singled_at = None

    def extract(self, row: Row) -> Left:
        """The row's tokens and a cache of its own, without what it was fed beyond its end."""
        self._forget_unsaid(row)
        return super().extract(row)

    def remove(self, rows: Collection[Row]) -> None:
        """Let rows go."""
        super().remove(rows)
        self._drafts = self._singled_at = None

    @property
    def _tokens(self) -> list[int]:
        """What the only row's cache holds."""
        tokens: list[int] = self._batch.tokens[0]
        return tokens

    def _draft(self) -> Draft | None:
        row = self.rows[0]
        if self._room(row) < 1:
            return None
        self._drafts = self._drafts or RowDrafts(self._drafting)
        if not self._drafts.has_turn(self._tokens):
            return None
        if self._is_batch:
            self._become_lone()
        pending = _value(self._batch._next_tokens)
        # Another step may have been begun meanwhile, and a window may be smaller than thought.
        room = self._room(row)
        if room < 1 or pending in self._drafting.end_tokens:
            return None
        return self._drafts.draft(self._tokens, pending, room)

    def _room(self, row: Row) -> int:
        """How many tokens may be drafted: the pending one is fed and counts before them."""
        room = min(row.granted_tokens - row.generated - 1, MOST_DRAFTED)
        if room < 1 or self._is_batch:
            return room
        room = min(room, room_to_take_back(self._batch.prompt_cache) - 1)
        held, start = len(self._tokens), self._scheme.start_tokens
        # Without drafts a token from there on would read quantized keys.
        return min(room, start - held - 1) if held < start else room

    def _check(self, draft: Draft) -> list[Decoded]:
        """Feed the pending token and the drafted ones; keep those that come true."""
        batch, row = self._batch, self.rows[0]
        self._scheme.convert_due(batch.prompt_cache)
        fed = [draft.pending, *draft.tokens]
        sound = [self._is_sound(batch._next_logprobs[0][None], batch._next_tokens)]
        logits = self._model(mx.array([fed]), cache=batch.prompt_cache)[0]
        accepted = 0
        for position, token in enumerate(fed):
            drawn, logprobs = self._draw(row, token, logits[position : position + 1])
            if position == len(draft.tokens) or _value(drawn) != draft.tokens[position]:
                break
            accepted += 1
            sound.append(self._is_sound(logprobs, drawn))
        take_back(batch.prompt_cache, len(draft.tokens) - accepted)
        self._tokens.extend(fed[: accepted + 1])
        batch._next_tokens, batch._next_logprobs = drawn, list(logprobs)
        mx.eval(drawn, logprobs)
        draft.note(accepted)
        row.note_drafts(len(draft.tokens), accepted)
        return [Decoded(row, *said) for said in zip(fed, sound, strict=False)]

    def _draw(self, row: Row, token: int, logits: mx.array) -> tuple[mx.array, mx.array]:
        """What follows `token`, as mlx-lm draws it: the next token and its log probabilities."""
        batch = self._batch
        if row.processors:
            context = batch._token_context[0].update_and_fetch(mx.array([token]))
            for processor in row.processors:
                logits = processor(context, logits)
        logprobs = logits - mx.logsumexp(logits, axis=-1, keepdims=True)
        drawn: mx.array = batch.samplers[0](logprobs)
        return drawn, logprobs

    def _is_sound(self, logprobs: mx.array, token: mx.array) -> bool:
        return soundness(logprobs, token)[0]

    def _note_single(self, began: float) -> None:
        """Note how long a token takes, from one's end to the next one's."""
        ended, last = time.monotonic(), self._singled_at
        is_alone = len(self.rows) == 1
        self._singled_at = ended if is_alone else None
        # The first one after a check was computed before, and what others did is not its time.
        if is_alone and last is not None:
            pause = began - last
            own = ended - began
            self._drafting.note_single(own + pause if 4 * pause < own else own)

    def _become_lone(self) -> None:
        """The row that is left gets caches of its own, a layer at a time."""
        caches: list[Any] = self._batch.prompt_cache
        for index, layer in enumerate(caches):
            caches[index] = extract_row([layer], 0)[0]
        self._is_batch = False

    def _forget_unsaid(self, row: Row) -> None:
        """Take back what was fed of a run after the token that ended the row."""
        if len(self.rows) > 1 or self._is_batch or not self._drafts:
            return
        surplus = len(self._tokens) - row.tokens_held
        if surplus > 0:
            take_back(self._batch.prompt_cache, surplus)
            del self._tokens[-surplus:]


def _value(token: mx.array) -> int:
    value: Any = token.item()
    return int(value)
