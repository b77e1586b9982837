"""The switcher: jumps to a page by some letters of its name."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Input, Static

from tui.screens.too_small import TooSmall
from tui.screens.wiki.found import CreatePage, Found, LookElsewhere, OpenPage
from tui.screens.wiki.looking import LookingInput
from tui.screens.wiki.switcher_rows import NewPageOffer, Offer, PageOffer, count_words, offer_text
from tui.text.content import literal
from tui.widgets.line_list import LineList
from vault.errors import VaultError

AGAIN_SECONDS = 0.3


@dataclass(frozen=True, slots=True)
class Offered:
    """What is offered for a text, of how many pages; `remark` says what is to know about it.

    Of what is not `is_whole` there will be more in a moment.
    """

    offers: tuple[Offer, ...]
    total: int
    remark: str = ""
    is_whole: bool = True


AskOffers = Callable[[str], Awaitable[Offered | None]]


class OfferList(LineList, can_focus=False):
    """The pages to jump to."""

    offers: Sequence[Offer] = ()

    def draw_row(self, row: int, width: int, is_lit: bool) -> Sequence[Content]:
        """One offer."""
        return (offer_text(self.offers[row], width, is_lit),)


class Switcher(ModalScreen[Found | None]):
    """Answers with the page to open or to write; None when the user stays where they are."""

    CSS_PATH = "looking.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "dismiss", show=False),
        Binding("f6", "dismiss", id="jump-article", show=False),
        Binding("f7", "look_elsewhere", id="search-wiki", show=False),
    ]

    def __init__(self, ask: AskOffers, words: str = "") -> None:
        """`ask` gives the offers for a text, None for one that is no longer asked for."""
        super().__init__()
        self._ask = ask
        self.words = words
        self._list = OfferList(id="switcher-list")
        self._remark = Static(Content(""), id="switcher-remark")
        self._box = Vertical(id="switcher")
        self._shown_for: str | None = None

    def compose(self) -> ComposeResult:
        """What is typed, offers, keys."""
        self._box.border_title = Content("Jump to an article")
        with self._box:
            yield LookingInput(self.words, "part of a name", id="switcher-words")
            yield self._list
            yield self._remark
            yield Static(id="switcher-hints")
        yield TooSmall()

    def on_mount(self) -> None:
        """Offer something at once."""
        self._remark.display = False
        keys = [each.binding for each in self.active_bindings.values()]
        search = [self.app.get_key_display(key) for key in keys if key.id == "search-wiki"]
        hints = f"Enter open · {''.join(search[:1]).upper()} search the text · Esc back"
        self.query_one("#switcher-hints", Static).update(literal(hints))
        self.query_one(Input).focus()
        self._offer()

    @on(Input.Changed)
    def follow(self, event: Input.Changed) -> None:
        """Another letter."""
        self.words = event.value
        self._offer()

    @on(Input.Submitted)
    async def submit(self, event: Input.Submitted) -> None:
        """Enter means what is typed, also when its offers are not there yet."""
        if self._shown_for != event.value:
            await self._show_offers(event.value)
        self.action_take()

    def action_move(self, by: int) -> None:
        """To another offer; over the end to the other one."""
        place = self._list.cursor + by
        self._list.cursor = place % self._list.count if self._list.count else 0

    def action_move_page(self, by: int) -> None:
        """By as many offers as are seen."""
        self._list.action_move_page(by)

    def action_move_to(self, row: int) -> None:
        """To the first or the last offer."""
        self._list.action_move_to(row)

    def action_look_elsewhere(self) -> None:
        """Search the text of the pages for the same words."""
        self.dismiss(LookElsewhere(self.words))

    @on(LineList.RowChosen)
    def action_take(self) -> None:
        """Open the page, or write a new one."""
        if not self._list.offers:
            return
        match self._list.offers[self._list.cursor]:
            case PageOffer(path=path):
                self.dismiss(OpenPage(path))
            case NewPageOffer(title=title, problem=""):
                self.dismiss(CreatePage(title))
            case NewPageOffer(problem=problem):
                self.notify(problem, severity="warning", markup=False)

    @work(group="offers")
    async def _offer(self) -> None:
        await self._show_offers(self.words)

    async def _show_offers(self, words: str) -> None:
        try:
            offered = await self._ask(words)
        except VaultError as error:
            offered = Offered((), 0, str(error))
        if offered is None or not self.is_attached:
            return
        place = self._list.cursor if self._shown_for == words else 0
        self._shown_for = words
        self._list.offers = offered.offers
        empty = "No page is called that." if words.strip() and offered.is_whole else ""
        self._list.show_rows(len(offered.offers), place, empty)
        self._list.keep_in_sight()
        self._remark.update(literal(offered.remark))
        self._remark.display = bool(offered.remark)
        self._box.border_subtitle = Content(count_words(offered.offers, offered.total, words))
        if not offered.is_whole:
            self.set_timer(AGAIN_SECONDS, self._offer)
