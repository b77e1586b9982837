"""What the status line says about the engine."""

from __future__ import annotations

from pathlib import Path
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
from tui.models.naming import model_name

_MB = 1_000_000


def engine_line(status: EngineStatus) -> str:
    """One phrase."""
    match status:
        case EngineStarting():
            line = "engine starting"
        case EngineIdle():
            line = "no model"
        case EngineLoading(path=path, stage=stage):
            line = f"loading {model_name(path)}: {stage}" if path else stage
        case EngineReady(model=model):
            line = ready_line(model)
        case EngineAsleep(model=model):
            line = f"{full_name(model)} · asleep, wakes with the next question"
        case EngineRestarting(reason=reason, delay=delay):
            line = f"{reason} Starting again in {delay:g} s."
        case EngineDown(reason=reason):
            line = f"{reason} Your next message starts it again."
        case _:
            assert_never(status)
    return line


def full_name(model: ModelInfo) -> str:
    """The model, and the adapter on it."""
    return f"{model.name} + {model_name(model.adapter)}" if model.adapter else model.name


def ready_line(model: ModelInfo) -> str:
    """The model, how it keeps what it read, and what would make it faster or better."""
    kv = f" · {model.kv_bits}-bit KV" if model.kv_bits else ""
    line = f"{full_name(model)}{kv} · {model.compute}"
    notes = (f"slow: {model.advice}" if model.advice else "", model.kv_warning)
    return " · ".join([line, *(note for note in notes if note)])


def wiki_line(root: Path, notes: int, is_ours: bool) -> str:
    """Which wiki is open."""
    place = str(root).replace(str(Path.home()), "~", 1)
    return f"Zibaldone · {notes:,} notes{'' if is_ours else ' not made here'} · {place}"


def thinking_words(thinking: bool | None) -> str:
    """Whether the model thinks before it answers."""
    return {None: "as the model likes", False: "off", True: "on"}[thinking]


def fetch_line(progress: FetchProgress) -> str:
    """Progress of the built-in model's first fetch."""
    if progress.total_bytes <= 0:
        return f"built-in model: {progress.stage}"
    share = min(progress.done_bytes / progress.total_bytes, 1.0)
    return (
        f"built-in model: {progress.stage} {progress.done_bytes / _MB:.0f} of "
        f"{progress.total_bytes / _MB:.0f} MB ({share:.0%})"
    )
