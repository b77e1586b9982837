"""The MLX backend of the serving loop."""

from __future__ import annotations

import gc
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import mlx.core as mx
from mlx_lm.generate import BatchGenerator
from msgspec import structs

from engine.compute import ComputePath
from engine.config import EngineConfig
from engine.plan.contract import MemoryPlan, PlanOptions
from engine.plan.device import Device
from engine.plan.records import Records
from engine.protocol import (
    NO_REQUEST,
    Generate,
    LoadModel,
    MemoryReport,
    ModelInfo,
    Plan,
    Usage,
)
from engine.serving.backend import Answer, Refused
from engine.serving.checks import check_request, idle_seconds, room_for_answer
from engine.worker.adapter import check_adapter
from engine.worker.admission import Ceiling, granted_context, require_fit
from engine.worker.answer import Hooks, MlxAnswer, make_generator
from engine.worker.conversation_cache import ConversationCache
from engine.worker.folder_check import check_folder
from engine.worker.kv_usage import measure_rows
from engine.worker.loaded_model import LoadedModel, load_model
from engine.worker.planning import EnginePlanning
from engine.worker.prompt import check_ids, opens_thinking, render_prompt
from engine.worker.rate import Meters
from engine.worker.run_book import RunBook
from engine.worker.sampling import build_sampler
from engine.worker.snapshot import Snapshot
from engine.worker.text_stream import TextStream
from engine.worker.wired_weights import WiredWeights


class MlxBackend:
    """Holds one model, its row generator and the caches of recent conversations."""

    name = "mlx"

    def __init__(self, config: EngineConfig, compute: ComputePath, device: Device) -> None:
        self._config = config
        self._compute = compute
        self.device = device
        self.idle_seconds = idle_seconds(config.idle_unload_seconds)
        self._records = Records(
            Path(config.records_dir) if config.records_dir else Path(config.cache_dir) / "records"
        )
        self._planning = EnginePlanning(config, device, self._records)
        self._book = RunBook(self._records, self._planning)
        self._loaded: LoadedModel | None = None
        self._generator: BatchGenerator | None = None
        self._wired = WiredWeights(device, config.is_wiring_allowed)
        self._caches = ConversationCache()
        self._ceiling = Ceiling(self._plan_loaded, self._caches)
        self._kept_bytes = 0
        self._meters = Meters()
        self._snapshot = Snapshot(self._planning.machine)

    def load(self, command: LoadModel, report_stage: Callable[[str], None]) -> ModelInfo:
        """Replace the model. The old one is freed first: two may not fit."""
        self.unload()
        check_folder(Path(command.path))
        if command.adapter:
            check_adapter(Path(command.adapter))
        plan = self._planning.plan(command.path, PlanOptions(adapter=command.adapter))
        if not command.is_forced:
            require_fit(Path(command.path).name, plan)
        usable = self._planning.machine().usable_bytes
        try:
            loaded = load_model(command, self._compute, usable, report_stage)
        except Exception:
            self.unload()
            raise
        limit = granted_context(plan, self._config.context_limit, loaded.info.context_window)
        info = structs.replace(loaded.info, plan=plan, context_limit=limit)
        self._loaded = replace(loaded, info=info)
        self._planning.forget_machine()
        if plan.allocator_limit_bytes is not None:
            mx.set_cache_limit(plan.allocator_limit_bytes)
        self._caches.budget_bytes = self._planning.prompt_cache_bytes
        self._book.open(self._loaded)
        self._snapshot.show_model(info)
        return info

    def plan(self, command: Plan) -> MemoryPlan:
        """What a folder would cost in the place of what is loaded; any thread."""
        if command.path:
            return self._planning.plan(command.path, command.options)
        loaded = self._require_model()
        options = structs.replace(command.options, adapter=loaded.info.adapter)
        return self._planning.plan(loaded.info.path, options, loaded.form)

    def unload(self) -> None:
        """Free the model, the caches and MLX's pooled buffers."""
        self._drop_generator()
        self._loaded = None
        self._book.close()
        self._caches.clear()
        self._snapshot.show_caches(self._caches)
        self._snapshot.show_model(None)
        gc.collect()
        mx.clear_cache()
        self._planning.forget_machine()

    def count_tokens(self, texts: Sequence[str]) -> tuple[int, ...]:
        """Token counts without special tokens."""
        tokenizer = self._require_model().tokenizer
        return tuple(len(tokenizer.encode(text, add_special_tokens=False)) for text in texts)

    def forget(self, owner: str) -> int:
        """Drop the conversation's cache."""
        entries = self._caches.forget(owner)
        self._snapshot.show_caches(self._caches)
        return entries

    def open(self, command: Generate) -> Answer:
        """Check the request, borrow the conversation's cache and queue the row."""
        loaded = self._require_model()
        check_request(command)
        limit, vocabulary_size = loaded.info.context_limit, loaded.trial.vocabulary_size
        prompt = render_prompt(loaded.tokenizer, command.messages, command.thinking)
        check_ids(prompt, vocabulary_size)
        room = room_for_answer(len(prompt), command.max_tokens, limit, loaded.info.context_window)
        if not loaded.is_forced:
            self._ceiling.make_room(len(prompt), limit, command.conversation)
        sampler = build_sampler(command.sampling, loaded.generation_config, vocabulary_size)
        if command.sampling.seed is not None:
            mx.random.seed(command.sampling.seed)
        text = TextStream(loaded.tokenizer, command.stop, opens_thinking(loaded.tokenizer, prompt))
        generator = self._take_generator(loaded)
        hooks = self._hooks(command.conversation, generator)
        answer = MlxAnswer(command.id, generator, text, self._meters, hooks)
        mx.reset_peak_memory()
        loan = self._caches.borrow(command.conversation, prompt)
        self._kept_bytes = self._caches.nbytes
        answer.begin(prompt, loan, sampler, room, limit)
        return answer

    def memory(self, rows_waiting: int) -> MemoryReport:
        """The last snapshot with the allocator's and the system's figures of this moment."""
        return self._snapshot.report(rows_waiting, self._meters, self._book)

    def _require_model(self) -> LoadedModel:
        if self._loaded is None:
            raise Refused("no-model", "No model is loaded yet.")
        return self._loaded

    def _plan_loaded(self, context_tokens: int) -> MemoryPlan:
        return self.plan(Plan(NO_REQUEST, "", PlanOptions(context_tokens=context_tokens)))

    def _hooks(self, conversation: str, generator: BatchGenerator) -> Hooks:
        def keep(tokens: list[int], cache: list[Any]) -> None:
            self._caches.give(conversation, tokens, cache)

        def observe(tokens_held: int, is_running: bool) -> None:
            self._snapshot.show_rows(measure_rows(generator, tokens_held), tokens_held, is_running)
            self._snapshot.show_caches(self._caches)
            self._wired.show_running(is_running, self._require_model().info.weights_bytes)

        def finish(usage: Usage) -> None:
            self._book.note_answer(usage, mx.get_peak_memory() - self._kept_bytes)

        return Hooks(keep, observe, self._drop_generator, finish)

    def _take_generator(self, loaded: LoadedModel) -> BatchGenerator:
        if self._generator is None:
            ends = sorted(loaded.tokenizer.eos_token_ids)
            self._generator = make_generator(loaded.model, ends, self._config.prefill_step)
            self._wired.take_over(self._generator)
        return self._generator

    def _drop_generator(self) -> None:
        generator: Any = self._generator  # its methods carry no types
        if generator is not None:
            generator.close()
        self._generator = None
        self._snapshot.show_rows((), 0, is_running=False)
