"""The MLX backend of the serving loop."""

from __future__ import annotations

import gc
from collections.abc import Callable, Sequence
from pathlib import Path

import mlx.core as mx
from msgspec import structs

from engine.compute import ComputePath
from engine.config import EngineConfig
from engine.plan.contract import MemoryPlan, PlanOptions
from engine.plan.device import Device
from engine.plan.records import Records
from engine.protocol import (
    NO_REQUEST,
    AnyEvent,
    Generate,
    LoadModel,
    MemoryReport,
    ModelInfo,
    Plan,
)
from engine.serving.backend import Refused, Saved
from engine.serving.checks import idle_seconds
from engine.worker.answering import Answering, Surroundings
from engine.worker.cache.attention_patch import install_attention
from engine.worker.cache_key import cache_key
from engine.worker.disk_tier import DiskTier
from engine.worker.loaded_model import LoadedModel
from engine.worker.model_loading import ModelLoader
from engine.worker.planning import EnginePlanning
from engine.worker.rate import Meters
from engine.worker.request_making import make_request
from engine.worker.row import Row
from engine.worker.run_book import RunBook
from engine.worker.snapshot import Snapshot
from engine.worker.stepped_delta import order_delta_steps
from engine.worker.wired_weights import WiredWeights

_UNLOAD_SECONDS = 5.0
"""So long a model that goes may take to save its caches."""


class MlxBackend:
    """Holds one model and, while there is one, what answers with it."""

    name = "mlx"

    def __init__(self, config: EngineConfig, compute: ComputePath, device: Device) -> None:
        self._config = config
        self._compute = compute
        self.device = device
        self.idle_seconds = idle_seconds(config.idle_unload_seconds)
        install_attention(compute.kind)
        if device.backend != "metal":
            order_delta_steps()
        self._records = Records(
            Path(config.records_dir) if config.records_dir else Path(config.cache_dir) / "records"
        )
        self._planning = EnginePlanning(config, device, self._records)
        self._loader = ModelLoader(config, compute, self._planning)
        self._book = RunBook(self._records, self._planning)
        self._loaded: LoadedModel | None = None
        self._answering: Answering | None = None
        self._wired = WiredWeights(device, config.is_wiring_allowed)
        self._meters = Meters()
        tier_dir = Path(config.disk_tier_dir) if config.disk_tier_dir else None
        self._tier = DiskTier(tier_dir, config.disk_tier_bytes)
        self._snapshot = Snapshot(self._planning.machine, lambda: self._tier.usage)

    def load(self, command: LoadModel, report_stage: Callable[[str], None]) -> ModelInfo:
        """Replace the model. The old one is freed first: two may not fit."""
        self.unload()
        try:
            self._loaded = loaded = self._loader.load(command, report_stage)
        except Exception:
            self.unload()
            raise
        info = loaded.info
        self._planning.forget_machine()
        if info.plan is not None and info.plan.allocator_limit_bytes is not None:
            mx.set_cache_limit(info.plan.allocator_limit_bytes)
        self._book.open(loaded)
        self._tier.open(cache_key(loaded), loaded.trial.looks)
        self._answering = Answering(loaded, self._config, self._surroundings())
        self._snapshot.show_model(info)
        return info

    def plan(self, command: Plan) -> MemoryPlan:
        """What a folder would cost in the place of what is loaded; any thread."""
        if command.path:
            return self._planning.plan(command.path, command.options)
        loaded = self._require_model()
        options = structs.replace(
            command.options, adapter=loaded.info.adapter, draft=loaded.draft_path
        )
        return self._planning.plan(loaded.info.path, options, loaded.form)

    def unload(self) -> None:
        """Save the caches for a moment, then free them, the model and MLX's pooled buffers."""
        self._tier.flush(_UNLOAD_SECONDS)
        self._tier.close()
        self._answering = self._loaded = None
        self._book.close()
        self._wired.show_running(False, 0)
        self._snapshot.show_nothing()
        gc.collect()
        mx.clear_cache()
        self._planning.forget_machine()

    def count_tokens(self, texts: Sequence[str]) -> tuple[int, ...]:
        """Token counts without special tokens."""
        tokenizer = self._require_model().tokenizer
        return tuple(len(tokenizer.encode(text, add_special_tokens=False)) for text in texts)

    def forget(self, owner: str) -> int:
        """Drop the conversation's cache, or what was read for a prefix group."""
        return self._answering.forget(owner) if self._answering else self._tier.forget(owner)

    def save(self, seconds: float) -> Saved:
        """Write what waits for the disk, newest first."""
        return self._tier.flush(seconds)

    def upkeep(self, idle_seconds: float) -> float | None:
        """Write a little of what waits for the disk, then free what has lain there for long."""
        pause, answering = self._tier.upkeep(idle_seconds), self._answering
        if pause is not None or answering is None:
            return pause
        pauses = answering.prepare_forms(idle_seconds), answering.demote()
        return min((pause for pause in pauses if pause is not None), default=None)

    def submit(self, command: Generate) -> None:
        """Check the request and queue the row."""
        loaded = self._require_model()
        assert self._answering is not None  # as long as there is a model
        self._answering.submit(Row(make_request(command, loaded, self._answering)))

    def step(self) -> Sequence[AnyEvent]:
        """One chunk or one token a row, of one lane."""
        return self._answering.step() if self._answering else ()

    def cancel(self, id: int) -> Sequence[AnyEvent]:
        """Stop an answer and keep the cache of exactly the tokens fed so far."""
        return self._answering.cancel(id) if self._answering else ()

    def abandon(self) -> None:
        """Drop every row, and the caches with them."""
        if self._loaded is not None:
            self._answering = None
            gc.collect()
            mx.clear_cache()
            self._answering = Answering(self._loaded, self._config, self._surroundings())

    def memory(self, rows_waiting: int) -> MemoryReport:
        """The last snapshot with the allocator's and the system's figures of this moment."""
        return self._snapshot.report(rows_waiting, self._meters, self._book)

    def _require_model(self) -> LoadedModel:
        if self._loaded is None:
            raise Refused("no-model", "No model is loaded yet.")
        return self._loaded

    def _surroundings(self) -> Surroundings:
        return Surroundings(
            plan_at=self._plan_loaded,
            meters=self._meters,
            snapshot=self._snapshot,
            book=self._book,
            wired=self._wired,
            prompt_cache_bytes=self._planning.prompt_cache_bytes,
            tier=self._tier,
        )

    def _plan_loaded(self, context_tokens: int, rows: int = 1) -> MemoryPlan:
        options = PlanOptions(context_tokens=context_tokens, rows=rows)
        return self.plan(Plan(NO_REQUEST, "", options))
