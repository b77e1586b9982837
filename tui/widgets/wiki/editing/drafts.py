"""Keeps what is typed outside the wiki until it is saved, and brings it back after a crash."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import datetime

from textual.message import Message
from textual.timer import Timer
from textual.widget import Widget

from tui.wiki_session import WikiSession
from vault.drafts import Draft, Drafts, drafts_dir
from vault.errors import DraftFailed

# With the time to write it this is well below the two seconds that a crash may cost.
SECONDS_UNTIL_KEPT = 1.0


class DraftsLeft(Message):
    """So many texts of windows that are gone are kept."""

    def __init__(self, count: int) -> None:
        super().__init__()
        self.count = count


class DraftKeeper:
    """`find_draft` tells what is unsaved now; None for nothing."""

    def __init__(
        self, owner: Widget, session: WikiSession, find_draft: Callable[[], Draft | None]
    ) -> None:
        self._owner = owner
        self._drafts = Drafts(drafts_dir(session.location.data_dir, session.root))
        self._find_draft = find_draft
        self._timer: Timer | None = None
        self._writing = asyncio.Lock()
        self._is_failing = False
        self._left: dict[str, Draft] = {}

    def note_typing(self) -> None:
        """Something was typed: it is kept soon, however much more is typed until then."""
        if self._timer is None:
            self._timer = self._owner.set_timer(SECONDS_UNTIL_KEPT, self._keep)

    def keep_now(self) -> None:
        """The program is told to end."""
        draft = self._find_draft()
        if draft is not None:
            self._drafts.keep(_dated(draft))

    async def drop(self, path: str) -> None:
        """What was typed is saved or thrown away."""
        if self._timer is not None:
            self._timer.stop()
            self._timer = None
        async with self._writing:
            await self._try(lambda: self._drafts.drop(path))

    async def look(self) -> tuple[Draft, ...]:
        """Drafts of windows that are gone, the newest last."""
        found = await asyncio.to_thread(self._drafts.left_behind)
        self._left = {draft.path: draft for draft in found}
        self._owner.post_message(DraftsLeft(len(found)))
        return found

    def left_for(self, path: str) -> Draft | None:
        """The newest draft of an article, as of the last look."""
        return self._left.get(path)

    async def forget(self, draft: Draft) -> None:
        """A draft is taken up, or thrown away."""
        self._left.pop(draft.path, None)
        await self._try(lambda: self._drafts.forget(draft))
        await self.look()

    async def _keep(self) -> None:
        self._timer = None
        async with self._writing:
            draft = self._find_draft()
            if draft is not None:
                await self._try(lambda: self._drafts.keep(_dated(draft)))

    async def _try(self, deed: Callable[[], None]) -> None:
        try:
            await asyncio.to_thread(deed)
        except DraftFailed as error:
            if not self._is_failing:
                self._owner.notify(str(error), severity="warning", markup=False)
            self._is_failing = True
        else:
            self._is_failing = False


def _dated(draft: Draft) -> Draft:
    now = datetime.now().astimezone().isoformat(timespec="seconds")
    return Draft(
        path=draft.path,
        base=draft.base,
        text=draft.text,
        line=draft.line,
        column=draft.column,
        saved_at=now,
    )
