"""The MLX backend of the serving loop."""

from __future__ import annotations

import gc
from collections.abc import Callable, Sequence
from typing import Any

import mlx.core as mx
from mlx_lm.generate import BatchGenerator

from engine.compute import ComputePath
from engine.config import EngineConfig
from engine.plan.contract import MemoryPlan
from engine.plan.device import Device
from engine.protocol import Generate, LoadModel, MemoryReport, ModelInfo, Plan
from engine.serving.backend import Answer, Refused
from engine.serving.checks import check_request, room_for_answer
from engine.worker.answer import Hooks, MlxAnswer, make_generator
from engine.worker.conversation_cache import ConversationCache
from engine.worker.kv_usage import measure_rows
from engine.worker.loaded_model import LoadedModel, load_model
from engine.worker.prompt import check_ids, opens_thinking, render_prompt
from engine.worker.rate import Meters
from engine.worker.sampling import build_sampler
from engine.worker.snapshot import Snapshot
from engine.worker.text_stream import TextStream


class MlxBackend:
    """Holds one model, its row generator and the caches of recent conversations."""

    name = "mlx"

    def __init__(self, config: EngineConfig, compute: ComputePath) -> None:
        self._config = config
        self._compute = compute
        self.device = Device("cpu", str(mx.device_info().get("device_name", "CPU")), compute.kind)
        self.idle_seconds = config.idle_unload_seconds or None
        self._loaded: LoadedModel | None = None
        self._generator: BatchGenerator | None = None
        self._caches = ConversationCache()
        self._meters = Meters()
        self._snapshot = Snapshot()

    def load(self, command: LoadModel, report_stage: Callable[[str], None]) -> ModelInfo:
        """Replace the model. The old one is freed first: two may not fit."""
        self.unload()
        try:
            loaded = load_model(command.path, command.adapter, self._compute, report_stage)
        except Exception:
            self.unload()
            raise
        self._loaded = loaded
        self._snapshot.show_model(loaded.info)
        return loaded.info

    def plan(self, command: Plan) -> MemoryPlan:
        """What a folder would cost; any thread."""
        raise Refused("bad-request", f"Nothing is known of {command.path} yet.")

    def unload(self) -> None:
        """Free the model, the caches and MLX's pooled buffers."""
        self._drop_generator()
        self._loaded = None
        self._caches.clear()
        self._snapshot.show_caches(self._caches)
        self._snapshot.show_model(None)
        gc.collect()
        mx.clear_cache()

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
        window, vocabulary_size = loaded.info.context_window, loaded.trial.vocabulary_size
        prompt = render_prompt(loaded.tokenizer, command.messages, command.thinking)
        check_ids(prompt, vocabulary_size)
        room = room_for_answer(len(prompt), command.max_tokens, window)
        sampler = build_sampler(command.sampling, loaded.generation_config, vocabulary_size)
        if command.sampling.seed is not None:
            mx.random.seed(command.sampling.seed)
        text = TextStream(loaded.tokenizer, command.stop, opens_thinking(loaded.tokenizer, prompt))
        generator = self._take_generator(loaded)
        hooks = self._hooks(command.conversation, generator)
        answer = MlxAnswer(command.id, generator, text, self._meters, hooks)
        mx.reset_peak_memory()
        loan = self._caches.borrow(command.conversation, prompt)
        answer.begin(prompt, loan, sampler, room, window)
        return answer

    def memory(self, rows_waiting: int) -> MemoryReport:
        """The last snapshot with the allocator's and the system's figures of this moment."""
        return self._snapshot.report(rows_waiting, self._meters)

    def _require_model(self) -> LoadedModel:
        if self._loaded is None:
            raise Refused("no-model", "No model is loaded yet.")
        return self._loaded

    def _hooks(self, conversation: str, generator: BatchGenerator) -> Hooks:
        def keep(tokens: list[int], cache: list[Any]) -> None:
            self._caches.give(conversation, tokens, cache)

        def observe(tokens_held: int, is_running: bool) -> None:
            self._snapshot.show_rows(measure_rows(generator, tokens_held), tokens_held, is_running)
            self._snapshot.show_caches(self._caches)

        return Hooks(keep, observe, self._drop_generator)

    def _take_generator(self, loaded: LoadedModel) -> BatchGenerator:
        if self._generator is None:
            ends = sorted(loaded.tokenizer.eos_token_ids)
            self._generator = make_generator(loaded.model, ends, self._config.prefill_step)
        return self._generator

    def _drop_generator(self) -> None:
        generator: Any = self._generator  # its methods carry no types
        if generator is not None:
            generator.close()
        self._generator = None
        self._snapshot.show_rows((), 0, is_running=False)
