"""Keeps the figures of the status line, which take a look at every page."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import replace

from textual.widget import Widget

from tui.wiki_facts import Counted, WikiFacts, count
from tui.wiki_session import WikiSession
from vault.errors import VaultError
from vault.watch import WatchState

_PAUSE_SECONDS = 0.5
# A large wiki is counted for at most a twentieth of the time.
_REST = 20


class Tally:
    """Counts in the background after changes; `tell` hears the facts, `tell_uncommitted` paths."""

    def __init__(
        self,
        owner: Widget,
        session: WikiSession,
        tell: Callable[[WikiFacts], object],
        tell_uncommitted: Callable[[tuple[str, ...]], object],
    ) -> None:
        self._owner = owner
        self._session = session
        self._tell = tell
        self._tell_uncommitted = tell_uncommitted
        self._facts = WikiFacts(session.root, is_ours=True, notes=0)
        self._is_wanted = asyncio.Event()

    def start(self) -> None:
        """Count whenever it is wanted, for as long as the owner is there."""
        self._owner.run_worker(self._count(), group="wiki-tally", exclusive=True)

    def show_notes(self, notes: int) -> None:
        """So many notes there are; what else changed is counted soon."""
        self._show(replace(self._facts, notes=notes, is_ours=self._session.is_ours))
        self._is_wanted.set()

    def show_watching(self, state: WatchState) -> None:
        """How changes on disk are noticed now."""
        self._show(replace(self._facts, watch=state))

    async def _count(self) -> None:
        while True:
            await self._is_wanted.wait()
            # Changes come in groups.
            await asyncio.sleep(_PAUSE_SECONDS)
            self._is_wanted.clear()
            began = time.monotonic()
            try:
                counted = await self._session.ask(count)
            except VaultError:
                continue
            self._take(counted)
            await asyncio.sleep(_REST * (time.monotonic() - began))

    def _take(self, counted: Counted) -> None:
        paths = counted.uncommitted
        changed = None if paths is None else len(paths)
        self._show(replace(self._facts, links=counted.links, uncommitted=changed))
        self._tell_uncommitted(paths or ())

    def _show(self, facts: WikiFacts) -> None:
        if facts != self._facts and facts.notes:
            self._tell(facts)
        self._facts = facts
