"""The memory plan as the engine process makes it: with what it holds and what MLX knows."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import mlx.core as mx

from engine.config import EngineConfig
from engine.plan.contract import MemoryPlan, PlanOptions
from engine.plan.cpu_form import CpuForm
from engine.plan.device import Device
from engine.plan.engine_setup import plan_setup
from engine.plan.machine import Machine, measure_machine
from engine.plan.planner import Planner
from engine.plan.record_key import RecordKey
from engine.plan.records import Records
from engine.plan.reserve import prompt_cache_budget
from engine.worker.loaded_model import LoadedModel

_MEASURE_SECONDS = 1.0


class EnginePlanning:
    """Plans folders for this device; any thread may ask."""

    def __init__(self, config: EngineConfig, device: Device, records: Records) -> None:
        self.device = device
        self._limit = config.memory_limit_bytes
        self._prompt_cache = config.prompt_cache_bytes
        self._planner = Planner(self.machine, plan_setup(config), records)
        self._lock = threading.Lock()
        self._measured: tuple[float, Machine] | None = None

    def machine(self) -> Machine:
        """The memory of this moment, or of one less than a second ago."""
        now = time.monotonic()
        with self._lock:
            if self._measured is None or now - self._measured[0] >= _MEASURE_SECONDS:
                self._measured = now, self._measure()
            return self._measured[1]

    @property
    def prompt_cache_bytes(self) -> int:
        """What the caches of waiting conversations may take."""
        return prompt_cache_budget(self.machine().usable_bytes, self._prompt_cache)

    def forget_machine(self) -> None:
        """Something large was freed or taken: measure anew at the next question."""
        with self._lock:
            self._measured = None

    def plan(self, path: str, options: PlanOptions, form: CpuForm | None = None) -> MemoryPlan:
        """What the folder would cost if it replaced what is loaded; `form` as in `Planner.plan`."""
        return self._planner.plan(Path(path), options, form)

    def record_key(self, loaded: LoadedModel) -> RecordKey:
        """Under what key the loaded model's runs are recorded."""
        options = PlanOptions(adapter=loaded.info.adapter)
        return self._planner.record_key(Path(loaded.info.path), self.device, options, loaded.form)

    def _measure(self) -> Machine:
        # What MLX holds would be freed first, so it counts as usable.
        held = mx.get_active_memory() + mx.get_cache_memory()
        return measure_machine(self.device, held, self._limit)
