"""What is kept between answers: conversations, shared instructions, and how long there is room."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection
from typing import Any

from engine.plan.contract import MemoryPlan
from engine.worker.admission import Ceiling
from engine.worker.conversation_cache import ConversationCache, Loan
from engine.worker.prefix_store import PrefixStore
from engine.worker.row import Left, Row

_RELIEF_SECONDS = 1.0


class KeptCaches:
    """`limit` is the context a conversation is granted; `is_bounded` whether memory is."""

    def __init__(
        self,
        plan_at: Callable[[int], MemoryPlan],
        budget_bytes: int,
        limit: int,
        is_bounded: bool,
    ) -> None:
        self.conversations = ConversationCache(budget_bytes=budget_bytes)
        self.prefixes = PrefixStore()
        self._ceiling = Ceiling(plan_at, self.conversations, self.prefixes)
        self._limit = limit
        self._is_bounded = is_bounded
        self._relieved_at = 0.0

    def __len__(self) -> int:
        return len(self.conversations) + len(self.prefixes)

    @property
    def nbytes(self) -> int:
        """Bytes of everything kept."""
        return self.conversations.nbytes + self.prefixes.nbytes

    @property
    def hits(self) -> int:
        """How often something kept was of use."""
        return self.conversations.hits + self.prefixes.hits

    def bytes_beside(self, row: Row) -> int:
        """Bytes that have nothing to do with this row."""
        return self.conversations.bytes_without(row.command.conversation) + self.prefixes.nbytes

    def make_room(self, row: Row, others_bytes: int) -> None:
        """Free what a row that starts needs beside the running ones. Raises Refused."""
        if self._is_bounded:
            owner = row.command.conversation
            self._ceiling.make_room(len(row.prompt), self._limit, owner, others_bytes)

    def relieve(self, rows: Collection[Row]) -> None:
        """Once a second: rows grow, and other programs take memory."""
        now = time.monotonic()
        if not self._is_bounded or now - self._relieved_at < _RELIEF_SECONDS:
            return
        self._relieved_at = now
        longest = max((row.tokens_held for row in rows), default=0)
        if longest:
            self._ceiling.relieve(sum(row.kv_bytes for row in rows), longest)

    def note(self, row: Row) -> None:
        """A row was asked for."""
        self.prefixes.note(row.command.prefix_group, row.prompt)

    def lend(self, row: Row) -> Loan:
        """The cache of the row's conversation, or a copy of what its group has read."""
        loan = self.conversations.borrow(row.command.conversation, row.prompt)
        return loan if loan.cache else self.prefixes.lend(row.command.prefix_group, row.prompt)

    def keep(self, row: Row, left: Left) -> None:
        """What a row leaves to its conversation."""
        self.conversations.give(row.command.conversation, left.tokens, left.cache)

    def boundary(self, row: Row) -> int:
        """At how many tokens `share` should be shown the row's cache; 0 for never."""
        return self.prefixes.boundary(row.command.prefix_group, row.prompt)

    def share(self, row: Row, tokens: int, caches: list[Any]) -> None:
        """A row has read its group's shared instructions, which are so many tokens."""
        self.prefixes.keep(row.command.prefix_group, row.prompt[:tokens], caches)

    def forget(self, owner: str) -> int:
        """Drop a conversation's cache or a group's; returns how many went."""
        return self.conversations.forget(owner) + self.prefixes.forget(owner)
