"""What is done with the open article as a page: rename, move, delete, talk, make another."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime
from functools import partial

from tui.screens.ask_text import AskTextScreen
from tui.screens.pick import PickScreen
from tui.screens.question import Choice, QuestionScreen
from tui.screens.wiki.desk import WikiDesk
from tui.screens.wiki.hands import Desk, Hands, shown_title
from tui.screens.wiki.planned import carry_out_asked, moved_words
from tui.screens.wiki.told import sha_of
from tui.wiki_session import WikiSession
from vault.files import ArticleFile
from vault.listing import Folder
from vault.moving.change import Change
from vault.setup import ARTICLES, TALK
from vault.templates import page_from_template, template_names
from vault.vault import Vault

_CREATE, _NOT_NOW = Choice("create", "Create", "primary"), Choice("no", "Not now")
_EMPTY_PAGE = "An empty page"


class PageDesk(Desk):
    """One for each opened wiki; `is_dirty` tells whether the open article has unsaved text."""

    GROUP = "page-desk"

    def __init__(
        self,
        session: WikiSession,
        hands: Hands,
        desk: WikiDesk,
        edit: Callable[[], Awaitable[object]],
        is_dirty: Callable[[], bool],
    ) -> None:
        super().__init__(session, hands)
        self._desk = desk
        self._edit = edit
        self._is_dirty = is_dirty

    def rename(self, title: str) -> None:
        """Give the open article another title; without one, ask."""
        self._run(partial(self._rename, title))

    def move(self, folder: str) -> None:
        """Move the open article into a folder; without one, ask."""
        self._run(partial(self._move, folder))

    def delete(self) -> None:
        """Delete the open article."""
        self._run(self._delete)

    def talk(self) -> None:
        """Open the talk page of the open article, or the article of a talk page."""
        self._run(self._talk)

    def create(self, title: str) -> None:
        """Make an article and edit it; ask for a title and a template where that is open."""
        self._run(partial(self._create, title))

    async def make_page(self, title: str, text: str | None = None, body: str = "") -> str | None:
        """Make an article, from a template where the user wants one; its path. Raises VaultError.

        Call from a worker.
        """
        if not await self._hands.consent.is_given():
            return None
        names = () if text or body else await self._session.ask(template_names)
        if names:
            screen = PickScreen(f"What does “{title}” begin with?", [_EMPTY_PAGE, *names])
            chosen = await self._app.push_screen_wait(screen)
            if chosen is None:
                return None
            if chosen:
                now, name = datetime.now().astimezone(), names[chosen - 1]
                text = await self._session.ask(
                    lambda vault: page_from_template(vault, name, title, now)
                )
        return await self._written(title, None, text, body)

    async def _written(self, title: str, folder: str | None, text: str | None, body: str) -> str:
        def create(vault: Vault) -> tuple[str, int]:
            written = vault.create(title, folder, text=text, body=body)
            return written.saved.file.path, len(written.relinked)

        path, relinked = await self._session.ask(create)
        if relinked:
            self._say(
                f"Links on {relinked:,} pages now name another page of that name by its path."
            )
        await self._hands.renew()
        return path

    async def make_and_edit(self, title: str) -> None:
        """Make an article and edit it. Raises VaultError. Call from a worker."""
        path = await self.make_page(title)
        if path is not None:
            await self._hands.open_at(path, "", 0)
            await self._edit()

    async def _create(self, title: str) -> None:
        asked = title or await self._ask("What is the new article called?")
        if asked:
            await self.make_and_edit(asked)

    async def _rename(self, title: str) -> None:
        file = await self._open_page()
        if file is None:
            return
        old = shown_title(file.path)
        asked = title or await self._ask(f"What is “{old}” to be called?", old)
        if asked and asked != old:
            plan = await self._session.ask(lambda vault: vault.moves.plan_rename(file.path, asked))
            moved = await carry_out_asked(
                self._app, self._session, plan, f"Rename “{old}” to “{asked}”?", "Rename"
            )
            if moved is not None:
                self._tell(moved_words(moved, "Renamed."), sha_of(moved.commit), plan.change)
                await self._follow(plan.change, file.path)

    async def _move(self, folder: str) -> None:
        file = await self._open_page()
        if file is None:
            return
        here, _, name = file.path.rpartition("/")
        listing = self._session.listing
        folders = sorted(_folders(listing.top)) if listing else []
        question = f"Into which folder is “{shown_title(file.path)}” to go?"
        asked = folder or await self._ask(question, here, folders)
        if asked is None or (asked := asked.strip("/ ")) == here:
            return
        new_path = f"{asked}/{name}" if asked else name
        plan = await self._session.ask(lambda vault: vault.moves.plan_move(file.path, new_path))
        question = f"Move “{shown_title(file.path)}” to {asked or 'the top folder'}?"
        moved = await carry_out_asked(self._app, self._session, plan, question, "Move")
        if moved is not None:
            self._tell(moved_words(moved, "Moved."), sha_of(moved.commit), plan.change)
            await self._follow(plan.change, file.path)

    async def _delete(self) -> None:
        file = await self._open_page()
        if file is None:
            return
        plan = await self._session.ask(lambda vault: vault.moves.plan_delete(file.path))
        links = "Links to it stay, and lead to a page that is wanted."
        question = f"Delete “{shown_title(file.path)}”? {links}"
        moved = await carry_out_asked(self._app, self._session, plan, question, "Delete")
        if moved is not None:
            done = "Deleted. Undo: /undo-wiki." if sha_of(moved.commit) else "Deleted."
            self._tell(moved_words(moved, done), sha_of(moved.commit), plan.change)
            await self._hands.renew()
            before = [path for path in self._hands.visited() if path != file.path]
            if before:
                await self._hands.open_at(before[0], "", 0)

    async def _talk(self) -> None:
        file = self._hands.find_open()
        if file is None:
            self._say("Open an article first.", "warning")
            return
        folder, _, rest = file.path.partition("/")
        other = {ARTICLES: TALK, TALK: ARTICLES}.get(folder)
        if not self._session.is_ours or other is None:
            self._say("Only the articles of a wiki made by zib have talk pages.", "warning")
            return
        path = f"{other}/{rest}"
        listing = self._session.listing
        if listing is not None and any(note.path == path for note in listing.notes):
            await self._hands.open_at(path, "", 0)
            return
        title = shown_title(path)
        what = "talk page of" if other == TALK else "article"
        question = QuestionScreen(f"There is no {what} “{title}” yet.", (_CREATE, _NOT_NOW))
        if await self._app.push_screen_wait(question) == _CREATE.id:
            text = f"# Talk: {title}\n\nAbout [[{file.path[:-3]}|{title}]].\n\n"
            made = await self._written(
                title, path.rpartition("/")[0], text if other == TALK else None, ""
            )
            await self._hands.open_at(made, "", 0)
            await self._edit()

    async def _ask(
        self, question: str, value: str = "", suggestions: Sequence[str] = ()
    ) -> str | None:
        return await self._app.push_screen_wait(AskTextScreen(question, value, suggestions))

    async def _open_page(self) -> ArticleFile | None:
        """The open article, if it can be changed as a page now."""
        file = self._hands.find_open()
        if file is None:
            self._say("Open an article first.", "warning")
        elif self._is_dirty():
            self._say("Save the text in the editor first (Ctrl+S), or leave it (Esc).", "warning")
        elif await self._hands.consent.is_given():
            return file
        return None

    async def _follow(self, change: Change, path: str) -> None:
        await self._hands.renew()
        await self._hands.open_at(change.path_after(path), "", 0)
        # Last: that the pins cannot be kept is told of, and stops nothing else.
        await self._hands.follow_renames(change.path_after)

    def _tell(self, text: str, commit: str, change: Change) -> None:
        if commit:
            self._desk.remember(commit, change.moves)
        self._say(text)


def _folders(folder: Folder) -> list[str]:
    below = [path for each in folder.folders for path in _folders(each)]
    return [folder.path, *below] if folder.path else below
