"""A deterministic engine for tests, demos and screenshots: `python -m engine.scripted FD CONFIG`.

It speaks the same protocol and keeps the same promises as the MLX worker; words stand for tokens.
What it says comes from a script (see `engine.script`), also where a request asks for a form: it
refuses a grammar that makes no sense to anybody, and keeps none.
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
    Generate,
    Lane,
    LoadModel,
    MemoryReport,
    ModelInfo,
    Plan,
    RowUsage,
)
from engine.script import Reply, ScriptedModel, commit_fault, read_script, split_words
from engine.script_lane import ScriptedLane
from engine.script_plan import KV_BYTES_PER_TOKEN, plan_scripted
from engine.script_report import ScriptedState, report, shown_tokens
from engine.script_row import ScriptedRow
from engine.serving.backend import Refused, Saved
from engine.serving.checks import check_request, room_for_answer
from engine.serving.entry import serve
from engine.serving.kv_budget import Claim, KvBudget
from engine.serving.lanes import LANES
from engine.serving.scheduler import Scheduler

USABLE_BYTES = 16 * 1024**3


class ScriptedBackend:
    """Answers from a script, or repeats the question."""

    name = "scripted"

    def __init__(self, config: EngineConfig) -> None:
        self.device = Device("cpu", "script", "reference")
        self.idle_seconds = config.idle_unload_seconds or None
        self._usable = config.memory_limit_bytes or USABLE_BYTES
        self._config = config
        self._limit = config.context_limit
        self._replies = read_script(config.script)
        self._model: ModelInfo | None = None
        self._wishes: ScriptedModel | None = None
        self._is_forced = self._has_answered = False
        self._held: dict[str, list[str]] = {}
        self._hits = self._last_tokens = 0
        self._rows: tuple[RowUsage, ...] = ()
        self._scheduler = self._new_scheduler()

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
        self._wishes, self._is_forced = wishes, command.is_forced
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
            has_tools=wishes.has_tools,
            adapter=command.adapter,
            draft=command.draft,
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
        self._model = self._wishes = None
        self._held.clear()
        self._last_tokens = 0
        self.abandon()

    def count_tokens(self, texts: Sequence[str]) -> tuple[int, ...]:
        """Words."""
        self._require_model()
        return tuple(len(split_words(text)) for text in texts)

    def forget(self, owner: str) -> int:
        """Drop one conversation."""
        return 0 if self._held.pop(owner, None) is None else 1

    def save(self, seconds: float) -> Saved:
        """Nothing: words are not kept on the disk."""
        return Saved()

    def upkeep(self, idle_seconds: float) -> float | None:
        """Nothing."""
        return None

    def submit(self, command: Generate) -> None:
        """Find the reply for the last message and queue it."""
        model = self._require_model()
        check_request(command)
        if command.tools and not model.has_tools:
            raise Refused("bad-request", "This model cannot call tools.")
        prompt = [word for turn in command.messages for word in split_words(turn.content)] or [""]
        window = model.context_limit
        room = room_for_answer(len(prompt), command.max_tokens, window, model.context_window)
        last = command.messages[-1].content
        found = (reply for reply in self._replies if reply.match in last)
        reply = next(found, Reply("", f"You said: {last}"))
        is_open = command.max_tokens is None
        claim = Claim(len(prompt), room, lambda tokens: tokens * KV_BYTES_PER_TOKEN, is_open)
        self._scheduler.submit(ScriptedRow(command, reply, prompt, claim, window))
        self._show()

    def step(self) -> Sequence[AnyEvent]:
        """One chunk or one word of one lane."""
        events = self._scheduler.step()
        self._show()
        return events

    def cancel(self, id: int) -> Sequence[AnyEvent]:
        """Stop an answer here."""
        events = self._scheduler.cancel(id)
        self._show()
        return events

    def abandon(self) -> None:
        """Drop every answer."""
        self._scheduler = self._new_scheduler()
        self._show()

    def memory(self, rows_waiting: int) -> MemoryReport:
        """Figures that follow from the token counts alone; any thread."""
        stored = [len(words) for words in tuple(self._held.values())]
        state = ScriptedState(
            model=self._model,
            rows=self._rows,
            stored=stored,
            hits=self._hits,
            usable_bytes=self._usable,
            budget_bytes=self._scheduler.budget_bytes,
            has_answered=self._has_answered,
        )
        return report(state, self._last_tokens, rows_waiting)

    def _new_scheduler(self) -> Scheduler[ScriptedRow]:
        lanes = {lane: ScriptedLane(lane, self._borrow, self._keep) for lane in LANES}
        sizes: dict[Lane, int] = {
            "chat": self._config.chat_rows,
            "background": self._config.background_rows,
        }
        return Scheduler(lanes, sizes, KvBudget(self._measure_budget))

    def _measure_budget(self, tokens: int, rows: int) -> int | None:
        if self._wishes is None or self._is_forced:
            return None
        options = PlanOptions(context_tokens=tokens, rows=rows)
        plan = plan_scripted(self._wishes, options, self._usable, self._limit)
        return max(0, plan.usable_bytes - plan.total_bytes + plan.kv_bytes)

    def _borrow(self, row: ScriptedRow) -> int:
        """How much of the row's prompt its conversation or its group has read already."""
        command = row.command
        held = self._held.pop(command.conversation, None) or self._held.get(
            command.prefix_group, []
        )
        reused = min(_common_prefix(held, row.prompt), len(row.prompt) - 1)
        self._hits += 1 if reused else 0
        return reused

    def _keep(self, row: ScriptedRow) -> None:
        self._last_tokens = row.tokens_held
        if row.command.conversation:
            self._held[row.command.conversation] = row.kept_words
        if row.command.prefix_group:
            self._held[row.command.prefix_group] = row.prompt[: row.prefilled]

    def _show(self) -> None:
        self._rows = tuple(row.usage() for row in self._scheduler.rows())
        self._last_tokens = shown_tokens(self._rows, self._last_tokens)
        self._has_answered = self._has_answered or bool(self._rows)

    def _require_model(self) -> ModelInfo:
        if self._model is None:
            raise Refused("no-model", "No model is loaded yet.")
        return self._model


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
