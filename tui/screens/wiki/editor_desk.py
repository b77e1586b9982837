"""What is done with the text of the open article, in the editor or beside it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from tui.screens.ask_text import AskTextScreen
from tui.screens.wiki.hands import Desk, Hands, shown_title
from tui.screens.wiki.outside_editor import NoEditor, edit_outside
from tui.screens.wiki.page_desk import PageDesk
from tui.screens.wiki.properties import PropertiesScreen
from tui.widgets.wiki.editing.place import EditingPlace
from tui.wiki_session import WikiSession
from vault.files import ArticleFile

_HEADING_MARKS = "# \t"


class EditorDesk(Desk):
    """One for each opened wiki. `edit` opens the editor on a file."""

    GROUP = "editor-desk"

    def __init__(
        self,
        session: WikiSession,
        hands: Hands,
        pages: PageDesk,
        find_editing: Callable[[], EditingPlace],
        edit: Callable[[ArticleFile], None],
    ) -> None:
        super().__init__(session, hands)
        self._pages = pages
        self._find_editing = find_editing
        self._edit = edit

    def save_with_message(self, subject: str) -> None:
        """Save and commit with a message of the user's own."""
        self._run(partial(self._save_with_message, subject))

    def edit_outside(self) -> None:
        """Edit the article in the editor the user has set."""
        self._run(self._edit_outside)

    def extract(self) -> None:
        """Make what is selected in the editor an article of its own."""
        self._run(self._extract)

    def edit_properties(self) -> None:
        """The properties of the article, line by line."""
        self._run(self._edit_properties)

    async def _save_with_message(self, subject: str) -> None:
        if not self._editing.is_open:
            self._say("Open the editor first (F4).", "warning")
            return
        asked = subject or await self._ask("What did you change?")
        if asked:
            await self._editing.save(asked)

    async def _edit_outside(self) -> None:
        editing, file = self._editing, self._hands.find_open()
        is_reading = not editing.is_open
        if is_reading:
            if file is None or (file.read_only_reason is not None and self._session.is_ours):
                self._say("There is no open article that can be edited.", "warning")
                return
            if not await self._hands.consent.is_given():
                return
            file = await self._session.read(file.path)
            if file.text is None or file.is_read_only:
                self._say(f"This page cannot be edited: {file.read_only_reason}.", "warning")
                return
        base = file if is_reading else editing.editor.base
        if base is None:
            return
        text = (base.text or "") if is_reading else editing.editor.text
        line = 1 if is_reading else editing.editor.cursor_location[0] + 1
        try:
            edited = edit_outside(self._app, base.path, text, line)
        except NoEditor as error:
            self._say(str(error), "warning")
            return
        if edited.text != text:
            if is_reading:
                self._edit(base)
            editing.editor.swap_text(edited.text)
        if edited.complaint:
            kept = " What it wrote is in the editor, unsaved." if edited.text != text else ""
            self._say(f"{edited.complaint}{kept}", "warning")
        elif is_reading and edited.text != text and await editing.save():
            await editing.leave()

    async def _extract(self) -> None:
        editor = self._editing.editor
        body, base = editor.selected_text, editor.base
        if base is None or not body.strip():
            self._say("Select in the editor what is to be an article of its own.", "warning")
            return
        start, end = sorted(editor.selection)
        first, _, rest = body.strip().partition("\n")
        is_headed = first.startswith("#")
        title = await self._ask("What is the new article called?", first.strip(_HEADING_MARKS)[:80])
        if not title:
            return
        path = await self._pages.make_page(title, body=(rest if is_headed else body).strip())
        if path is None:
            return
        link = await self._editing.suggester.link_to(path, base.path)
        if editor.get_text_range(start, end) == body:
            tail = "\n" if body.endswith("\n") else ""
            editor.put(start, end, f"{link}{editor.exact.as_written(tail)}")
        self._say(f"“{title}” is an article now; a link stands in its place. Save with Ctrl+S.")
        editor.focus()

    async def _edit_properties(self) -> None:
        editing, file = self._editing, self._hands.find_open()
        if file is None or not await self._hands.consent.is_given():
            return
        is_open = editing.is_open
        file = file if is_open else await self._session.read(file.path)
        if file.text is None or file.is_read_only:
            self._say(f"This page cannot be edited: {file.read_only_reason}.", "warning")
            return
        text = editing.editor.text if is_open else file.text
        changed = await self._app.push_screen_wait(PropertiesScreen(shown_title(file.path), text))
        if changed is None:
            return
        if is_open:
            editing.editor.swap_text(changed)
            return
        self._edit(file)
        editing.editor.swap_text(changed)
        if await editing.save(f"Edit the properties of {shown_title(file.path)}"):
            await editing.leave()

    async def _ask(self, question: str, value: str = "") -> str | None:
        return await self._app.push_screen_wait(AskTextScreen(question, value))

    @property
    def _editing(self) -> EditingPlace:
        return self._find_editing()
