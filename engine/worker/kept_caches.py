"""What is kept between answers, for whom, and for how long there is room."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Sequence
from functools import partial
from typing import Any

from engine.plan.contract import MemoryPlan
from engine.protocol import Generate
from engine.worker.admission import Ceiling
from engine.worker.cache.detached import detach
from engine.worker.cache_entry import Entry, EntryKind, bytes_of, token_array
from engine.worker.cache_lending import snapshot, stay_trimmable
from engine.worker.cache_tier import Fetching
from engine.worker.checkpoints import find_checkpoints
from engine.worker.entry_shelf import Match
from engine.worker.kept_model import KeptModel
from engine.worker.loan import Borrower, Loan
from engine.worker.own_spelling import respell, respell_by_likeness
from engine.worker.prefix_groups import LEAST_SHARED, PrefixGroups
from engine.worker.prompt_cache import PromptCache
from engine.worker.row import Row
from engine.worker.row_results import Left

_RELIEF_SECONDS = 1.0
_LIKELY_TOKENS = 1024
"""Of an answer, where nobody says how long it may become."""


class KeptCaches:
    """Between the rows of one loaded model and the prompt cache."""

    def __init__(
        self, model: KeptModel, cache: PromptCache, plan_at: Callable[[int], MemoryPlan]
    ) -> None:
        self.cache = cache
        self._model = model
        self._ceiling = Ceiling(plan_at, cache)
        self._groups = PrefixGroups()
        self._unwanted: frozenset[int] = frozenset()
        self._relieved_at = 0.0

    def respell(self, owner: str, prompt: Sequence[int]) -> list[int]:
        """The prompt in the tokens that this conversation was held in, as far as they say it."""
        if not owner:
            return list(prompt)
        key, spelling = self._model.key, self._model.spelling
        spelled = respell(prompt, self.cache.spellings(key, owner), spelling)
        # A conversation that was forked off was held under another name.
        return respell_by_likeness(spelled, partial(self.cache.nearest, key), spelling)

    def checkpoints(self, command: Generate, prompt: Sequence[int], room: int) -> tuple[int, ...]:
        """Where a row whose answer has so much room should leave copies of its caches.

        Nowhere if they can be cut back also after the answer.
        """
        tokens = len(prompt) + min(room, _LIKELY_TOKENS)
        if not command.conversation or stay_trimmable(self._model.blank, tokens):
            return ()
        return find_checkpoints(self._model.render(command), command.messages, prompt)

    def bytes_beside(self, row: Row) -> int:
        """Bytes that have nothing to do with this row."""
        match = self._match(row)
        is_own = match is not None and self._spends(row, match)
        return self.cache.nbytes - (match.entry.nbytes if match is not None and is_own else 0)

    def make_room(self, row: Row, others_bytes: int) -> None:
        """Free what a row that starts needs beside the running ones. Raises Refused."""
        if self._model.is_bounded:
            match = self._match(row)
            row.spare_bytes = self._ceiling.make_room(
                len(row.prompt), self._model.limit, match.entry if match else None, others_bytes
            )

    def relieve(self, rows: Collection[Row]) -> None:
        """Once a second: rows grow, and other programs take memory."""
        now = time.monotonic()
        if not self._model.is_bounded or now - self._relieved_at < _RELIEF_SECONDS:
            return
        self._relieved_at = now
        longest = max((row.tokens_held for row in rows), default=0)
        if longest:
            self._ceiling.relieve(sum(row.kv_bytes for row in rows), longest)

    def note(self, row: Row) -> None:
        """A row was asked for."""
        self._groups.note(row.command.prefix_group, row.prompt)

    def fetch(self, row: Row) -> Fetching | None:
        """Begin to read what only the disk knows of the row's prompt; None when that is nothing."""
        borrower = self._borrower(row)
        return self.cache.fetch(self._model.key, row.prompt, borrower) if borrower.owner else None

    def lend(self, row: Row, fetched: Fetching | None) -> Loan:
        """What is known of the row's prompt. A row that belongs to nobody goes without."""
        borrower = self._borrower(row)
        if not borrower.owner:
            return Loan(None, [])
        loan = self.cache.take(self._model.key, row.prompt, borrower, fetched)
        self._make_fit(row, 0)
        return loan

    def keep(self, row: Row, left: Left) -> None:
        """What a row leaves to its conversation."""
        command = row.command
        if not command.conversation or not left.tokens or row.id in self._unwanted:
            return
        # Until it is evaluated, a row's part of a batch keeps the whole batch in memory.
        detach(left.cache)
        entry = self._entry(row, left.tokens, left.cache, {command.conversation}, "turn")
        entry.asked = len(command.messages), hash(command.messages)
        self.cache.put(entry, is_spared=True)

    def marks(self, row: Row) -> tuple[int, ...]:
        """At how many tokens `share` should be shown the row's cache, ascending."""
        places = {self._groups.boundary(row.command.prefix_group, row.prompt)}
        if row.command.conversation:
            places.update(row.checkpoints)
        if not any(places):
            return ()
        match = self._match(row)
        known = max(match.usable if match else 0, row.prefilled)
        marks: list[int] = []
        for place in sorted(places):
            if place >= known + LEAST_SHARED:
                marks.append(place)
                known = place
        return tuple(marks)

    def share(self, row: Row, tokens: int, caches: list[Any]) -> None:
        """A row has read so many tokens, which others may go on from."""
        command = row.command
        owners = {command.conversation} if tokens in row.checkpoints else {command.prefix_group}
        kind: EntryKind = "checkpoint" if tokens in row.checkpoints else "instructions"
        if tokens == self._groups.boundary(command.prefix_group, row.prompt):
            owners.add(command.prefix_group)
        if row.id not in self._unwanted and self._make_fit(row, bytes_of(caches)):
            prefix = row.prompt[:tokens]
            self.cache.put(self._entry(row, prefix, snapshot(caches), owners - {""}, kind))

    def forget(self, owner: str, rows: Collection[Row] = ()) -> int:
        """Drop what only a conversation or a group uses; returns how many entries went.

        Its rows that still run leave nothing behind.
        """
        running = {row.id for row in rows}
        gone = {row.id for row in rows if row.command.conversation == owner}
        self._unwanted = (self._unwanted & running) | gone
        self._groups.forget(owner)
        return self.cache.forget(owner)

    def _match(self, row: Row) -> Match | None:
        borrower = self._borrower(row)
        return self.cache.find(self._model.key, row.prompt, borrower) if borrower.owner else None

    def _borrower(self, row: Row) -> Borrower:
        command = row.command
        return Borrower(
            owner=command.conversation or command.prefix_group,
            is_temporary=command.is_temporary,
            least_of_others=LEAST_SHARED,
            spends=partial(self._spends, row),
        )

    def _spends(self, row: Row, match: Match) -> bool:
        """Whether the row takes an entry over instead of a copy.

        It does where its conversation goes on and leaves the entry behind, and where there is no
        room for both.
        """
        entry, command = match.entry, row.command
        if entry.kind == "turn" and entry.owners <= {command.conversation} and entry.is_trimmable:
            count, asked = entry.asked
            goes_on = count < len(command.messages) and hash(command.messages[:count]) == asked
            if goes_on or not match.surplus:
                return True
        is_too_much = row.spare_bytes is not None and self.cache.nbytes > row.spare_bytes
        is_too_large = entry.nbytes > self.cache.budget_bytes
        return (is_too_much or is_too_large) and match.usable > match.surplus

    def _make_fit(self, row: Row, more_bytes: int) -> bool:
        """Drop what was not used for longest until so much more can be kept beside the row."""
        spare, budget = row.spare_bytes, self.cache.budget_bytes
        if more_bytes > (budget if spare is None else min(spare, budget)):
            return False
        while spare is not None and self.cache.nbytes + more_bytes > spare:
            if not self.cache.drop_oldest():
                break
        return True

    def _entry(
        self,
        row: Row,
        tokens: Sequence[int],
        caches: list[Any],
        owners: set[str],
        kind: EntryKind,
    ) -> Entry:
        return Entry(
            self._model.key, token_array(tokens), caches, owners, row.command.is_temporary, kind
        )
