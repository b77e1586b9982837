"""What the status line says about the engine."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, assert_never

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

if TYPE_CHECKING:
    from tui.wiki_facts import WikiFacts

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


def wiki_lines(facts: WikiFacts) -> tuple[str, ...]:
    """Which wiki is open and how it is, in forms from the longest to the shortest."""
    name = facts.root.name or str(facts.root)
    notes = f"{facts.notes:,} notes"
    whose = "" if facts.is_ours else " not made here"
    links = "" if facts.links is None else f" · {facts.links:,} links"
    changed = f" · {facts.uncommitted:,} uncommitted" if facts.uncommitted else ""
    short_changed = f" · {facts.uncommitted:,} ●" if facts.uncommitted else ""
    seen = f" · {facts.watch}"
    notable = "" if facts.watch == "watching" else seen
    place = str(facts.root).replace(str(Path.home()), "~", 1)
    return (
        f"{name} · {notes}{whose}{links}{changed}{seen} · {place}",
        f"{name} · {notes}{whose}{links}{changed}{seen}",
        f"{name} · {notes}{links}{changed}{notable}",
        f"{name} · {notes}{changed}{notable}",
        f"{name} · {facts.notes:,}{short_changed}{notable}",
        name,
    )


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
