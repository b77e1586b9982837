"""The search: pages by what they say, while somebody types."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Footer, Input, Static

from tui.screens.too_small import TooSmall
from tui.screens.wiki.found import Found, LookElsewhere
from tui.screens.wiki.looking import LookingInput
from tui.screens.wiki.search_list import ResultList
from tui.screens.wiki.search_preview import Preview, preview_text
from tui.screens.wiki.search_rows import PassageRow, found_at, rows_of
from tui.screens.wiki.search_words import OPERATORS, count_words, explanation, remark, waiting_words
from tui.text.content import literal
from tui.widgets.line_list import LineList
from vault.errors import VaultError
from vault.index.index import Progress
from vault.search.result import Results

PREVIEW_DELAY_SECONDS = 0.06
WAITING_SECONDS = 0.3
_NOTHING_YET = "Type what a page says."

FIRST_PAGES, MORE_PAGES = 15, 100
"""Most are read only when somebody goes down to them: to read a page's file takes its time."""

AskResults = Callable[[str, int], Awaitable[Results | None]]
ReadText = Callable[[str], Awaitable[str]]


class SearchScreen(ModalScreen[Found | None]):
    """Answers with the page to open, at which heading; None when the user stays where they are."""

    CSS_PATH = "looking.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("tab", "explain", "Why"),
        Binding("f6", "look_elsewhere", "Names", id="jump-article"),
        Binding("escape", "dismiss", "Back"),
        Binding("f7", "dismiss", id="search-wiki", show=False),
    ]

    def __init__(
        self,
        ask: AskResults,
        read: ReadText,
        progress: Callable[[], Progress | None],
        words: str = "",
        place: int = 0,
    ) -> None:
        """`ask` gives as many pages for a text, None for one that is no longer asked for.

        `place` is the row the cursor is on at first.
        """
        super().__init__()
        self._ask = ask
        self._read = read
        self._progress = progress
        self.words = words
        self._place = place
        self._sentence = OPERATORS
        self._said = Static(Content(OPERATORS), id="search-remark")
        self._list = ResultList(id="search-list")
        self._preview = Preview(id="search-preview")
        self._is_explaining = False
        self._shown_for: str | None = None
        self._most = FIRST_PAGES if place < FIRST_PAGES else MORE_PAGES
        self._has_more = False

    @property
    def place(self) -> int:
        """The row the cursor is on."""
        return self._list.cursor

    def compose(self) -> ComposeResult:
        """What is typed, a remark, results beside the page, keys."""
        yield LookingInput(self.words, "words, in any page", id="search-words")
        yield self._said
        with Container(id="search-body"):
            yield self._list
            yield self._preview
        yield Footer(compact=True)
        yield TooSmall()

    def on_mount(self) -> None:
        """Search at once for what was typed before."""
        self.query_one(Input).focus()
        self._search()

    @on(Input.Changed)
    def follow(self, event: Input.Changed) -> None:
        """Another letter."""
        if event.value != self.words:
            self.words, self._place, self._most = event.value, 0, FIRST_PAGES
            self._search()

    @on(Input.Submitted)
    async def submit(self, event: Input.Submitted) -> None:
        """Enter means what is typed, also when its results are not there yet."""
        if self._shown_for != event.value:
            await self._show_results(event.value)
        self.action_take()

    def action_move(self, by: int) -> None:
        """To another passage."""
        self._list.action_move(by)

    def action_move_page(self, by: int) -> None:
        """By what is seen."""
        self._list.action_move_page(by)

    def action_move_to(self, row: int) -> None:
        """To the first or the last passage."""
        self._list.action_move_to(row)

    def action_look_elsewhere(self) -> None:
        """Look for the same words in the names of the pages."""
        self.dismiss(LookElsewhere(self.words))

    def action_explain(self) -> None:
        """Say why the page ranks where it does, or stop saying so."""
        self._is_explaining = not self._is_explaining
        self.set_class(self._is_explaining, "-explaining")
        self.preview()

    @on(LineList.RowChosen)
    def action_take(self) -> None:
        """Open the page at the passage, or write one that is missing."""
        found = found_at(self._list.row)
        if found is not None:
            self.dismiss(found)

    @on(LineList.EndNeared)
    def ask_for_more(self) -> None:
        """Show pages further down as well."""
        if self._has_more and self._most == FIRST_PAGES and self._shown_for == self.words:
            self._most = MORE_PAGES
            self._search()

    @on(LineList.CursorMoved)
    @work(exclusive=True, group="preview")
    async def preview(self) -> None:
        """Show the page around the passage under the cursor."""
        row = self._list.row
        if not isinstance(row, PassageRow):
            self._preview.show(Content(""), None)
            return
        await asyncio.sleep(PREVIEW_DELAY_SECONDS)
        try:
            text = preview_text(await self._read(row.hit.path), row.passage)
        except VaultError as error:
            text = literal(str(error))
        self._preview.show(text, explanation(row.hit) if self._is_explaining else None)

    @work(group="results")
    async def _search(self) -> None:
        waiting = self.set_interval(
            WAITING_SECONDS, lambda: self._remark(waiting_words(self._progress()))
        )
        try:
            await self._show_results(self.words)
        finally:
            waiting.stop()

    async def _show_results(self, words: str) -> None:
        try:
            results = await self._ask(words, self._most)
        except VaultError as error:
            if self.is_attached:
                self._show(words, Results(), str(error))
            return
        if results is not None and self.is_attached:
            self._show(words, results, remark(results, words) or OPERATORS)

    def _show(self, words: str, results: Results, sentence: str) -> None:
        if self._shown_for == words:
            # More of the same: whoever is on the way down stays there.
            self._place = self._list.cursor
        self._shown_for = words
        self._has_more = len(results.hits) < results.total
        self._list.rows = rows_of(results)
        self._list.show_rows(
            len(self._list.rows), self._place, "" if words.strip() else _NOTHING_YET
        )
        self._list.keep_in_sight()
        self._list.border_subtitle = Content(count_words(results))
        self._remark(sentence)
        self.preview()

    def _remark(self, sentence: str) -> None:
        if sentence != self._sentence:
            self._sentence = sentence
            self._said.update(literal(sentence))
