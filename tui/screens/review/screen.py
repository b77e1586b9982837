"""The review queue: what was proposed for the wiki, and the user's word on it."""

from __future__ import annotations

from typing import ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container
from textual.screen import Screen
from textual.widgets import Footer, OptionList, Static

from tui.screens.review.deeds import ReviewDeeds
from tui.screens.review.wording import about, proposal_line
from tui.screens.too_small import TooSmall
from tui.text.content import literal
from tui.widgets.diff.section import sections_of_parts
from tui.widgets.diff.view import DiffView
from tui.wiki_session import WikiSession
from vault.errors import VaultError
from vault.review.parts import Part, parts_of
from vault.review.proposal import Proposal
from vault.review.queue import ReviewQueue, review_dir


class ReviewScreen(Screen[None]):
    """Proposals on the left; on the right the parts of the chosen one, each with a box."""

    CSS_PATH = "../history/history.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "dismiss", "Close"),
        Binding("a", "accept", "Accept", id="review-accept"),
        Binding("space", "toggle_part", "Take part or not", id="review-part", priority=True),
        Binding("e", "edit", "Edit, then accept", id="review-edit"),
        Binding("x", "reject", "Reject", id="review-reject"),
        Binding("u", "take_back", "Take back", id="review-take-back"),
        Binding("d", "toggle_decided", "Decided ones", id="review-decided"),
        Binding("n", "go(1)", "Next part", show=False),
        Binding("p", "go(-1)", "Previous part", show=False),
        Binding("v", "draw('beside')", "Side by side", show=False),
        Binding("w", "draw('words')", "Words", show=False),
        Binding("tab", "app.focus_next", show=False),
    ]

    def __init__(self, session: WikiSession) -> None:
        super().__init__()
        self._queue = ReviewQueue(review_dir(session.location.data_dir, session.root))
        self._deeds = ReviewDeeds(self, session, self._queue)
        self._session = session
        self._proposals: tuple[Proposal, ...] = ()
        self._are_decided_shown = False
        self._parts: tuple[Part, ...] = ()
        self._taken: set[int] = set()

    def compose(self) -> ComposeResult:
        """Proposals, the chosen one, keys."""
        yield Static(id="review-title")
        with Container(id="review-body"):
            yield OptionList(id="review-list")
            with Container(id="review-side"):
                yield Static(id="review-said")
                yield DiffView(id="review-diff")
        yield Footer(compact=True)
        yield TooSmall()

    def on_mount(self) -> None:
        """Read what waits."""
        self._list.focus()
        self.look()

    @property
    def chosen(self) -> Proposal | None:
        """The highlighted proposal."""
        at = self._list.highlighted
        return self._proposals[at] if at is not None and at < len(self._proposals) else None

    @work(exclusive=True, group="review-look")
    async def look(self) -> None:
        """Read the proposals anew, staying where one is."""
        place = self._list.highlighted or 0
        try:
            found = await self._session.ask(
                lambda _: (
                    self._queue.decided() if self._are_decided_shown else self._queue.waiting()
                )
            )
            broken = await self._session.ask(lambda _: len(self._queue.unreadable()))
        except VaultError as error:
            self.notify(str(error), severity="warning", markup=False)
            return
        self._proposals = found
        self._list.clear_options()
        self._list.add_options(proposal_line(each) for each in found)
        state = "decided" if self._are_decided_shown else "waiting"
        damaged = f" · {broken} cannot be read" if broken else ""
        title = literal(f"Review · {len(found)} {state}{damaged}")
        self.query_one("#review-title", Static).update(title)
        if found:
            self._list.highlighted = min(place, len(found) - 1)
        else:
            self.show_chosen()

    @on(OptionList.OptionHighlighted)
    def show_chosen(self) -> None:
        """Another proposal: all of it is taken until the user says otherwise."""
        proposal = self.chosen
        said = about(proposal) if proposal is not None else ""
        self.query_one("#review-said", Static).update(literal(said))
        base = (proposal.base or "") if proposal is not None else ""
        self._parts = parts_of(base, proposal.text) if proposal is not None else ()
        self._taken = set(range(len(self._parts)))
        nothing = "Nothing waits for you: what is proposed for the wiki comes here."
        self._diff.show(sections_of_parts(base, self._parts, self._taken), nothing)

    @on(DiffView.SectionChosen)
    def toggle_clicked(self, event: DiffView.SectionChosen) -> None:
        """A click on a part's title takes it or leaves it."""
        self.action_toggle_part()

    def action_toggle_part(self) -> None:
        """Take the part one is at, or leave it."""
        proposal = self.chosen
        if proposal is not None and self._parts:
            self._taken ^= {self._diff.current}
            self._diff.redraw(sections_of_parts(proposal.base or "", self._parts, self._taken))

    def action_accept(self) -> None:
        """Write the parts that are taken."""
        proposal = self.chosen
        if proposal is None:
            return
        if not self._taken:
            self.notify("No part is taken: x rejects the proposal.", severity="warning")
            return
        is_whole = len(self._taken) == len(self._parts)
        self._deeds.accept(proposal, None if is_whole else frozenset(self._taken))

    def action_edit(self) -> None:
        """Edit what would be written, then write it."""
        if (proposal := self.chosen) is not None:
            self._deeds.edit(proposal, self._parts, frozenset(self._taken))

    def action_reject(self) -> None:
        """Keep it out of the wiki."""
        if (proposal := self.chosen) is not None:
            self._deeds.reject(proposal)

    def action_take_back(self) -> None:
        """Undo a decision."""
        if (proposal := self.chosen) is not None:
            self._deeds.take_back(proposal)

    def action_toggle_decided(self) -> None:
        """What is decided already, or what waits."""
        self._are_decided_shown = not self._are_decided_shown
        self.look()

    def action_go(self, by: int) -> None:
        """To the next or previous part, also from the list."""
        self._diff.action_go(by)

    async def action_draw(self, what: str) -> None:
        """How the difference is drawn."""
        await self._diff.run_action(f"toggle_{what}")

    @property
    def _list(self) -> OptionList:
        return self.query_one("#review-list", OptionList)

    @property
    def _diff(self) -> DiffView:
        return self.query_one(DiffView)
