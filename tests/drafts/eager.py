"""Drivers whose rows draft at every chance, whatever it costs, and ones that never do."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import mlx.core as mx

from engine.compute import ComputePath
from engine.config import EngineConfig
from engine.plan.device import Device
from engine.protocol import LoadModel
from engine.worker.backend import MlxBackend
from engine.worker.drafts.pace import PassCosts
from engine.worker.drafts.row_drafts import Drafting
from tests.engine.lane_driver import NEAR_TIE, Driver


class CostsNothing(PassCosts):
    """Checks are free: the longest draft always pays."""

    def of(self, drafted: int) -> float:
        return 1e-6


def load_drafting(
    folder: Path, cache: Path, draft: Path | None = None, is_on: bool = True, **settings: Any
) -> Driver:
    """A backend in this process; with drafts it has as many as it can have."""
    config = EngineConfig(str(cache), prefill_step=16, is_drafting_allowed=is_on, **settings)
    compute = ComputePath("reference", "", "a test")
    backend = MlxBackend(config, compute, Device("cpu", "test", "reference"))
    backend.load(LoadModel(0, str(folder), draft=str(draft or "")), lambda _: None)
    driver = Driver(backend)
    if is_on:
        drafting = drafting_of(driver)
        drafting.copying = drafting.seconding = CostsNothing()
    return driver


def drafting_of(driver: Driver) -> Drafting:
    """What its lanes draft with."""
    drafting = driver.answering._lanes["chat"]._tools.drafting
    assert drafting is not None
    return drafting


class Ties:
    """Compares answers token by token and counts where two tokens were as good as each other."""

    def __init__(self) -> None:
        self.count = self.answers = 0

    def check(
        self, driver: Driver, prompt: Sequence[int], said: Sequence[int], expected: Sequence[int]
    ) -> None:
        """Equal up to a near-tie of the model's two best tokens."""
        self.answers += 1
        if list(said) == list(expected):
            return
        pairs = enumerate(zip(said, expected, strict=True))
        at = next(at for at, (one, other) in pairs if one != other)
        gap = gap_after(driver, [*prompt, *expected[:at]], said[at], expected[at])
        assert gap < NEAR_TIE, f"{said} instead of {expected}: token {at} is {gap} behind"
        self.count += 1


def gap_after(driver: Driver, tokens: Sequence[int], one: int, other: int) -> float:
    """By how much two candidates differ after these tokens, read one by one as when decoding."""
    model: Any = driver.loaded.model
    caches = driver.loaded.kv.scheme.make()
    logits = mx.zeros(1)
    for token in tokens:
        driver.loaded.kv.scheme.convert_due(caches)
        logits = model(mx.array([[token]]), cache=caches)[0, -1]
    difference: Any = mx.abs(logits[one] - logits[other]).item()
    return float(difference)
