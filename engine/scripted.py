"""A deterministic engine for tests, demos and screenshots: `python -m engine.scripted FD CONFIG`.

It speaks the same protocol and keeps the same promises as the MLX worker; words stand for tokens.
What it says comes from a script (see `engine.script`).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec

from engine.config import EngineConfig
from engine.plan.contract import MemoryPlan, PlanOptions
from engine.plan.device import Device
from engine.protocol import (
    AnyEvent,
    Finished,
    FinishReason,
    Generate,
    KVUsage,
    LoadModel,
    MemoryReport,
    ModelInfo,
    Plan,
    PromptProgress,
    Span,
    TextDelta,
    Usage,
)
from engine.script import (
    Reply,
    ScriptedModel,
    commit_fault,
    cut_at_stop,
    read_script,
    split_words,
)
from engine.script_plan import KV_BYTES_PER_TOKEN, plan_scripted
from engine.serving.backend import Answer, Refused
from engine.serving.checks import check_request, room_for_answer
from engine.serving.entry import serve

USABLE_BYTES = 16 * 1024**3
PREFILL_STEP = 16
PREFILL_TPS = 240.0
DECODE_TPS = 31.0


class ScriptedBackend:
    """Answers from a script, or repeats the question."""

    name = "scripted"

    def __init__(self, config: EngineConfig) -> None:
        self.device = Device("cpu", "script", "reference")
        self.idle_seconds = config.idle_unload_seconds or None
        self._usable = config.memory_limit_bytes or USABLE_BYTES
        self._limit = config.context_limit
        self._replies = read_script(config.script)
        self._model: ModelInfo | None = None
        self._wishes: ScriptedModel | None = None
        self._held: dict[str, list[str]] = {}
        self._hits = 0
        self._running: ScriptedAnswer | None = None

    def load(self, command: LoadModel, report_stage: Callable[[str], None]) -> ModelInfo:
        """Accept any folder whose config.json is a JSON object and whose plan fits."""
        folder = Path(command.path)
        self.unload()
        wishes = _read_wishes(folder)
        plan = plan_scripted(wishes, PlanOptions(), self._usable, self._limit)
        if not (plan.fits or command.is_forced):
            raise Refused("over-budget", f"{folder.name} does not fit: {plan.reasons[0]}")
        report_stage("reading the script")
        time.sleep(wishes.load_seconds)
        commit_fault(wishes.load_fault)
        self._wishes = wishes
        self._model = ModelInfo(
            name=folder.name,
            path=command.path,
            architecture="scripted",
            context_window=wishes.context_window,
            weights_bytes=wishes.weights_bytes,
            parameters=135_000_000,
            quantization="4-bit",
            device="script",
            compute="scripted",
            has_thinking=True,
            adapter=command.adapter,
            kv_token_bytes=KV_BYTES_PER_TOKEN,
            context_limit=plan.context_tokens,
            plan=plan,
        )
        return self._model

    def plan(self, command: Plan) -> MemoryPlan:
        """A simple sum; any thread."""
        wishes = _read_wishes(Path(command.path)) if command.path else self._wishes
        if wishes is None:
            raise Refused("no-model", "No model is loaded yet.")
        return plan_scripted(wishes, command.options, self._usable, self._limit)

    def unload(self) -> None:
        """Forget the model and the conversations."""
        self._model = self._running = self._wishes = None
        self._held.clear()

    def count_tokens(self, texts: Sequence[str]) -> tuple[int, ...]:
        """Words."""
        self._require_model()
        return tuple(len(split_words(text)) for text in texts)

    def forget(self, owner: str) -> int:
        """Drop one conversation."""
        return 0 if self._held.pop(owner, None) is None else 1

    def open(self, command: Generate) -> Answer:
        """Find the reply for the last message."""
        model = self._require_model()
        check_request(command)
        prompt = [word for turn in command.messages for word in split_words(turn.content)] or [""]
        window = model.context_limit
        room = room_for_answer(len(prompt), command.max_tokens, window, model.context_window)
        held = self._held.pop(command.conversation, [])
        reused = min(_common_prefix(held, prompt), len(prompt) - 1)
        self._hits += 1 if reused else 0
        last = command.messages[-1].content
        found = (reply for reply in self._replies if reply.match in last)
        reply = next(found, Reply("", f"You said: {last}"))
        self._running = ScriptedAnswer(command, reply, prompt, reused, (room, window), self._keep)
        return self._running

    def memory(self, rows_waiting: int) -> MemoryReport:
        """Figures that follow from the token counts alone."""
        running, model = self._running, self._model
        tokens = running.tokens_held if running else 0
        is_running = running is not None and not running.is_over
        kv = KVUsage("full", 30, 16, tokens, tokens * KV_BYTES_PER_TOKEN)
        weights = model.weights_bytes if model else 0
        stored = sum(len(words) for words in tuple(self._held.values())) * KV_BYTES_PER_TOKEN
        active = weights + stored + (kv.bytes if is_running else 0)
        return MemoryReport(
            active_bytes=active,
            cache_bytes=16 * 1024 * 1024 if weights else 0,
            peak_bytes=active + (64 * 1024 * 1024 if weights else 0),
            process_bytes=active + 180 * 1024 * 1024,
            weights_bytes=weights,
            kv=(kv,) if is_running else (),
            context_tokens=tokens,
            context_window=model.context_window if model else 0,
            rows_running=1 if is_running else 0,
            rows_waiting=rows_waiting,
            prompt_cache_entries=len(self._held),
            prompt_cache_bytes=stored,
            prompt_cache_hits=self._hits,
            disk_tier_bytes=0,
            prefill_tps=PREFILL_TPS if is_running else 0.0,
            decode_tps=DECODE_TPS if is_running else 0.0,
            model=model,
            usable_bytes=self._usable,
            available_bytes=self._usable - active,
            best_prefill_tps=PREFILL_TPS if self._running else 0.0,
            best_decode_tps=DECODE_TPS if self._running else 0.0,
        )

    def _keep(self, owner: str, words: list[str]) -> None:
        if owner:
            self._held[owner] = words

    def _require_model(self) -> ModelInfo:
        if self._model is None:
            raise Refused("no-model", "No model is loaded yet.")
        return self._model


class ScriptedAnswer:
    """One reply being said; `limits` are the tokens it may take and the context window."""

    def __init__(
        self,
        command: Generate,
        reply: Reply,
        prompt: list[str],
        reused: int,
        limits: tuple[int, int],
        keep: Callable[[str, list[str]], None],
    ) -> None:
        self._command = command
        self._reply = reply
        self._prompt = prompt
        self._reused = self._prefilled = reused
        self._room, self._window = limits
        self._keep = keep
        thinking = [] if command.thinking is False else split_words(reply.thinking)
        self._words: list[tuple[Span, str]] = [("thinking", word) for word in thinking]
        answer = cut_at_stop(reply.text, command.stop)
        self._words += [("answer", word) for word in split_words(answer)]
        self._said = 0
        self._started = time.monotonic()
        self._first_word_after = 0.0
        self.is_over = False

    @property
    def tokens_held(self) -> int:
        """Words in the pretended KV cache."""
        return self._prefilled + self._said

    def step(self) -> Sequence[AnyEvent]:
        """One chunk of the prompt or one word of the reply."""
        if self._prefilled < len(self._prompt):
            time.sleep(self._reply.seconds_per_chunk)
            self._prefilled = min(self._prefilled + PREFILL_STEP, len(self._prompt))
            id, total = self._command.id, len(self._prompt)
            return [PromptProgress(id, self._prefilled, total, self._reused)]
        if self._said == self._reply.fault_at:
            self._fail()
        if self._said == len(self._words):
            return [self._finish("stop")]
        time.sleep(self._reply.seconds_per_token)
        self._first_word_after = self._first_word_after or time.monotonic() - self._started
        span, word = self._words[self._said]
        self._said += 1
        delta = TextDelta(self._command.id, word, span)
        return [delta, self._finish("length")] if self._said == self._room else [delta]

    def cancel(self) -> Sequence[AnyEvent]:
        """Stop here."""
        return [self._finish("cancelled")]

    def _fail(self) -> None:
        self.is_over = True
        commit_fault(self._reply.fault)
        self.is_over = False

    def _finish(self, reason: FinishReason) -> Finished:
        self.is_over = True
        answer = [word for (span, word) in self._words[: self._said] if span == "answer"]
        self._keep(self._command.conversation, self._prompt[: self._prefilled] + answer)
        usage = Usage(
            prompt_tokens=len(self._prompt),
            reused_tokens=self._reused,
            generated_tokens=self._said,
            context_window=self._window,
            time_to_first_token=self._first_word_after,
            prefill_tps=PREFILL_TPS,
            decode_tps=DECODE_TPS,
        )
        return Finished(self._command.id, reason, usage)


def _read_wishes(folder: Path) -> ScriptedModel:
    if not (folder / "config.json").is_file():
        raise Refused("load", f"{folder} is not a model folder: it has no config.json.")
    try:
        return msgspec.json.decode((folder / "config.json").read_bytes(), type=ScriptedModel)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise Refused("load", f"{folder.name} could not be loaded: {error}.") from error


def _common_prefix(left: Sequence[str], right: Sequence[str]) -> int:
    for index, (a, b) in enumerate(zip(left, right, strict=False)):
        if a != b:
            return index
    return min(len(left), len(right))


if __name__ == "__main__":
    serve(ScriptedBackend)
