"""Which commands may overtake those that came before them."""

from __future__ import annotations

from collections.abc import Iterable

from engine.protocol import CountTokens, ForgetCache, Generate, LoadModel, UnloadModel
from engine.serving.failures import Job


def must_wait(command: CountTokens | ForgetCache, before: Iterable[Job]) -> bool:
    """Whether it concerns what an earlier command changes: the model, or a conversation."""
    if isinstance(command, CountTokens):
        return any(isinstance(job, LoadModel | UnloadModel) for job in before)
    return any(isinstance(job, Generate) and job.conversation == command.owner for job in before)
