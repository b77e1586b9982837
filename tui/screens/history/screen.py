"""The history of one page: its versions, what each changed, and the ways back to them."""

from __future__ import annotations

from typing import ClassVar, Literal

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container, VerticalScroll
from textual.screen import Screen
from textual.widgets import Footer, OptionList, Static

from tui.screens.history.deeds import HistoryDeeds
from tui.screens.history.versions import VersionList
from tui.screens.history.wording import blame_lines, when_and_who
from tui.screens.too_small import TooSmall
from tui.text.content import literal, literal_line
from tui.widgets.diff.section import sections_of_diff
from tui.widgets.diff.view import DiffView
from tui.wiki_session import WikiSession
from vault.errors import VaultError
from vault.history.diff import diff_texts
from vault.history.log import Revision

Shown = Literal["change", "since", "text", "blame"]
_TITLES = {
    "change": "what this version changed",
    "since": "what changed since this version",
    "text": "the page in this version",
    "blame": "who wrote which line of the page as it is",
}


class HistoryScreen(Screen[None]):
    """Versions on the left, what is asked about the chosen one on the right."""

    CSS_PATH = "history.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "dismiss", "Close"),
        Binding("enter", "show_next", "Change/since", id="history-since", priority=True),
        Binding("t", "show('text')", "Text", id="history-text"),
        Binding("b", "show('blame')", "Blame", id="history-blame"),
        Binding("r", "restore", "Restore", id="history-restore"),
        Binding("s", "restore_section", "Restore section", id="history-restore-section"),
        Binding("u", "undo", "Undo", id="history-undo"),
        Binding("R", "roll_back", "Roll back run", id="history-roll-back"),
        Binding("n", "go(1)", "Next change", show=False),
        Binding("p", "go(-1)", "Previous change", show=False),
        Binding("v", "draw('beside')", "Side by side", show=False),
        Binding("w", "draw('words')", "Words", show=False),
        Binding("tab", "app.focus_next", show=False),
    ]

    def __init__(self, session: WikiSession, path: str) -> None:
        super().__init__()
        self._session = session
        self._path = path
        self._shown: Shown = "change"
        self._versions = VersionList(session, path, id="history-versions")
        self._deeds = HistoryDeeds(self, session, path)

    def compose(self) -> ComposeResult:
        """Versions, what is shown of one, keys."""
        yield Static(literal_line(f"History of {self._path}"), id="history-title")
        with Container(id="history-body"):
            yield self._versions
            with Container(id="history-side"):
                yield Static(id="history-said")
                yield DiffView(id="history-diff")
                with VerticalScroll(id="history-page"):
                    yield Static(id="history-text")
        yield Footer(compact=True)
        yield TooSmall()

    def on_mount(self) -> None:
        """Ask for the first versions."""
        self._page.display = False
        self._versions.focus()
        self._versions.look()

    @on(OptionList.OptionHighlighted)
    def follow_highlight(self) -> None:
        """Another version was highlighted."""
        if self._shown == "blame":
            self._shown = "change"
        self._look()

    @on(VersionList.Empty)
    def tell_empty(self, event: VersionList.Empty) -> None:
        """There is nothing to show."""
        self._diff.show((), event.reason)

    def action_show_next(self) -> None:
        """What the version changed, then what changed since it."""
        self.action_show("since" if self._shown == "change" else "change")

    def action_show(self, what: Shown) -> None:
        """Show something else about the version."""
        self._shown = "change" if what == self._shown and what != "change" else what
        self._look()

    def action_go(self, by: int) -> None:
        """To the next or previous change, also from the list."""
        self._diff.action_go(by)

    async def action_draw(self, what: str) -> None:
        """How the difference is drawn."""
        await self._diff.run_action(f"toggle_{what}")

    async def action_restore(self) -> None:
        """Make the page what it was in this version."""
        if (revision := self._versions.chosen) is not None:
            self._deeds.restore(revision)

    async def action_restore_section(self) -> None:
        """Make one section what it was."""
        if (revision := self._versions.chosen) is not None:
            self._deeds.restore_section(revision)

    async def action_undo(self) -> None:
        """Take back what this commit did, in every page."""
        if (revision := self._versions.chosen) is not None:
            self._deeds.undo(revision)

    async def action_roll_back(self) -> None:
        """Take back everything of the run this commit belongs to."""
        if (revision := self._versions.chosen) is not None:
            self._deeds.roll_back(revision)

    def look_again(self) -> None:
        """Something was written: there are new versions."""
        self._shown = "change"
        self._versions.look()

    @work(exclusive=True, group="history-look")
    async def _look(self) -> None:
        revision = self._versions.chosen
        if revision is None:
            return
        about = "" if self._shown == "blame" else f"{when_and_who(revision)} · "
        said = f"{about}{_TITLES[self._shown]}"
        self.query_one("#history-said", Static).update(literal_line(said))
        is_text = self._shown in {"text", "blame"}
        self._page.display, self._diff.display = is_text, not is_text
        try:
            if self._shown == "blame":
                self._text.update(literal("reading the history …"))
                lines = await self._session.ask(lambda vault: vault.history.blame(self._path))
                self._text.update(blame_lines(lines, self._page.size.width))
            elif self._shown == "text":
                text = await self._session.ask(lambda vault: vault.history.text(revision))
                self._text.update(literal(text or "The page was deleted in this version."))
            else:
                await self._show_difference(revision)
        except VaultError as error:
            self._page.display, self._diff.display = False, True
            self._diff.show((), str(error))

    async def _show_difference(self, revision: Revision) -> None:
        if self._shown == "since":
            diff = await self._session.ask(lambda vault: vault.history.diff(self._path, revision))
            message = "The page is the same now."
        else:
            before = await self._versions.before(revision)
            diff = await self._session.ask(
                lambda vault: diff_texts(
                    vault.history.text(before) if before else "", vault.history.text(revision)
                )
            )
            message = "The text is the same; only the page's name or folder changed."
        self._diff.show(sections_of_diff(diff), message)

    @property
    def _diff(self) -> DiffView:
        return self.query_one(DiffView)

    @property
    def _page(self) -> VerticalScroll:
        return self.query_one("#history-page", VerticalScroll)

    @property
    def _text(self) -> Static:
        return self.query_one("#history-text", Static)
