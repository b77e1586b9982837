"""The MLX backend of the serving loop."""

from __future__ import annotations

import gc
import threading
from collections.abc import Callable, Sequence

import mlx.core as mx
from mlx_lm.generate import BatchGenerator

from engine.compute import ComputePath
from engine.config import EngineConfig
from engine.protocol import Generate, KVUsage, MemoryReport, ModelInfo
from engine.serving.backend import Answer, Refused
from engine.worker.answer import Meters, MlxAnswer, make_generator
from engine.worker.conversation_cache import ConversationCache
from engine.worker.footprint import process_bytes
from engine.worker.kv_usage import measure_rows
from engine.worker.loaded_model import LoadedModel, load_model
from engine.worker.prompt import opens_thinking, render_prompt
from engine.worker.sampling import build_sampler
from engine.worker.text_stream import TextStream


class MlxBackend:
    """Holds one model, its row generator and the caches of recent conversations."""

    name = "mlx"

    def __init__(self, config: EngineConfig, compute: ComputePath) -> None:
        self._config = config
        self._compute = compute
        self._loaded: LoadedModel | None = None
        self._generator: BatchGenerator | None = None
        self._caches = ConversationCache()
        self._meters = Meters()
        self._snapshot = _Snapshot()

    def load(self, path: str, report_stage: Callable[[str], None]) -> ModelInfo:
        """Replace the model. The old one is freed first: two may not fit."""
        self.unload()
        loaded = load_model(path, self._compute, report_stage)
        self._loaded = loaded
        self._generator = make_generator(
            loaded.model, sorted(loaded.tokenizer.eos_token_ids), self._config.prefill_step
        )
        self._snapshot.publish((), 0, self._caches, loaded.info)
        return loaded.info

    def unload(self) -> None:
        """Free the model, the caches and MLX's pooled buffers."""
        self._generator = self._loaded = None
        self._caches.clear()
        self._snapshot.publish((), 0, self._caches, None)
        gc.collect()
        mx.clear_cache()

    def count_tokens(self, texts: Sequence[str]) -> tuple[int, ...]:
        """Token counts without special tokens."""
        tokenizer = self._require_model().tokenizer
        return tuple(len(tokenizer.encode(text, add_special_tokens=False)) for text in texts)

    def forget(self, owner: str) -> int:
        """Drop the conversation's cache."""
        return self._caches.forget(owner)

    def open(self, command: Generate) -> Answer:
        """Check the request, borrow the conversation's cache and queue the row."""
        loaded, generator = self._require_model(), self._generator
        assert generator is not None  # set together with the model
        sampler = build_sampler(command.sampling, loaded.generation_config)
        prompt = render_prompt(loaded.tokenizer, command.messages, command.thinking)
        max_tokens = _room(len(prompt), command.max_tokens, loaded.info.context_window)
        if command.sampling.seed is not None:
            mx.random.seed(command.sampling.seed)
        text = TextStream(loaded.tokenizer, command.stop, opens_thinking(loaded.tokenizer, prompt))

        def keep(tokens: list[int], cache: list[object]) -> None:
            self._caches.give(command.conversation, tokens, cache)

        def observe(tokens_held: int) -> None:
            usage = measure_rows(generator, tokens_held)
            self._snapshot.publish(usage, tokens_held, self._caches, loaded.info)

        answer = MlxAnswer(command.id, generator, text, self._meters, keep, observe)
        loan = self._caches.borrow(command.conversation, prompt)
        mx.reset_peak_memory()
        answer.begin(prompt, loan, sampler, max_tokens, loaded.info.context_window)
        return answer

    def memory(self, rows_waiting: int) -> MemoryReport:
        """The last snapshot with the allocator's and the system's figures of this moment."""
        return self._snapshot.report(rows_waiting, self._meters)

    def _require_model(self) -> LoadedModel:
        if self._loaded is None:
            raise Refused("no-model", "No model is loaded yet.")
        return self._loaded


class _Snapshot:
    """What the compute thread last knew, for the report thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._values: tuple[tuple[KVUsage, ...], int, int, int, int] = ((), 0, 0, 0, 0)
        self._info: ModelInfo | None = None

    def publish(
        self,
        usage: tuple[KVUsage, ...],
        tokens: int,
        caches: ConversationCache,
        info: ModelInfo | None,
    ) -> None:
        with self._lock:
            self._values = usage, tokens, len(caches), caches.nbytes, caches.hits
            self._info = info

    def report(self, rows_waiting: int, meters: Meters) -> MemoryReport:
        with self._lock:
            (usage, tokens, entries, entry_bytes, hits), info = self._values, self._info
        return MemoryReport(
            active_bytes=mx.get_active_memory(),
            cache_bytes=mx.get_cache_memory(),
            peak_bytes=mx.get_peak_memory(),
            process_bytes=process_bytes(),
            weights_bytes=info.weights_bytes if info else 0,
            kv=usage,
            context_tokens=tokens,
            context_window=info.context_window if info else 0,
            rows_running=1 if usage else 0,
            rows_waiting=rows_waiting,
            prompt_cache_entries=entries,
            prompt_cache_bytes=entry_bytes,
            prompt_cache_hits=hits,
            disk_tier_bytes=0,
            prefill_tps=meters.prefill.per_second(),
            decode_tps=meters.decode.per_second(),
        )


def _room(prompt_tokens: int, wish: int | None, window: int) -> int:
    """How many tokens may be generated. Raises Refused when there is room for none."""
    if wish is not None and wish < 1:
        raise Refused("bad-request", f"max_tokens must be at least 1, not {wish}.")
    if window <= 0:
        return wish if wish is not None else 4096
    if prompt_tokens >= window:
        raise Refused(
            "no-room",
            f"The conversation takes {prompt_tokens:,} tokens and the model's context window "
            f"holds {window:,}: start a new chat or shorten the last message.",
        )
    room = window - prompt_tokens
    return room if wish is None else min(wish, room)
