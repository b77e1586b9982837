"""What the status line says about the engine."""

from __future__ import annotations

from typing import assert_never

from engine.models.builtin_source import FetchProgress
from engine.protocol import ModelInfo
from engine.status import (
    EngineAsleep,
    EngineDown,
    EngineIdle,
    EngineLoading,
    EngineReady,
    EngineRestarting,
    EngineStarting,
    EngineStatus,
)

_MB = 1_000_000


def engine_line(status: EngineStatus) -> str:
    """One phrase."""
    match status:
        case EngineStarting():
            return "engine starting"
        case EngineIdle():
            return "no model"
        case EngineLoading(stage=stage):
            return f"loading: {stage}"
        case EngineReady(model=model):
            return ready_line(model)
        case EngineAsleep(model=model):
            return f"{model.name} · asleep until your next message"
        case EngineRestarting() | EngineDown():
            return _lost_line(status)
        case _:
            assert_never(status)


def _lost_line(status: EngineRestarting | EngineDown) -> str:
    if isinstance(status, EngineDown):
        return f"{status.reason} Your next message starts it again."
    return f"{status.reason} Starting again in {status.delay:g} s."


def ready_line(model: ModelInfo) -> str:
    """The model, and what would make a slow machine fast."""
    line = f"{model.name} · {model.compute}"
    return f"{line} · slow: {model.advice}" if model.advice else line


def fetch_line(progress: FetchProgress) -> str:
    """Progress of the built-in model's first fetch."""
    if progress.total_bytes <= 0:
        return f"built-in model: {progress.stage}"
    share = min(progress.done_bytes / progress.total_bytes, 1.0)
    return (
        f"built-in model: {progress.stage} {progress.done_bytes / _MB:.0f} of "
        f"{progress.total_bytes / _MB:.0f} MB ({share:.0%})"
    )
