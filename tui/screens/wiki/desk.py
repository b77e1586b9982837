"""What is done with a whole wiki: checking, tags, the page of the day, other programs."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from functools import partial

from tui.screens.ask_text import AskTextScreen
from tui.screens.pick import PickScreen
from tui.screens.question import Choice, QuestionScreen
from tui.screens.wiki.hands import Desk, Hands, shown_title
from tui.screens.wiki.lint import LintScreen
from tui.screens.wiki.outside import offer_programs, programs
from tui.screens.wiki.tags import rename_tag
from tui.screens.wiki.told import sha_of
from tui.wiki_session import WikiSession
from vault.daily import open_day
from vault.graph.linking import link_mention
from vault.graph.mentions import Mention
from vault.history.revisions import commit_called
from vault.history.state import open_repository
from vault.names import displayable
from vault.vault import Vault

_UNDO = Choice("undo", "Take it back", "primary")
_NOT_NOW = Choice("no", "Not now")


class WikiDesk(Desk):
    """One for each opened wiki; each wish runs in a worker of its own."""

    GROUP = "wiki-desk"

    def __init__(self, session: WikiSession, hands: Hands) -> None:
        super().__init__(session, hands)
        self._last_commit = ""
        self._moves: dict[str, Mapping[str, str]] = {}

    def create(self, title: str) -> None:
        """Create an article and edit it; without a title, ask for one."""
        self._run(partial(self._create, title))

    def choose_visited(self) -> None:
        """Choose one of the articles that were open."""
        self._run(self._choose_visited)

    def open_today(self) -> None:
        """Open the page of the day, making it first."""
        self._run(self._open_today)

    def check(self) -> None:
        """Show what is wrong with the wiki."""
        self._run(self._check)

    def rename_tag(self, asked: str) -> None:
        """Give a tag another name on every page."""
        self._run(partial(self._rename_tag, asked))

    def link(self, mention: Mention, path: str) -> None:
        """Make a link of a mention."""
        self._run(partial(self._link, mention, path))

    def remember(self, commit: str, moves: Mapping[str, str]) -> None:
        """What was done elsewhere in the window can be taken back here."""
        self._last_commit = commit
        self._moves = {commit: moves}

    def undo(self) -> None:
        """Take back what the desk did last."""
        self._run(self._undo)

    def open_outside(self) -> None:
        """Open the article in Obsidian, or its folder in the file manager."""
        self._run(self._open_outside)

    async def _create(self, title: str) -> None:
        screen = AskTextScreen("What is the new article called?")
        asked = title if title else await self._app.push_screen_wait(screen)
        if asked:
            await self._hands.create(asked)

    async def _choose_visited(self) -> None:
        paths = self._hands.visited()
        if not paths:
            self._say("No article was open yet.", "warning")
            return
        lines = [f"{shown_title(path)}  {displayable(path)}" for path in paths]
        chosen = await self._app.push_screen_wait(PickScreen("Visited, the latest first", lines))
        if chosen is not None:
            await self._hands.open_at(paths[chosen], "", 0)

    async def _open_today(self) -> None:
        if await self._hands.consent.is_given():
            now = datetime.now().astimezone()
            path = await self._session.ask(lambda vault: open_day(vault, now))
            await self._hands.renew()
            await self._hands.open_at(path, "", 0)

    async def _check(self) -> None:
        screen = LintScreen(self._session)
        place = await self._app.push_screen_wait(screen)
        self._last_commit = screen.last_commit or self._last_commit
        if place is not None:
            await self._hands.open_at(place.path, place.anchor, place.line)

    async def _rename_tag(self, asked: str) -> None:
        if await self._hands.consent.is_given():
            commit = await rename_tag(self._app, self._session, asked)
            self._last_commit = commit or self._last_commit

    async def _link(self, mention: Mention, path: str) -> None:
        if not await self._hands.consent.is_given():
            return
        written = await self._session.ask(lambda vault: link_mention(vault, mention, path))
        self._last_commit = sha_of(written.commit) if written.commit else ""
        undo = " u takes it back." if self._last_commit else ""
        self._say(f"Linked in {shown_title(mention.path)}.{undo}")
        await self._hands.renew()

    async def _undo(self) -> None:
        commit = self._last_commit
        if not commit:
            self._say("Nothing was changed here that could be taken back.", "warning")
            return
        subject = await self._session.ask(lambda vault: _subject_of(vault, commit))
        question = QuestionScreen(f"Take back “{subject}”?", (_UNDO, _NOT_NOW))
        if await self._app.push_screen_wait(question) == _UNDO.id:
            await self._session.ask(lambda vault: vault.history.undo(commit))
            self._last_commit = ""
            self._say("Taken back.")
            await self._hands.renew()
            before = {new: old for old, new in self._moves.pop(commit, {}).items()}
            await self._hands.follow_renames(lambda path: before.get(path, path))

    async def _open_outside(self) -> None:
        file, root = self._hands.find_open(), self._session.root
        path = file.path if file is not None else ""
        shown = displayable(path) or displayable(str(root))
        await offer_programs(self._app, programs(root, path), shown)


def _subject_of(vault: Vault, commit: str) -> str:
    return commit_called(open_repository(vault.home), commit).subject
