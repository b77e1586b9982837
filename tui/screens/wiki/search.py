"""The search: pages by what they say, while somebody types."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Footer, Input, Static

from tui.screens.too_small import TooSmall
from tui.screens.wiki.found import CreatePage, Found, LookElsewhere, OpenPage
from tui.screens.wiki.looking import LookingInput
from tui.screens.wiki.search_preview import Preview, preview_text
from tui.screens.wiki.search_rows import (
    ROW_LINES,
    PassageRow,
    ResultRow,
    SuggestionRow,
    result_lines,
    rows_of,
)
from tui.screens.wiki.search_words import (
    OPERATORS,
    count_words,
    explanation,
    remark,
    waiting_words,
)
from tui.text.content import literal
from tui.widgets.line_list import LineList
from vault.errors import VaultError
from vault.index.index import Progress
from vault.search.result import Results

PREVIEW_DELAY_SECONDS = 0.06
WAITING_SECONDS = 0.3

AskResults = Callable[[str], Awaitable[Results | None]]
ReadText = Callable[[str], Awaitable[str]]


class ResultList(LineList, can_focus=False):
    """What was found."""

    row_height = ROW_LINES
    rows: Sequence[ResultRow] = ()

    @property
    def row(self) -> ResultRow | None:
        """What the cursor stands on."""
        return self.rows[self.cursor] if self.rows else None

    def draw_row(self, row: int, width: int, is_lit: bool) -> Sequence[Content]:
        """One passage or suggestion."""
        return result_lines(self.rows[row], width)

    def cursor_moved(self) -> None:
        """Show the page around the passage."""
        if isinstance(self.screen, SearchScreen):
            self.screen.preview()

    def choose(self) -> None:
        """A click does what Enter does."""
        if isinstance(self.screen, SearchScreen):
            self.screen.action_take()


class SearchScreen(ModalScreen[Found | None]):
    """Answers with the page to open, at which heading; None when the user stays where they are."""

    CSS_PATH = "looking.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("tab", "explain", "Why"),
        Binding("f6", "look_elsewhere", "Names"),
        Binding("escape", "dismiss", "Back"),
        Binding("f7", "dismiss", show=False),
    ]

    def __init__(
        self,
        ask: AskResults,
        read: ReadText,
        progress: Callable[[], Progress | None],
        words: str = "",
        place: int = 0,
    ) -> None:
        """`ask` gives the results for a text, None for one that is no longer asked for.

        `place` is the row the cursor is on at first.
        """
        super().__init__()
        self._ask = ask
        self._read = read
        self._progress = progress
        self.words = words
        self._place = place
        self._list = ResultList(id="search-list")
        self._preview = Preview(id="search-preview")
        self._is_explaining = False
        self._shown_for: str | None = None
        self._pending = 0

    @property
    def place(self) -> int:
        """The row the cursor is on."""
        return self._list.cursor

    def compose(self) -> ComposeResult:
        """What is typed, a remark, results beside the page, keys."""
        yield LookingInput(self.words, "words, in any page", id="search-words")
        yield Static(Content(OPERATORS), id="search-remark")
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
            self.words, self._place = event.value, 0
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
        """By as many passages as are seen."""
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

    def action_take(self) -> None:
        """Open the page at the passage, or write one that is missing."""
        match self._list.row:
            case PassageRow(hit=hit, passage=passage):
                self.dismiss(OpenPage(hit.path, passage.anchor))
            case SuggestionRow(suggestion=suggestion) if suggestion.path:
                self.dismiss(OpenPage(suggestion.path))
            case SuggestionRow(suggestion=suggestion):
                self.dismiss(CreatePage(suggestion.title))
            case None:
                return

    @work(exclusive=True, group="preview")
    async def preview(self) -> None:
        """Show the page around the passage under the cursor."""
        row = self._list.row
        why = None
        if isinstance(row, PassageRow):
            why = explanation(row.hit) if self._is_explaining else None
            await asyncio.sleep(PREVIEW_DELAY_SECONDS)
            try:
                text = preview_text(await self._read(row.hit.path), row.passage)
            except VaultError as error:
                text = literal(str(error))
        else:
            text = Content("")
        self._preview.show(text, why)

    @work(group="results")
    async def _search(self) -> None:
        self._pending += 1
        waiting = self.set_interval(WAITING_SECONDS, self._tell_progress)
        try:
            await self._show_results(self.words)
        finally:
            self._pending -= 1
            waiting.stop()

    def _tell_progress(self) -> None:
        self._remark(waiting_words(self._progress()))

    async def _show_results(self, words: str) -> None:
        try:
            results = await self._ask(words)
        except VaultError as error:
            if self.is_attached:
                self._show(words, Results(), str(error))
            return
        if results is not None and self.is_attached:
            self._show(words, results, remark(results, words) or OPERATORS)

    def _show(self, words: str, results: Results, sentence: str) -> None:
        self._shown_for = words
        self._list.rows = rows_of(results)
        self._list.show_rows(len(self._list.rows), self._place)
        self._list.keep_in_sight()
        self._list.border_subtitle = Content(count_words(results))
        self._remark(sentence)
        self.preview()

    def _remark(self, sentence: str) -> None:
        self.query_one("#search-remark", Static).update(literal(sentence))
