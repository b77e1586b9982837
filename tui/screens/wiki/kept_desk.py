"""What was kept aside: texts that were not saved, and the copies that conflicts left."""

from __future__ import annotations

from collections.abc import Callable

from tui.screens.pick import PickScreen
from tui.screens.wiki.conflict_copies import settle_copy
from tui.screens.wiki.drafts import DISCARD, RECOVER, ask_about_draft
from tui.screens.wiki.hands import Desk, Hands, shown_title
from tui.widgets.wiki.editing.place import EditingPlace
from tui.wiki_session import WikiSession
from vault.conflicts import find_conflict_copies
from vault.drafts import Draft
from vault.errors import ArticleMissing
from vault.files import ArticleFile
from vault.names import displayable
from vault.standing import as_read_before

_TOLD_SECONDS = 20.0


class KeptDesk(Desk):
    """One for each opened wiki. `edit` opens the editor on a file."""

    GROUP = "kept-desk"

    def __init__(
        self,
        session: WikiSession,
        hands: Hands,
        find_editing: Callable[[], EditingPlace],
        edit: Callable[[ArticleFile], None],
    ) -> None:
        super().__init__(session, hands)
        self._find_editing = find_editing
        self._edit = edit

    def show_drafts(self) -> None:
        """Texts that were typed and not saved."""
        self._run(self._show_drafts)

    def show_conflicts(self) -> None:
        """Copies that conflicts left."""
        self._run(self._show_conflicts)

    async def tell_drafts(self) -> None:
        """At the start: say that there are texts that were not saved."""
        left = await self._editing.drafts.look()
        if left:
            names = ", ".join(f"“{shown_title(draft.path)}”" for draft in left[-3:])
            self._hands.owner.notify(
                f"Text that was not saved is kept, of {names}. /drafts brings it back.",
                severity="warning",
                timeout=_TOLD_SECONDS,
                markup=False,
            )

    async def _show_drafts(self) -> None:
        left = await self._editing.drafts.look()
        if not left:
            self._say("There is no text that was not saved.")
            return
        lines = [
            f"{shown_title(each.path)}  {_when(each)}  {displayable(each.path)}" for each in left
        ]
        chosen = await self._app.push_screen_wait(PickScreen("Text that was not saved", lines))
        if chosen is not None:
            await self._take_draft(left[chosen])

    async def _take_draft(self, draft: Draft) -> None:
        try:
            file: ArticleFile | None = await self._session.read(draft.path)
        except ArticleMissing:
            file = None
        now = file.text if file is not None else ""
        answer = await ask_about_draft(self._app, draft, now or "")
        if answer == DISCARD.id:
            await self._editing.drafts.forget(draft)
        elif answer == RECOVER.id:
            if self._editing.is_dirty:
                self._say("Save the text in the editor first (Ctrl+S).", "warning")
                return
            if file is None:
                file = as_read_before(None, draft.path, draft.base or "")
            elif not await self._hands.consent.is_given():
                return
            self._edit(file)
            await self._editing.recover(draft, file)

    async def _show_conflicts(self) -> None:
        listing = self._session.listing
        copies = find_conflict_copies(note.path for note in listing.notes) if listing else ()
        if not copies:
            self._say("There are no conflict copies.")
            return
        lines = [f"{displayable(copy.path)}" for copy in copies]
        chosen = await self._app.push_screen_wait(PickScreen("Conflict copies", lines))
        if chosen is None or not await self._hands.consent.is_given():
            return
        copy = copies[chosen]
        settled = await settle_copy(self._app, self._session, copy)
        if settled.told:
            self._say(settled.told)
        await self._hands.renew()
        if settled.is_opening_copy:
            await self._hands.open_at(copy.path, "", 0)
        elif settled.mixed is not None and not self._editing.is_dirty:
            page = await self._session.read(copy.page)
            await self._hands.open_at(copy.page, "", 0)
            self._edit(page)
            self._editing.mix(page, settled.mixed)

    @property
    def _editing(self) -> EditingPlace:
        return self._find_editing()


def _when(draft: Draft) -> str:
    return draft.saved_at.replace("T", " ")[:16]
