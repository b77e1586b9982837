"""Everything that answers with one loaded model: both lanes, their scheduler, the kept caches."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import mlx.core as mx
from mlx_lm.generate import generation_stream

from engine.config import EngineConfig
from engine.plan.contract import MemoryPlan
from engine.plan.reserve import safety_bytes
from engine.protocol import AnyEvent, Failed, Finished, Lane
from engine.serving.chunk_pace import ChunkPace
from engine.serving.kv_budget import GROWTH_TOKENS, Claim, KvBudget
from engine.serving.lanes import LANES
from engine.serving.scheduler import Scheduler
from engine.worker.batching import Batching
from engine.worker.cache_tier import CacheTier
from engine.worker.drafts.row_drafts import Drafting
from engine.worker.drafts.second_model import SecondModel
from engine.worker.grouping import Costs
from engine.worker.kept_caches import KeptCaches
from engine.worker.kept_model import kept_model
from engine.worker.lane import MlxLane
from engine.worker.lane_tools import LaneTools
from engine.worker.loaded_model import LoadedModel
from engine.worker.prompt_cache import PromptCache
from engine.worker.rate import Meters
from engine.worker.row import Row
from engine.worker.row_sampling import RowSampling
from engine.worker.run_book import RunBook
from engine.worker.snapshot import Snapshot
from engine.worker.structured import Structured
from engine.worker.telemetry import Telemetry
from engine.worker.wired_weights import WiredWeights

_SAMPLE_TOKENS = 4096
"""A context at which the average token's share of the KV cache is taken."""
_FORMS_IDLE_SECONDS = 3.0
"""After which nobody is likely to ask within the second that it takes."""
_DEMOTE_SECONDS = 300.0
"""After which a kept chat that is on the disk gives its memory back."""
_MOST_LENGTHS, _MOST_PLANS = 4096, 64


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What outlives a model. `plan_at` plans the loaded one for so many tokens and rows."""

    plan_at: Callable[[int, int], MemoryPlan]
    meters: Meters
    snapshot: Snapshot
    book: RunBook
    wired: WiredWeights
    prompt_cache_bytes: int
    tier: CacheTier


class Answering:
    """Goes with its model."""

    def __init__(
        self, loaded: LoadedModel, config: EngineConfig, surroundings: Surroundings
    ) -> None:
        self._loaded = loaded
        self._around = surroundings
        self._plan = lru_cache(_MOST_PLANS)(
            lambda tokens, rows, _: surroundings.plan_at(tokens, rows)
        )
        self.kept = KeptCaches(
            kept_model(loaded),
            PromptCache(surroundings.prompt_cache_bytes, surroundings.tier),
            lambda tokens: self._plan_now(tokens, 1),
        )
        self._kv_bytes = lru_cache(_MOST_LENGTHS)(lambda tokens: self._plan_now(tokens, 1).kv_bytes)
        self._rows: dict[int, Row] = {}
        self._kept_bytes = 0
        self._has_answered = False
        self._budget = KvBudget(self._measure_budget)
        tools = self._tools(config.prefill_step, config.is_drafting_allowed)
        self._lanes: dict[Lane, MlxLane] = {lane: MlxLane(lane, tools) for lane in LANES}
        sizes: dict[Lane, int] = {"chat": config.chat_rows, "background": config.background_rows}
        self._scheduler = Scheduler(self._lanes, sizes, self._budget)
        self._telemetry = Telemetry(self._lanes.values(), self.kept)
        self.sampling = RowSampling(loaded)
        self.structured = Structured(loaded.tokenizer, loaded.markup, loaded.trial.vocabulary_size)

    def claim(self, prompt_tokens: int, answer_tokens: int, is_open: bool = False) -> Claim:
        """What a row of this size needs."""
        return Claim(prompt_tokens, answer_tokens, self._kv_bytes, is_open)

    def submit(self, row: Row) -> None:
        """Queue a row. Raises Refused when it is too big alone."""
        self._scheduler.submit(row)
        self._rows[row.id] = row
        self.kept.note(row)
        self.show()

    def step(self) -> list[AnyEvent]:
        """One piece of work of one lane."""
        with mx.stream(generation_stream):
            return self._pass_on(self._scheduler.step())

    def cancel(self, id: int) -> list[AnyEvent]:
        """End a row."""
        with mx.stream(generation_stream):
            return self._pass_on(self._scheduler.cancel(id))

    def prepare_forms(self, idle_seconds: float) -> float | None:
        """Make ready for answers of a form once nobody waits; returns when to try again.

        Not before the first answer: it would be the one to come late.
        """
        if not self._has_answered or self.structured.is_prepared:
            return None
        if idle_seconds < _FORMS_IDLE_SECONDS:
            return _FORMS_IDLE_SECONDS - idle_seconds
        self.structured.prepare()
        return None

    def demote(self) -> float | None:
        """Leave to the disk what was not used for long; returns when to try again."""
        if self.kept.cache.demote(_DEMOTE_SECONDS):
            mx.clear_cache()
            self.show()
        return self.kept.cache.seconds_to_demotion(_DEMOTE_SECONDS)

    def forget(self, owner: str) -> int:
        """Drop a conversation's cache or a group's; returns how many went."""
        entries = self.kept.forget(owner, self._rows.values())
        self.show()
        return entries

    def show(self) -> None:
        """Bring what the gauge is told up to date."""
        self._telemetry.measure()
        rows = [row.usage() for row in self._scheduler.rows()]
        self._telemetry.show(self._around.snapshot, rows, self._scheduler.budget_bytes)
        is_running = any(row.state != "queued" for row in rows)
        self._around.wired.show_running(is_running, self._loaded.held_bytes)

    def _pass_on(self, events: list[AnyEvent]) -> list[AnyEvent]:
        """Note what ended, and show how things stand, but not after every step."""
        ended = [event for event in events if isinstance(event, Finished | Failed)]
        for event in ended:
            self._note_end(self._rows.pop(event.id), event)
        if ended or self._telemetry.is_due:
            self.show()
        self.kept.relieve(self._rows.values())
        return events

    def _note_end(self, row: Row, event: Finished | Failed) -> None:
        self._has_answered = True
        if not row.tokens_held:
            return
        self._telemetry.remember(row.tokens_held)
        if isinstance(event, Finished) and row.was_alone:
            self._around.book.note_answer(event.usage, mx.get_peak_memory() - self._kept_bytes)

    def _tools(self, chunk: int, is_drafting: bool) -> LaneTools:
        loaded = self._loaded
        end_tokens = frozenset(loaded.tokenizer.eos_token_ids)
        scheme = loaded.kv.scheme
        return LaneTools(
            model=loaded.model,
            end_tokens=end_tokens,
            chunk=chunk,
            costs=Costs(loaded.info.weights_bytes, self._token_bytes),
            batching=Batching(loaded.model, scheme),
            meters=self._around.meters,
            pace=ChunkPace(),
            scheme=scheme,
            kept=self.kept,
            admit=self._admit,
            spare_bytes=self._spare_bytes,
            drafting=self._drafting(end_tokens, chunk) if is_drafting else None,
        )

    def _drafting(self, end_tokens: frozenset[int], chunk: int) -> Drafting:
        draft = self._loaded.draft
        if draft is None:
            return Drafting(end_tokens)
        vocabulary_size = self._loaded.trial.vocabulary_size
        return Drafting(end_tokens, SecondModel(draft, vocabulary_size, chunk))

    def _admit(self, row: Row) -> None:
        """Make room for a row that starts. Raises Refused when that is not possible any more."""
        held = self._scheduler.held()
        self.kept.make_room(row, held.chat_bytes + held.background_bytes)
        if not held.rows:
            mx.reset_peak_memory()
            self._kept_bytes = self.kept.bytes_beside(row)

    @property
    def _token_bytes(self) -> int:
        known = self._loaded.trial.kv_token_bytes
        return known or self._kv_bytes(_SAMPLE_TOKENS) // _SAMPLE_TOKENS

    def _measure_budget(self, tokens: int, rows: int) -> int | None:
        if self._loaded.is_forced:
            return None
        plan = self._plan_now(tokens, rows)
        fixed = safety_bytes(plan) + plan.weights_bytes + plan.transient_bytes
        return max(plan.usable_bytes - fixed, 0)

    def _plan_now(self, tokens: int, rows: int) -> MemoryPlan:
        """A plan costs milliseconds, so within a second and a growth step it is the same one."""
        limit = self._loaded.info.context_limit
        rounded = -(-tokens // GROWTH_TOKENS) * GROWTH_TOKENS
        if limit:
            rounded = max(min(rounded, limit), tokens)
        return self._plan(rounded, rows, int(time.monotonic()))

    def _spare_bytes(self) -> int | None:
        held = self._scheduler.held()
        size = self._budget.size(held)
        return None if size is None else size - held.chat_bytes - held.background_bytes
