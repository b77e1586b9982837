"""Commands that may not start yet: a load waits for answers, an answer for its conversation."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection
from typing import assert_never

from engine.protocol import (
    CountTokens,
    ForgetCache,
    Generate,
    LoadModel,
    Plan,
    SaveCache,
    UnloadModel,
)
from engine.serving.failures import Job


class WaitingLine:
    """Keeps the order of commands wherever one's result depends on another."""

    def __init__(self) -> None:
        self._jobs: deque[Job] = deque()

    def __len__(self) -> int:
        return len(self._jobs)

    def add(self, job: Job) -> None:
        """Join at the end."""
        self._jobs.append(job)

    def remove(self, id: int) -> Job | None:
        """Take a command out, wherever it stands."""
        for job in self._jobs:
            if job.id == id:
                self._jobs.remove(job)
                return job
        return None

    def next_ready(self, running: Collection[Generate]) -> Job | None:
        """Take out the first command that waits neither for `running` nor for one before it."""
        before: list[Job] = list(running)
        for job in self._jobs:
            if not any(_must_follow(job, other) for other in before):
                self._jobs.remove(job)
                return job
            before.append(job)
        return None


def _must_follow(job: Job, other: Job) -> bool:
    """Whether a command has to wait for the end of one that came before it."""
    match job:
        case LoadModel() | UnloadModel() | SaveCache():
            return True
        case Generate():
            return _changes_model(other) or _shares_cache(job, other)
        case ForgetCache():
            return isinstance(other, Generate) and _shares_cache(job, other)
        case CountTokens():
            return _changes_model(other)
        case Plan():
            return False
        case _:
            assert_never(job)


def _changes_model(job: Job) -> bool:
    return isinstance(job, LoadModel | UnloadModel)


def _shares_cache(job: Generate | ForgetCache, other: Job) -> bool:
    match job, other:
        case Generate(conversation=name), Generate(conversation=theirs):
            return name != "" and name == theirs
        case (Generate() as answer, ForgetCache(owner=owner)) | (
            ForgetCache(owner=owner),
            Generate() as answer,
        ):
            return owner in (answer.conversation, answer.prefix_group)
        case _:
            return False
