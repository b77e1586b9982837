"""Conversations with tiny models of several kinds of cache, on the backend in this process."""

from __future__ import annotations

import itertools
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import mlx.core as mx

from engine.protocol import Finished, Generate, Message, TextDelta, Usage
from engine.worker.cache_entry import Entry
from engine.worker.random_model import write_random_model
from tests.engine.lane_driver import FAMILIES, GREEDY, Driver, load_driver
from tests.tiny_model import write_tiny_model

KINDS = ("full", "sliding", "delta", "full q8", "sliding q8")
"""Families of `lane_driver`, and some of them with keys and values in so many bits."""
WINDOW = 24
_FIRST = itertools.count(10_000)


def load_kind(folder: Path, kind: str, **settings: Any) -> Driver:
    """A model of a kind with random float32 weights, that can chat and knows of thinking."""
    family, _, bits = kind.partition(" q")
    model = folder / "model"
    write_tiny_model(folder / "words", thinks=True)
    config = {**FAMILIES[family], "vocab_size": 400, "torch_dtype": "float32"}
    if family == "sliding":
        config["sliding_window"] = WINDOW
    words = json.loads((folder / "words" / "config.json").read_text())
    write_random_model(model, {**config, "eos_token_id": words["eos_token_id"]})
    for name in ("tokenizer.json", "tokenizer_config.json"):
        (model / name).write_bytes((folder / "words" / name).read_bytes())
    return load_driver(model, folder / "cache", **settings, **({"kv_bits": bits} if bits else {}))


@dataclass
class Chat:
    """One conversation; `messages` are its turns so far, answers included."""

    driver: Driver
    name: str
    messages: list[Message] = field(default_factory=list)
    thinking: bool | None = None
    is_temporary: bool = False
    prompt: tuple[int, ...] = ()
    said: list[int] = field(default_factory=list)

    def ask(self, text: str, tokens: int = 12) -> Usage:
        """Ask on."""
        self.messages.append(Message("user", text))
        return self._answer(tokens)

    def regenerate(self, tokens: int = 12) -> Usage:
        """Have the last question answered again."""
        self.messages.pop()
        return self._answer(tokens)

    def edit(self, text: str, question: int = -1, tokens: int = 12) -> Usage:
        """Ask something else in the place of a former question."""
        places = [place for place, each in enumerate(self.messages) if each.role == "user"]
        del self.messages[places[question] :]
        return self.ask(text, tokens)

    def fork(self, name: str) -> Chat:
        """The same conversation under another name."""
        return Chat(self.driver, name, list(self.messages), self.thinking)

    def begin(self, tokens: int) -> int:
        """Submit what is to be answered; returns the row's id."""
        driver = self.driver
        id = next(_FIRST)
        driver.submit(
            Generate(
                id,
                tuple(self.messages),
                self.name,
                GREEDY,
                tokens,
                thinking=self.thinking,
                is_temporary=self.is_temporary,
            )
        )
        self.prompt = driver.answering._rows[id].prompt
        return id

    def stop_early(self, text: str, steps: int, tokens: int = 12) -> None:
        """Ask on, and stop after so many pieces of work."""
        self.messages.append(Message("user", text))
        id = self.begin(tokens)
        self.driver.step(steps)
        if self.driver.state(id):
            self.driver.cancel(id)
        self._hear(id)

    def _answer(self, tokens: int) -> Usage:
        id = self.begin(tokens)
        self.driver.run()
        return self._hear(id)

    def _hear(self, id: int) -> Usage:
        driver = self.driver
        last = driver.said[id][-1]
        assert isinstance(last, Finished), last
        self.said = driver.tokens[id]
        text = "".join(
            event.text
            for event in driver.said[id]
            if isinstance(event, TextDelta) and event.span == "answer"
        )
        self.messages.append(Message("assistant", text))
        return last.usage


def entries(driver: Driver, owner: str) -> list[Entry]:
    """What is kept for an owner."""
    return [entry for entry in driver.answering.kept.cache if owner in entry.owners]


def cold(driver: Driver, prompt: Sequence[int], tokens: int) -> list[int]:
    """The answer to a prompt of which nothing was kept."""
    id = driver.ask_with(prompt, lambda _, logits: logits, tokens)
    driver.run()
    assert driver.finished(id).usage.reused_tokens == 0
    return driver.tokens[id]


def lead(driver: Driver, tokens: Sequence[int]) -> float:
    """By how much the best next token is ahead of the second, with caches as they are kept."""
    model: Any = driver.loaded.model
    caches = driver.loaded.kv.scheme.make()
    logits = model(mx.array([list(tokens)]), cache=caches)[0, -1]
    second, best = mx.sort(logits)[-2:]
    gap: Any = (best - second).item()
    return float(gap)
