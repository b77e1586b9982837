"""What a request or the whole engine says when it fails."""

from __future__ import annotations

from pathlib import Path
from typing import assert_never

from engine.protocol import (
    NO_REQUEST,
    CountTokens,
    Failed,
    FailureKind,
    Finished,
    ForgetCache,
    Generate,
    LoadModel,
    Plan,
    SaveCache,
    UnloadModel,
    Usage,
)
from engine.serving.backend import Refused

Job = Generate | LoadModel | UnloadModel | Plan | CountTokens | SaveCache | ForgetCache
_LONGEST = 400


def explain(job: Job, error: Exception) -> tuple[FailureKind, str]:
    """The kind and the sentence for an exception that ended a request."""
    match error:
        case Refused():
            return error.kind, str(error)
        case MemoryError():
            return "no-room", (
                "The engine ran out of memory: start a new chat, close other programs or choose "
                "a smaller model."
            )
        case _ if isinstance(job, LoadModel):
            name = Path(job.path).name
            return "load", f"{name} could not be loaded ({_name(error)}); download it again."
        case _:
            return "internal", (
                f"The engine could not do this ({_name(error)}). `zib doctor` shows its log."
            )


def last_words(what: str, error: Exception) -> Failed:
    """Why the engine process ends itself, as the middle of a sentence."""
    return Failed(NO_REQUEST, "internal", f"it {what} ({_name(error)})")


def cancelled_before_start(job: Job) -> Finished | Failed:
    """The last event of a command that was cancelled while it waited."""
    match job:
        case Generate():
            return Finished(job.id, "cancelled", Usage(0, 0, 0, 0, 0.0, 0.0, 0.0))
        case LoadModel() | UnloadModel() | Plan() | CountTokens() | SaveCache() | ForgetCache():
            return Failed(job.id, "bad-request", "Stopped before it began.")
        case _:
            assert_never(job)


def _name(error: Exception) -> str:
    text = " ".join(f"{type(error).__name__}: {error}".split())
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]} …"
