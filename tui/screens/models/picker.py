"""The model picker: what there is, and what the highlighted model would cost."""

from __future__ import annotations

import asyncio
from typing import ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container
from textual.screen import ModalScreen
from textual.widgets import Footer, Input, OptionList, Static

from engine.models.entry import ModelEntry
from engine.wanted_model import ModelChoice
from tui.models.shelf import Item, Offer, Shelf, first_choice, item_id, sections
from tui.models.supply import Supply
from tui.screens.models.adapter import AdapterScreen
from tui.screens.models.detail import Detail
from tui.screens.models.model_list import ModelList
from tui.screens.models.plan_book import PlanBook
from tui.screens.models.questions import ask_about_download
from tui.screens.models.rows import Known
from tui.screens.models.stepper import Stepper
from tui.screens.models.what_if import WhatIf
from tui.screens.too_small import TooSmall
from tui.text.content import literal

PLAN_DELAY_SECONDS = 0.1
ROUND = ("picker-filter", "picker-context", "picker-kv", "picker-detail")
"""The order of Tab: what the key promises comes first."""


class Filter(Input):
    """Takes Enter after all that was typed before it, so that it means what is seen then."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("enter", "submit", "Load")]


class ModelPicker(ModalScreen[ModelChoice | None]):
    """Answers with the model to load; None when the user leaves it as it is."""

    CSS_PATH = "picker.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "use", "Load"),
        Binding("tab", "go_round(1)", "What if"),
        Binding("shift+tab", "go_round(-1)", show=False),
        Binding("f6", "choose_adapter", "LoRA"),
        Binding("escape", "dismiss", "Close"),
        Binding("up", "move('cursor_up')", show=False),
        Binding("down", "move('cursor_down')", show=False),
        Binding("pageup", "move('page_up')", show=False),
        Binding("pagedown", "move('page_down')", show=False),
    ]

    def __init__(
        self,
        supply: Supply,
        loaded: ModelChoice | None = None,
        words: str = "",
        sentence: str = "",
    ) -> None:
        """`words` are in the filter at first; `sentence` says why the picker is open."""
        super().__init__()
        self._supply = supply
        self._loaded = loaded
        self._words = words
        self._sentence = sentence
        self._shelf = Shelf()
        self._book = PlanBook(supply)
        self._list = ModelList(self._known, id="picker-list")
        self._detail = Detail(id="picker-detail")
        self._what_if = WhatIf(
            loaded.adapter if loaded else supply.shop.adapter, id="picker-what-if"
        )

    def compose(self) -> ComposeResult:
        """Filter, list beside plan, what-if line, keys."""
        yield Static(literal(self._sentence), id="picker-sentence")
        yield Filter(self._words, placeholder="type to filter", id="picker-filter", compact=True)
        with Container(id="picker-body"):
            yield self._list
            yield self._detail
        yield self._what_if
        yield Footer(compact=True)
        yield TooSmall()

    def on_mount(self) -> None:
        """Look for models once the screen is there."""
        self.query_one("#picker-sentence").display = bool(self._sentence)
        self.query_one(Input).focus()
        self._look()

    def show_download(self, repository: str, is_over: bool) -> None:
        """A download went on or ended."""
        if is_over:
            self._look()
        for item in self._list.items:
            if isinstance(item, Offer) and item.repository == repository:
                self._list.redraw(item)
        self._show_detail()

    @on(Input.Changed, "#picker-filter")
    def filter(self, event: Input.Changed) -> None:
        """Show what matches what is typed so far."""
        self._words = event.value
        self._show_list()

    @on(OptionList.OptionHighlighted, "#picker-list")
    def follow_highlight(self) -> None:
        """Another model: its own plan or none, at once."""
        item = self._list.item
        window = item.context_window if isinstance(item, ModelEntry) else 0
        self._what_if.fit_window(window)
        self._show_detail()
        self._plan_highlighted()

    @on(Stepper.Changed)
    def follow_what_if(self) -> None:
        """The same model under other conditions."""
        self._show_detail()
        self._plan_highlighted()

    @on(OptionList.OptionSelected, "#picker-list")
    @on(Input.Submitted, "#picker-filter")
    def use_chosen(self) -> None:
        """A line was chosen by mouse, or by Enter in the filter."""
        self.action_use()

    def action_move(self, action: str) -> None:
        """Move the highlight while the filter has the focus."""
        getattr(self._list, f"action_{action}")()

    def action_go_round(self, by: int) -> None:
        """Focus the next or the previous of what can be changed or scrolled."""
        here = self.focused.id if self.focused is not None else None
        index = ROUND.index(here) + by if here in ROUND else 0
        self.query_one(f"#{ROUND[index % len(ROUND)]}").focus()

    def action_use(self) -> None:
        """Load the highlighted model, or start or stop its download."""
        match self._list.item:
            case Offer() as offer:
                self._ask_about_download(offer)
            case ModelEntry(problem=problem) if problem:
                self.notify(problem, severity="warning", markup=False)
            case ModelEntry(folder=folder):
                choice = ModelChoice(str(folder), self._what_if.adapter)
                self.dismiss(choice.with_draft_of(self._loaded))
            case None:
                return

    @work(exclusive=True, group="adapter")
    async def action_choose_adapter(self) -> None:
        """Choose the LoRA folder to load with the model."""
        chosen = await self.app.push_screen_wait(
            AdapterScreen(self._supply.find_adapters, self._what_if.adapter)
        )
        if chosen is not None:
            self._what_if.show_adapter(chosen)
            self.follow_what_if()
            self._judge_all()

    @work(exclusive=True, group="download")
    async def _ask_about_download(self, offer: Offer) -> None:
        await ask_about_download(self.app, self._supply, offer)
        self._list.redraw(offer)
        self._show_detail()

    @work(exclusive=True, group="shelf")
    async def _look(self) -> None:
        self._shelf = await self._supply.look()
        self._book.forget()
        if self._words and not sections(self._shelf, self._words):
            # What was asked for is not here; then everything is a candidate.
            self.query_one(Input).value = ""
        self._show_list()

    def _show_list(self) -> None:
        item = self._list.item
        if item is not None:
            preferred = item_id(item)
        else:
            loaded = self._loaded.path if self._loaded is not None else ""
            preferred = first_choice(self._shelf, loaded, self._supply.shop.places.builtin)
        self._list.show(sections(self._shelf, self._words), preferred)
        if self._list.item is None:
            self._show_detail()
        self._judge_all()

    @work(exclusive=True, group="plan")
    async def _plan_highlighted(self) -> None:
        """Plan anew, also what was planned before: memory comes and goes."""
        await asyncio.sleep(PLAN_DELAY_SECONDS)
        item = self._list.item
        if isinstance(item, ModelEntry) and not item.problem:
            await self._book.plan(item, self._what_if.options)
            self._list.redraw(item)
            self._show_detail()

    @work(exclusive=True, group="badges")
    async def _judge_all(self) -> None:
        for item in self._list.items:
            if isinstance(item, ModelEntry) and not item.problem and not self._known(item).plan:
                await self._book.plan(item, self._what_if.as_set)
                self._list.redraw(item)

    def _known(self, item: Item) -> Known:
        """For the list: every model under the same conditions."""
        progress = (
            self._supply.downloads.progress(item.repository) if isinstance(item, Offer) else None
        )
        is_loaded = self._loaded is not None and item_id(item) == self._loaded.path
        return Known(self._book.find(item, self._what_if.as_set), progress, is_loaded)

    def _show_detail(self) -> None:
        item = self._list.item
        known = Known() if item is None else self._known(item)
        if item is not None:
            plan = self._book.find(item, self._what_if.options)
            known = Known(plan, known.progress, known.is_loaded)
        self._detail.show(item, known)
