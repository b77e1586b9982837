"""The downloads that are under way; they go on whichever screen is shown."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path

from engine.errors import EngineError
from engine.models.builtin_source import FetchProgress

STARTING = FetchProgress("downloading", 0, 0)


@dataclass(frozen=True, slots=True)
class Ended:
    """A download is over: the folder it is in, or why it is not; neither when it was stopped."""

    folder: Path | None = None
    problem: str = ""


Fetch = Callable[[str, Callable[[FetchProgress], None]], Awaitable[Path]]
"""Downloads a repository into a folder. Raises EngineError; cancelling keeps what is there."""

Listener = Callable[[str, FetchProgress | Ended], None]


class Downloads:
    """At most one download a repository. The listener is called in the event loop."""

    def __init__(self, fetch: Fetch, listener: Listener) -> None:
        self._fetch = fetch
        self._listener = listener
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._progress: dict[str, FetchProgress] = {}

    def progress(self, repository: str) -> FetchProgress | None:
        """How far it is, or None when it is not being downloaded."""
        return self._progress.get(repository)

    def start(self, repository: str) -> None:
        """Begin, or go on where an earlier download stopped."""
        if repository not in self._tasks:
            self._progress[repository] = STARTING
            self._tasks[repository] = asyncio.create_task(self._run(repository))

    def stop(self, repository: str) -> None:
        """Stop; what is there is kept for the next time."""
        if task := self._tasks.get(repository):
            task.cancel()

    async def close(self) -> None:
        """Stop all of them and wait for their end."""
        tasks = tuple(self._tasks.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _run(self, repository: str) -> None:
        ended = Ended()
        try:
            ended = Ended(await self._fetch(repository, lambda news: self._note(repository, news)))
        except EngineError as error:
            ended = Ended(problem=str(error))
        finally:
            self._tasks.pop(repository, None)
            self._progress.pop(repository, None)
            self._listener(repository, ended)

    def _note(self, repository: str, news: FetchProgress) -> None:
        if repository in self._progress:
            self._progress[repository] = news
            self._listener(repository, news)
