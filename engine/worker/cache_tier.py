"""What the prompt cache expects of a tier below it, which keeps entries somewhere slower."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Protocol

from engine.worker.cache_entry import CacheKey, Entry


class Fetching(Protocol):
    """An entry on its way into memory."""

    @property
    def result(self) -> tuple[list[int], list[Any]] | None:
        """All its tokens and caches that nobody else holds; None when it cannot be read."""

    def advance(self, seconds: float) -> bool:
        """Do a small part, waiting no longer than so for the disk; whether it is at its end."""


class Held(Protocol):
    """An entry found in the tier; `usable` is how many of the prompt's tokens it saves."""

    @property
    def usable(self) -> int:
        """At most the prompt's length less one."""

    def fetch(self) -> Fetching:
        """Begin to read it."""


class CacheTier(Protocol):
    """Never raises: what goes wrong is a miss."""

    def longest(self, key: CacheKey, prompt: Sequence[int], at_least: int) -> Held | None:
        """The entry of most use, if it saves strictly more than `at_least` tokens.

        One that is longer than what the prompt shares with it counts only if it can be trimmed.
        """

    def spellings(self, key: CacheKey, owner: str) -> Iterable[Sequence[int]]:
        """The tokens of this owner's entries, latest first."""

    def offer(self, entry: Entry) -> None:
        """An entry is complete, or is about to be dropped; it may be stored now or later."""

    def holds(self, entry: Entry) -> bool:
        """Whether these tokens are safely stored."""

    def forget(self, owner: str) -> int:
        """Drop what only this owner uses; returns how many entries went."""
