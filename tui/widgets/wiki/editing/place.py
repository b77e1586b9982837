"""Where an article is edited: the editor and what belongs to it, from opening to leaving."""

from __future__ import annotations

import asyncio
from typing import assert_never

from textual import events, on, work
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.message import Message
from textual.widgets import OptionList

from tui.screens.question import Choice, QuestionScreen
from tui.screens.wiki import drafts as draft_screen
from tui.widgets.wiki.editing.completing import Completing
from tui.widgets.wiki.editing.drafts import DraftKeeper
from tui.widgets.wiki.editing.editor import ArticleEditor
from tui.widgets.wiki.editing.find_bar import FindBar
from tui.widgets.wiki.editing.popup import CompletionPopup
from tui.widgets.wiki.editing.position import PositionLine
from tui.widgets.wiki.editing.preview import Preview
from tui.widgets.wiki.editing.saver import Mixed, Saver, Stayed, TookTheirs
from tui.widgets.wiki.editing.suggestions import Suggester
from tui.widgets.wiki.wording import saved_line
from tui.wiki_session import WikiSession
from vault.drafts import Draft
from vault.errors import ArticleMissing, VaultError
from vault.files import ArticleFile
from vault.standing import as_read_before
from vault.written import Written

LEAST_WIDTH_BESIDE = 76
SAVE = Choice("save", "Save", "primary")
DISCARD = Choice("discard", "Discard", "error")
STAY = Choice("stay", "Keep editing")


class EditingPlace(Vertical):
    """Edits one article at a time; what is typed is never lost."""

    class Changed(Message):
        """The text is another one, or saved now."""

    class Saved(Message):
        """The article was saved as `file`, maybe a new one."""

        def __init__(self, file: ArticleFile) -> None:
            super().__init__()
            self.file = file

    class Left(Message):
        """The user has left the editor."""

    def __init__(self, session: WikiSession, id: str | None = None) -> None:
        super().__init__(id=id)
        self._session = session
        self._saving = asyncio.Lock()
        self._is_asking = False
        self.drafts = DraftKeeper(self, session, self._draft)
        self._saver = Saver(self, session)
        self.suggester = Suggester(session)
        self.editor = ArticleEditor(id="editor")
        self._popup = CompletionPopup(id="completions")
        self._position = PositionLine(self.editor, id="editor-position")
        self._completing = Completing(self, self.editor, self._popup, self.suggester)

    def compose(self) -> ComposeResult:
        """Find bar, text, position; the completions lie above all."""
        yield FindBar(self.editor, id="find-bar")
        with Horizontal(id="editor-row"):
            yield self.editor
        yield self._position
        yield self._popup

    @property
    def is_open(self) -> bool:
        """Whether an article is being edited."""
        return self.editor.base is not None

    @property
    def is_dirty(self) -> bool:
        """Whether leaving now would lose text."""
        return self.editor.is_dirty

    def open(self, file: ArticleFile, *, offers_draft: bool) -> None:
        """Edit an article, and offer what a crash left of it."""
        self.editor.take_up(file)
        self._warn("")
        self.editor.focus()
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
            self.notify("The article changed on disk; this is how it is now.", markup=False)
        return file

    def toggle_preview(self) -> None:
        """Show the page beside its text, or no longer."""
        if not self.is_open:
            self._complain("Open the editor first (F4).")
            return
        found = list(self.query(Preview))
        if not found:
            self.query_one("#editor-row").mount(
                Preview(self.editor, self._session, "editor-preview")
            )
            return
        found[0].display = not found[0].display
        found[0].follow_text(is_late=False)

    def on_resize(self, event: events.Resize) -> None:
        """The preview is below the text where there is no room beside it."""
        self.set_class(event.size.width < LEAST_WIDTH_BESIDE, "-stacked")

    async def leave(self) -> None:
        """Back to reading, asking about unsaved text."""
        if self.is_dirty:
            self._ask_about_unsaved_text()
        else:
            await self._close()

    @on(ArticleEditor.Changed)
    def follow_text(self, event: ArticleEditor.Changed) -> None:
        """The text is another one."""
        if event.text_area is not self.editor:
            return
        event.stop()
        if self.is_open:
            if self.is_dirty:
                self.drafts.note_typing()
            self._completing.look()
        self._position.show(is_text_new=True)
        for preview in self.query(Preview):
            preview.follow_text()
        self.post_message(self.Changed())

    @on(ArticleEditor.SelectionChanged)
    def follow_cursor(self, event: ArticleEditor.SelectionChanged) -> None:
        """The cursor moved."""
        event.stop()
        if self.editor.is_choosing:
            self._completing.look()
        self._position.show(is_text_new=False)
        for preview in self.query(Preview):
            preview.follow_cursor()

    @on(ArticleEditor.PopupKey)
    def move_in_popup(self, event: ArticleEditor.PopupKey) -> None:
        """A key for the list of completions."""
        event.stop()
        self._completing.take_key(event.key)

    @on(OptionList.OptionSelected, "#completions")
    def take_clicked(self, event: OptionList.OptionSelected) -> None:
        """A completion was clicked."""
        event.stop()
        self._completing.choose()
        self.editor.focus()

    @on(ArticleEditor.FindAsked)
    def find(self, event: ArticleEditor.FindAsked) -> None:
        """Find, or go to a line."""
        event.stop()
        self.query_one(FindBar).open(is_line=event.is_line)

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

    def _draft(self) -> Draft | None:
        editor, base = self.editor, self.editor.base
        if base is None or not editor.is_dirty:
            return None
        line, column = editor.cursor_location
        return Draft(path=base.path, base=base.text, text=editor.text, line=line, column=column)

    def _warn(self, text: str) -> None:
        self._position.warn(text)

    def _complain(self, text: str) -> None:
        self.notify(text, severity="warning", markup=False)
