"""What the engine tells, in the past tense."""

from __future__ import annotations

from engine.plan.contract import MemoryPlan
from engine.plan.device import Device
from engine.protocol.base import Event, FailureKind, FinishReason, Span
from engine.protocol.conversation import ToolCall
from engine.protocol.model_info import ModelInfo
from engine.protocol.report import MemoryReport, Usage


class WorkerReady(Event, frozen=True):
    """The engine process can take commands. Sent once, before any answer."""

    protocol_version: int
    backend: str
    pid: int
    device: Device


class ModelLoading(Event, frozen=True):
    """Loading goes on; `stage` is a phrase for the status line."""

    id: int
    stage: str


class ModelLoaded(Event, frozen=True):
    """Last event of `LoadModel`."""

    id: int
    model: ModelInfo
    seconds: float


class ModelUnloaded(Event, frozen=True):
    """Last event of `UnloadModel`."""

    id: int


class ModelSlept(Event, frozen=True):
    """The idle model was freed to save memory; the next question brings it back."""

    id: int


class Planned(Event, frozen=True):
    """Last event of `Plan`."""

    id: int
    plan: MemoryPlan


class TokensCounted(Event, frozen=True):
    """Last event of `CountTokens`: one count per text."""

    id: int
    counts: tuple[int, ...]


class PromptProgress(Event, frozen=True):
    """Prefill: `done` of `total` prompt tokens, of which `reused` came from the cache."""

    id: int
    done: int
    total: int
    reused: int


class TextDelta(Event, frozen=True):
    """The next piece of the answer; whole characters only."""

    id: int
    text: str
    span: Span = "answer"


class ToolCallRequested(Event, frozen=True):
    """The model asks for a tool that was offered, with arguments that fit; the answer goes on."""

    id: int
    call: ToolCall


class ToolCallMalformed(Event, frozen=True):
    """What the model said looks like a tool call and is none; `reason` is a sentence."""

    id: int
    text: str
    reason: str


class Finished(Event, frozen=True):
    """Last event of `Generate`, also of a cancelled one."""

    id: int
    reason: FinishReason
    usage: Usage


class CacheSaved(Event, frozen=True):
    """Last event of `SaveCache`: what it wrote, and whether all that is kept is on the disk now."""

    id: int
    entries: int
    bytes: int
    is_durable: bool


class CacheForgotten(Event, frozen=True):
    """Last event of `ForgetCache`."""

    id: int
    entries: int


class Pong(Event, frozen=True):
    """Last event of `Ping`; `progress` grows whenever work advances, `busy` while there is any."""

    id: int
    progress: int
    busy: bool


class Failed(Event, frozen=True):
    """Last event of any command that could not be carried out; `message` is for the user."""

    id: int
    kind: FailureKind
    message: str


AnyEvent = (
    WorkerReady
    | ModelLoading
    | ModelLoaded
    | ModelUnloaded
    | ModelSlept
    | Planned
    | TokensCounted
    | PromptProgress
    | TextDelta
    | ToolCallRequested
    | ToolCallMalformed
    | Finished
    | CacheSaved
    | CacheForgotten
    | Pong
    | Failed
    | MemoryReport
)
LastEvent = (
    ModelLoaded
    | ModelUnloaded
    | Planned
    | TokensCounted
    | Finished
    | CacheSaved
    | CacheForgotten
    | Pong
    | Failed
)


def is_last(event: AnyEvent) -> bool:
    """Whether this event ends the command whose id it carries."""
    return isinstance(event, LastEvent)
