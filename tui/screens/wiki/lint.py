"""What is wrong with the wiki: looked at, opened, mended one by one or all of a kind."""

from __future__ import annotations

import threading
from typing import ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.screen import ModalScreen
from textual.widgets import Footer, Static

from tui.screens.question import Choice, QuestionScreen
from tui.screens.too_small import TooSmall
from tui.screens.wiki.lint_rows import WORDS, LintRow, counted, lint_rows, summary
from tui.screens.wiki.preview import PreviewScreen, sections_of_page
from tui.screens.wiki.told import commit_words, left_words, sha_of
from tui.text.content import literal_line
from tui.widgets.wiki.panel.row_list import RowList
from tui.widgets.wiki.panel.rows import Filled, OpenPage
from tui.wiki_session import WikiSession
from vault.errors import VaultError
from vault.lint.finding import Finding, Kind
from vault.lint.lint import lint
from vault.lint.mending import MendingPlan, carry_out_mending, plan_mending
from vault.vault import Vault

_MEND = Choice("mend", "Mend", "primary")
_NOT_NOW = Choice("no", "Not now")
_PROGRESS_EVERY = 50


class _Stopped(VaultError):
    """Nobody waits for the check any more."""


class LintScreen(ModalScreen[OpenPage | None]):
    """Answers with the place to open, or None."""

    CSS_PATH = "lint.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("x", "fix_one", "Fix this"),
        Binding("X,f", "fix_kind", "Fix all of the kind"),
        Binding("r", "check", "Check again"),
        Binding("u", "undo", "Undo"),
        Binding("escape,q", "dismiss", "Close"),
    ]

    def __init__(self, session: WikiSession) -> None:
        super().__init__()
        self._session = session
        self._findings: tuple[Finding, ...] = ()
        self._rows: tuple[LintRow, ...] = ()
        self._stop = threading.Event()
        self._last_commit = ""
        self._summary = Static(id="lint-summary")
        self._list = RowList(id="lint-list")

    def compose(self) -> ComposeResult:
        """What was found in numbers, the findings, the keys."""
        yield self._summary
        yield self._list
        yield Footer(compact=True)
        yield TooSmall()

    def on_mount(self) -> None:
        """Check once the screen is there."""
        self._list.focus()
        self.action_check()

    def on_unmount(self) -> None:
        """A check under way may end."""
        self._stop.set()

    @property
    def last_commit(self) -> str:
        """The commit of what was mended last here, or empty."""
        return self._last_commit

    @on(RowList.Chosen)
    def open_place(self, event: RowList.Chosen) -> None:
        """Open the page of a finding at its line."""
        event.stop()
        if isinstance(event.row.goal, OpenPage):
            self.dismiss(event.row.goal)

    @work(exclusive=True, group="lint")
    async def action_check(self) -> None:
        """Look at every page."""
        await self._check()

    @work(exclusive=True, group="lint")
    async def action_fix_one(self) -> None:
        """Show what would change, then mend the finding under the cursor."""
        row = self._row
        if row is None or row.finding is None or row.finding.fix is None:
            self._say("This cannot be mended by zib; Enter opens it.")
            return
        await self._mend((row.finding,), f"Mend: {row.finding.message}?")

    @work(exclusive=True, group="lint")
    async def action_fix_kind(self) -> None:
        """Mend every finding of the kind under the cursor, after a question."""
        row = self._row
        kind: Kind | None = row.kind if row is not None else None
        found = tuple(each for each in self._findings if each.kind == kind and each.fix is not None)
        if kind is None or not found:
            self._say("None of this kind can be mended by zib.")
            return
        pages = counted(len({each.path for each in found}), "page")
        question = f"Mend {counted(len(found), 'finding')} of “{WORDS[kind][0]}” on {pages}?"
        await self._mend(found, question)

    @work(exclusive=True, group="lint")
    async def action_undo(self) -> None:
        """Take back what was mended last."""
        commit = self._last_commit
        if not commit:
            self._say("Nothing was mended here yet.")
            return
        try:
            await self._session.ask(lambda vault: vault.history.undo(commit))
        except VaultError as error:
            self._say(str(error))
            return
        self._last_commit = ""
        self.notify("Taken back.", markup=False)
        await self._check()

    async def _check(self) -> None:
        self._show_summary("Checking …")
        try:
            self._findings = await self._session.ask(self._lint)
        except VaultError as error:
            self._show_summary(str(error))
            return
        self._show()

    def _lint(self, vault: Vault) -> tuple[Finding, ...]:
        def tell(done: int, of: int) -> None:
            if self._stop.is_set():
                raise _Stopped("The check was stopped.")
            if done % _PROGRESS_EVERY == 0:
                line = f"Checking … {done:,} of {counted(of, 'page')}"
                self.app.call_from_thread(self._show_summary, line)

        return lint(vault.index, vault.read, vault.is_ours, tell)

    async def _mend(self, found: tuple[Finding, ...], question: str) -> None:
        if self._session.needs_consent:
            self._say("zib may only read this folder. F4 on a page asks for more.")
            return
        try:
            plan = await self._session.ask(lambda vault: plan_mending(vault, found))
            if not plan.pages:
                self._say(left_words(plan) or "This is not so any more.")
            elif await self._is_wanted(plan, question, is_one=len(found) == 1):
                await self._carry_out(plan)
        except VaultError as error:
            self._say(str(error))
        await self._check()

    async def _is_wanted(self, plan: MendingPlan, question: str, *, is_one: bool) -> bool:
        if not is_one:
            asked = " ".join([question, "It is one commit.", left_words(plan)]).strip()
            screen = QuestionScreen(asked, (_MEND, _NOT_NOW))
            return await self.app.push_screen_wait(screen) == _MEND.id
        page = plan.pages[0]
        sections = sections_of_page(page.file.path, page.file.text or "", page.text)
        return await self.app.push_screen_wait(PreviewScreen(question, sections, "Mend"))

    async def _carry_out(self, plan: MendingPlan) -> None:
        subject = f"Mend {counted(plan.mended, 'finding')} on {counted(len(plan.pages), 'page')}"
        commit = await self._session.ask(lambda vault: carry_out_mending(vault, plan, subject))
        told = commit_words(commit)
        self._last_commit = sha_of(commit)
        done = f"Mended {counted(plan.mended, 'finding')}. {told}"
        self.notify(" ".join([done, left_words(plan)]).strip(), markup=False)

    def _show(self) -> None:
        # An answer may come when the screen is closed already.
        if self._list.is_attached:
            self._rows = lint_rows(self._findings)
            filled = Filled(tuple(each.row for each in self._rows))
            self._list.show(filled, is_new=False)
            self._show_summary(summary(self._findings))

    def _show_summary(self, text: str) -> None:
        self._summary.update(literal_line(text))

    def _say(self, text: str) -> None:
        self.notify(text, severity="warning", markup=False)

    @property
    def _row(self) -> LintRow | None:
        at = self._list.cursor
        return self._rows[at] if at < len(self._rows) else None
