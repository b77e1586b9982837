"""Plans made in this process, for when the engine does not run yet or no more."""

from __future__ import annotations

import platform
from collections.abc import Callable
from pathlib import Path

from engine.config import EngineConfig
from engine.plan.contract import MemoryPlan, PlanOptions
from engine.plan.device import Device, known_device

PlanFolder = Callable[[Path, PlanOptions], MemoryPlan]
"""Blocks while it reads headers; never raises."""


def local_planner(config: EngineConfig) -> PlanFolder:
    """Plans models for an engine process that holds nothing yet."""

    def plan(folder: Path, options: PlanOptions) -> MemoryPlan:
        # Not needed for the first frame.
        from engine.plan.engine_setup import plan_setup
        from engine.plan.machine import measure_machine
        from engine.plan.planner import Planner
        from engine.plan.records import Records

        device = known_device(Path(config.cache_dir)) or _likely_device()
        records = Records(Path(config.records_dir)) if config.records_dir else None
        planner = Planner(
            lambda: measure_machine(device, 0, config.memory_limit_bytes),
            plan_setup(config),
            records,
        )
        return planner.plan(folder, options)

    return plan


def _likely_device() -> Device:
    """Before any engine ran here."""
    if platform.system() == "Darwin":
        return Device("metal", "Apple GPU", "metal")
    return Device("cpu", platform.processor() or platform.machine(), "reference")
