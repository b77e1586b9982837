"""What state the engine process is in, as the status line tells it."""

from __future__ import annotations

from dataclasses import dataclass

from engine.protocol import ModelInfo


@dataclass(frozen=True, slots=True)
class EngineStarting:
    """The process is being started."""


@dataclass(frozen=True, slots=True)
class EngineIdle:
    """The process runs without a model."""


@dataclass(frozen=True, slots=True)
class EngineLoading:
    """A model is being loaded; `stage` is a phrase."""

    path: str
    stage: str


@dataclass(frozen=True, slots=True)
class EngineReady:
    """A model is loaded and answers."""

    model: ModelInfo


@dataclass(frozen=True, slots=True)
class EngineAsleep:
    """The model was freed while idle; the next question brings it back."""

    model: ModelInfo


@dataclass(frozen=True, slots=True)
class EngineRestarting:
    """The process died for `reason` and comes back after `delay` seconds."""

    reason: str
    delay: float


@dataclass(frozen=True, slots=True)
class EngineDown:
    """The process is gone and only a new request starts it again."""

    reason: str


EngineStatus = (
    EngineStarting
    | EngineIdle
    | EngineLoading
    | EngineReady
    | EngineAsleep
    | EngineRestarting
    | EngineDown
)
