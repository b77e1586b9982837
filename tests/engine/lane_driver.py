"""Drives the MLX backend step by step in the test's own process, on tiny models."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import mlx.core as mx
from mlx_lm.models.cache import make_prompt_cache

from engine.compute import ComputePath
from engine.config import EngineConfig
from engine.plan.device import Device
from engine.protocol import (
    AnyEvent,
    Failed,
    Finished,
    Generate,
    Lane,
    LoadModel,
    Message,
    RowUsage,
    Sampling,
    TextDelta,
)
from engine.worker.answering import Answering
from engine.worker.backend import MlxBackend
from engine.worker.guard import Processor
from engine.worker.loaded_model import LoadedModel
from engine.worker.random_model import write_random_model
from engine.worker.row import Request, Row
from engine.worker.text_stream import TextStream
from tests.plan.small_configs import SMALL_CONFIGS

GREEDY = Sampling(temperature=0.0)
NEAR_TIE = 1e-3
"""Logits this close may change places when they are computed in another order."""
WINDOW = 16
FAMILIES: Mapping[str, Mapping[str, Any]] = {
    "full": SMALL_CONFIGS["qwen3"],
    "sliding": {**SMALL_CONFIGS["gemma3_text"], "sliding_window": WINDOW},
    "delta": SMALL_CONFIGS["qwen3_next"],
    "mamba": SMALL_CONFIGS["granitemoehybrid"],
}


def write_family(folder: Path, family: str) -> Path:
    """A tiny model of random float32 weights."""
    write_random_model(folder, {**FAMILIES[family], "torch_dtype": "float32"})
    return folder


@dataclass
class Driver:
    """A backend with a model, and everything its rows have said."""

    backend: MlxBackend
    said: dict[int, list[AnyEvent]] = field(default_factory=dict)
    tokens: dict[int, list[int]] = field(default_factory=dict)
    _ids: itertools.count[int] = field(default_factory=lambda: itertools.count(1))

    @property
    def answering(self) -> Answering:
        """What answers with the model."""
        assert self.backend._answering is not None
        return self.backend._answering

    @property
    def loaded(self) -> LoadedModel:
        """The model."""
        assert self.backend._loaded is not None
        return self.backend._loaded

    def ask(
        self,
        text: str,
        max_tokens: int = 8,
        lane: Lane = "chat",
        conversation: str = "",
        prefix_group: str = "",
        sampling: Sampling = GREEDY,
    ) -> int:
        """Submit a question; returns its id."""
        id = next(self._ids)
        self.submit(
            Generate(
                id,
                (Message("user", text),),
                conversation,
                sampling,
                max_tokens,
                lane=lane,
                prefix_group=prefix_group,
            )
        )
        return id

    def submit(self, command: Generate) -> None:
        """Submit any request."""
        self.said[command.id] = []
        self.backend.submit(command)
        self._record(command.id)

    def ask_with(self, prompt: Sequence[int], processor: Processor, max_tokens: int = 8) -> int:
        """Submit a row of tokens whose logits go through a processor."""
        id = next(self._ids)
        self.said[id] = []
        answering, loaded = self.answering, self.loaded
        command = Generate(id, (Message("user", ""),), "", GREEDY, max_tokens)
        answering.submit(
            Row(
                Request(
                    command=command,
                    prompt=tuple(prompt),
                    claim=answering.claim(len(prompt), max_tokens),
                    sampler=answering.sampling.sampler(command),
                    text=TextStream(loaded.markup),
                    window=loaded.info.context_limit,
                    processors=(processor,),
                )
            )
        )
        self._record(id)
        return id

    def step(self, times: int = 1) -> None:
        """So many pieces of work."""
        for _ in range(times):
            self._hear(self.backend.step())

    def cancel(self, id: int) -> None:
        """Stop a row."""
        self._hear(self.backend.cancel(id))

    def run(self, most: int = 5000) -> None:
        """Step until every row has ended."""
        for _ in range(most):
            if not self.rows():
                return
            self.step()
        raise AssertionError(f"rows are left after {most} steps: {self.rows()}")

    def until(self, condition: Callable[[], bool], most: int = 2000) -> None:
        """Step until something holds."""
        for _ in range(most):
            if condition():
                return
            self.step()
        raise AssertionError("it never came to that")

    def rows(self) -> tuple[RowUsage, ...]:
        """All rows, as the gauge sees them."""
        self.answering.show()
        return self.backend.memory(0).rows

    def state(self, id: int) -> str:
        """Where a row stands, or nothing."""
        return next((row.state for row in self.rows() if row.id == id), "")

    def text(self, id: int) -> str:
        """What a row has said."""
        return "".join(event.text for event in self.said[id] if isinstance(event, TextDelta))

    def finished(self, id: int) -> Finished:
        """A row's good end."""
        last = self.said[id][-1]
        assert isinstance(last, Finished), last
        return last

    def failed(self, id: int) -> Failed:
        """A row's bad end."""
        last = self.said[id][-1]
        assert isinstance(last, Failed), last
        return last

    def alone(self, text: str, max_tokens: int = 8) -> list[int]:
        """The tokens the same question is answered with when nothing else runs."""
        id = self.ask(text, max_tokens)
        self.run()
        return self.tokens[id]

    def _record(self, id: int) -> None:
        """Write down the tokens of a row, whose text may be no characters at all."""
        row, tokens = self.answering._rows[id], self.tokens.setdefault(id, [])
        take = row.take_token

        def record(token: int, is_end: bool, is_sound: bool) -> list[AnyEvent]:
            tokens.append(token)
            return take(token, is_end, is_sound)

        row.take_token = record  # type: ignore[method-assign]  # nothing else tells tokens

    def _hear(self, events: Sequence[AnyEvent]) -> None:
        for event in events:
            self.said[event.id].append(event)  # type: ignore[union-attr]  # all of a row's events


def load_driver(folder: Path, cache: Path, **settings: Any) -> Driver:
    """A backend in this process with the model in `folder`."""
    config = EngineConfig(str(cache), **{"prefill_step": 16, **settings})
    compute = ComputePath("reference", "", "a test")
    backend = MlxBackend(config, compute, Device("cpu", "test", "reference"))
    backend.load(LoadModel(0, str(folder)), lambda _: None)
    return Driver(backend)


def tokens_of(driver: Driver, text: str) -> list[int]:
    """A text's tokens."""
    return driver.loaded.turns.write((Message("user", text),))


def top_gap(driver: Driver, tokens: Sequence[int]) -> float:
    """By how much the best next token is ahead of the second after these tokens."""
    model: Any = driver.loaded.model
    logits = model(mx.array([list(tokens)]), cache=make_prompt_cache(model))[0, -1]
    second, best = mx.sort(logits)[-2:]
    gap: Any = (best - second).item()
    return float(gap)
