"""Where an article is edited: the editor and what belongs to it, from opening to leaving."""

from __future__ import annotations

import asyncio
from typing import assert_never

from textual import on, work
from textual.message import Message

from tui.screens.question import Choice, QuestionScreen
from tui.screens.wiki import drafts as draft_screen
from tui.widgets.wiki.editing.editor import ArticleEditor
from tui.widgets.wiki.editing.saver import Mixed, Saver, Stayed, TookTheirs
from tui.widgets.wiki.editing.writing_place import WritingPlace
from tui.widgets.wiki.wording import saved_line
from tui.wiki_session import WikiSession
from vault.drafts import Draft
from vault.errors import ArticleMissing, VaultError
from vault.files import ArticleFile
from vault.standing import as_read_before
from vault.written import Written

SAVE = Choice("save", "Save", "primary")
DISCARD = Choice("discard", "Discard", "error")
STAY = Choice("stay", "Keep editing")


class EditingPlace(WritingPlace):
    """Edits one article at a time; what is typed is never lost."""

    class Saved(Message):
        """The article was saved as `file`, maybe a new one."""

        def __init__(self, file: ArticleFile) -> None:
            super().__init__()
            self.file = file

    class Left(Message):
        """The user has left the editor."""

    def __init__(self, session: WikiSession, id: str | None = None) -> None:
        super().__init__(session, id=id)
        self._saving = asyncio.Lock()
        self._saver = Saver(self, session)

    def open(self, file: ArticleFile, *, offers_draft: bool) -> None:
        """Edit an article, and offer what a crash left of it."""
        self.editor.take_up(file)
        self._session.changing = ""
        self._warn("")
        # At once: the keys that follow are meant for the text.
        self.screen.set_focus(self.editor)
        self.run_worker(self.suggester.warm_up(), group="warm-up", exclusive=True)
        draft = self.drafts.left_for(file.path)
        if draft is not None and offers_draft:
            self._offer_draft(draft, file)

    async def save(self, subject: str = "") -> bool:
        """Save and commit; whether the text is saved now. Call from a worker: it may ask."""
        async with self._saving:
            editor, base = self.editor, self.editor.base
            if base is None:
                return False
            text = editor.text
            try:
                result = await self._saver.save(text, base, subject)
            except VaultError as error:
                self._complain(str(error))
                return False
            match result:
                case Written():
                    await self._take_written(result, text)
                    return True
                case TookTheirs(file=file, copy=copy):
                    await self._take_theirs(file, copy)
                    return True
                case Mixed(file=file, text=mixed):
                    self.mix(file, mixed)
                    return False
                case Stayed():
                    return False
                case _:
                    assert_never(result)

    async def recover(self, draft: Draft, file: ArticleFile) -> None:
        """Bring a draft back into the editor, which is open on its article."""
        base = file
        if draft.base is not None and draft.base != file.text:
            base = as_read_before(file, file.path, draft.base)
        self.editor.build_on(base)
        self.editor.swap_text(draft.text)
        self.editor.move_cursor((draft.line, draft.column))
        self.drafts.keep_now()
        await self.drafts.forget(draft)

    async def discard(self) -> None:
        """The user would rather lose what is not saved."""
        if self.editor.base is not None:
            await self.drafts.drop(self.editor.base.path)
            self.editor.close()

    def mix(self, file: ArticleFile, text: str) -> None:
        """Hold both versions of a page, unsaved, with marks where they clash."""
        self.editor.build_on(file)
        self.editor.swap_text(text)
        at = text.find("<<<<<<<")
        self.editor.move_cursor(self.editor.exact.get_location_from_index(max(at, 0)), center=True)
        self._warn("both versions, not saved: put the marks right")
        self.post_message(self.Changed())

    def keep_draft(self) -> None:
        """The program is told to end. Raises DraftFailed."""
        self.drafts.keep_now()

    async def take_outside_change(self) -> ArticleFile | None:
        """The article changed on disk, maybe by our own save; what it is now, where it is read."""
        base = self.editor.base
        if base is None:
            return None
        try:
            file = await self._session.read(base.path)
        except ArticleMissing:
            self._warn("gone on disk: saving asks what to do")
            return None
        except VaultError as error:
            self._complain(str(error))
            return None
        if file.sha256 == base.sha256:
            self._warn("")
        elif self.is_dirty or file.text is None:
            self._warn("changed on disk: saving merges")
            self._complain("This article changed on disk. Saving will merge both versions.")
        else:
            self.editor.rebase(file)
            is_told, self._session.changing = self._session.changing == base.path, ""
            if not is_told:
                self.notify("The article changed on disk; this is how it is now.", markup=False)
        return file

    async def leave(self) -> None:
        """Back to reading, asking about unsaved text."""
        if self.is_dirty:
            self._ask_about_unsaved_text()
        else:
            await self._close()

    @on(ArticleEditor.SaveAsked)
    def save_asked(self, event: ArticleEditor.SaveAsked) -> None:
        """Ctrl+S."""
        event.stop()
        self.run_worker(self.save(), group="save")

    @on(ArticleEditor.LeaveAsked)
    async def leave_asked(self, event: ArticleEditor.LeaveAsked) -> None:
        """Escape."""
        event.stop()
        await self.leave()

    @work(exclusive=True, group="unsaved")
    async def _ask_about_unsaved_text(self) -> None:
        question = QuestionScreen("The text is not saved.", (SAVE, DISCARD, STAY))
        answer = await self.app.push_screen_wait(question)
        if answer == DISCARD.id or (answer == SAVE.id and await self.save()):
            await self._close()

    async def _close(self) -> None:
        base = self.editor.base
        self._completing.put_away()
        self.editor.close()
        if base is not None:
            await self.drafts.drop(base.path)
        self.post_message(self.Left())

    async def _take_written(self, written: Written, text: str) -> None:
        file = written.saved.file
        before = self.editor.base
        if self.editor.text == text:
            self.editor.rebase(file)
            if before is not None:
                await self.drafts.drop(before.path)
        else:
            # Typed on while the save ran: the next one merges what was merged into this one.
            is_same = file.text == text
            self.editor.build_on(file if is_same else as_read_before(file, file.path, text))
        self._warn("")
        self.notify(saved_line(written), markup=False)
        self._tell_saved(file)

    async def _take_theirs(self, file: ArticleFile, copy: Written) -> None:
        self.editor.rebase(file)
        await self.drafts.drop(file.path)
        self._warn("")
        path = copy.saved.file.path
        self.notify(f"What you wrote is in {path}; /conflicts lists such copies.", markup=False)
        self._tell_saved(file)

    def _tell_saved(self, file: ArticleFile) -> None:
        self._position.show(is_text_new=True)
        self.post_message(self.Changed())
        self.post_message(self.Saved(file))

    @work(exclusive=True, group="draft")
    async def _offer_draft(self, draft: Draft, file: ArticleFile) -> None:
        answer = await draft_screen.ask_about_draft(self.app, draft, file.text or "")
        if answer == draft_screen.RECOVER.id:
            await self.recover(draft, file)
        elif answer == draft_screen.DISCARD.id:
            await self.drafts.forget(draft)
