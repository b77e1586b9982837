"""The main screen: wiki, chat and gauge side by side; routes keys, commands and news."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.widgets import Footer

from engine.status import EngineDown, EngineReady
from tui.assistant.assistant import Assistant
from tui.messages import (
    EngineStatusChanged,
    MemoryReported,
    ModelFetched,
    ModelMissed,
    WikiOpened,
    WikiWanted,
)
from tui.palette.sources import articles, headings
from tui.screens.arrangement import Arrangement
from tui.screens.chat_actions import ChatActions
from tui.screens.engine_news import EngineNews
from tui.screens.help import HelpScreen
from tui.screens.help_rows import help_sections
from tui.screens.interrupt import Interrupt
from tui.screens.layout import PaneLayout
from tui.screens.leaving import Leaving
from tui.screens.link_actions import LinkActions
from tui.screens.remember_actions import RememberActions
from tui.screens.slash import run_slash
from tui.screens.theme_choice import choose_theme
from tui.screens.too_small import TooSmall
from tui.screens.what_if import WhatIfDesk
from tui.settings.schema import UiSettings
from tui.status_wording import thinking_words, wiki_lines
from tui.verbs import BINDINGS
from tui.widgets.chat.pane import ChatPane
from tui.widgets.gauge.pane import GaugePane
from tui.widgets.gauge.what_if_box import WhatIfAsked, WhatIfModelAsked
from tui.widgets.status_bar import StatusBar
from tui.widgets.wiki.place import WikiPlace
from vault.root import WikiLocation

if TYPE_CHECKING:
    from tui.screens.chats.desk import ChatDesk
    from tui.screens.models.desk import ModelDesk


class MainScreen(ChatActions, RememberActions, LinkActions):
    """Composes the panes and decides; draws nothing itself."""

    COMMANDS = {articles, headings}  # noqa: RUF012  (Textual types it as an instance's)
    BINDINGS: ClassVar[list[BindingType]] = [
        *BINDINGS,
        Binding("alt+l", "wiki_links", "Links", id="wiki-links", show=False, priority=True),
        Binding("alt+left", "wiki_back", "Back", id="wiki-back", show=False),
        Binding("alt+right", "wiki_forward", "Forward", id="wiki-forward", show=False),
    ]

    def __init__(
        self,
        assistant: Assistant,
        models: ModelDesk,
        chats: ChatDesk,
        wiki: WikiLocation,
        ui: UiSettings,
    ) -> None:
        super().__init__()
        self._assistant = assistant
        self._models = models
        self._chats = chats
        self._wiki = WikiPlace(wiki, ui.images, id="wiki")
        self._first_layout = PaneLayout(
            "side" if ui.show_wiki else "hidden", "side" if ui.show_gauge else "hidden"
        )
        self._leaving = Leaving(self._wiki)

    def compose(self) -> ComposeResult:
        """Status line, three panes, keys."""
        chat = ChatPane(self._assistant, id="chat")
        status_bar, gauge = StatusBar(id="status"), GaugePane(id="memory")
        self._news = EngineNews(status_bar, gauge, chat, self._models.remark)
        self._interrupt = Interrupt(self, chat, self.leave)
        self._panes = Arrangement(self, chat, self._first_layout)
        yield status_bar
        with Horizontal(id="panes"):
            yield self._wiki
            yield chat
            yield gauge
        yield Footer(compact=True)
        yield TooSmall()

    def on_mount(self) -> None:
        """Show the chosen panes and let the user type at once."""
        self._panes.apply()
        self._chat.prompt.focus()
        self.call_after_refresh(self._wiki.pane)

    def keep_unsaved_text(self) -> None:
        """The program is told to end. Raises VaultError."""
        self._wiki.keep_unsaved_text()

    @on(EngineStatusChanged)
    def show_engine_status(self, event: EngineStatusChanged) -> None:
        """The engine or its model changed state."""
        self._news.show_status(event.status)
        if isinstance(event.status, EngineDown):
            self.notify(event.status.reason, severity="error", markup=False)
        elif isinstance(event.status, EngineReady):
            self.run_worker(self._assistant.settle(), group="settle", exclusive=True)

    @on(MemoryReported)
    def show_memory(self, event: MemoryReported) -> None:
        """The gauge follows the engine."""
        self._news.show_report(event.report)

    @on(GaugePane.Seen)
    def share_gauge(self, event: GaugePane.Seen) -> None:
        """The status line has the figures while the pane is out of sight."""
        self.query_one(StatusBar).want_gauge(not event.is_seen)

    @on(WhatIfAsked)
    @work(exclusive=True, group="what-if")
    async def plan_what_if(self, event: WhatIfAsked) -> None:
        """The gauge asks what another plan would cost."""
        await WhatIfDesk(self.app, self._models.supply).plan(event)

    @on(WhatIfModelAsked)
    @work(exclusive=True, group="what-if-model")
    async def find_what_if_model(self, event: WhatIfModelAsked) -> None:
        """The gauge asks for another model to plan."""
        await WhatIfDesk(self.app, self._models.supply).find_model(event)

    @on(ModelFetched)
    def show_fetch(self, event: ModelFetched) -> None:
        """First use: the built-in model is on its way."""
        self._news.show_fetch(event.progress)

    @on(ModelMissed)
    def show_missing_model(self, event: ModelMissed) -> None:
        """Say what to do."""
        self._news.show_missing_model(event.reason)
        self.notify(event.reason, severity="error", timeout=20, markup=False)

    @on(WikiOpened)
    def show_wiki_facts(self, event: WikiOpened) -> None:
        """Which wiki is open."""
        self.query_one(StatusBar).show(left=wiki_lines(event.facts))

    @on(WikiWanted)
    def show_wiki(self) -> None:
        """An article is about to be shown."""
        self._panes.show_wiki()

    @on(ChatPane.SlashEntered)
    async def take_slash(self, event: ChatPane.SlashEntered) -> None:
        """Run a slash command."""
        await run_slash(self, event.text)

    def action_quit(self) -> None:
        """Leave."""
        self.leave()

    def action_help(self) -> None:
        """Keys and commands."""
        self.app.push_screen(HelpScreen(help_sections(self)))

    def action_toggle_gauge(self) -> None:
        """Show or hide the gauge."""
        self._panes.toggle_gauge()

    def action_what_if(self) -> None:
        """Ask the gauge what another plan would cost."""
        gauge = self.query_one(GaugePane)
        if not gauge.is_on_screen:
            self.action_toggle_gauge()
        self.call_after_refresh(gauge.action_what_if)

    def action_toggle_wiki(self) -> None:
        """Wiki beside the chat, alone, hidden."""
        self._panes.toggle_wiki()

    async def action_stop_or_back(self) -> None:
        """Stop the answer; otherwise go back to the prompt."""
        if self._chat.is_answering:
            self._chat.stop()
        elif not self._chat.give_up_revising() and self._chat.is_at_empty_prompt:
            await self._chat.choose_message()
        else:
            self._chat.leave_messages()
            self._panes.show_chat()

    def action_toggle_thinking(self) -> None:
        """Let the model think, forbid it, or leave it to the model."""
        self._assistant.toggle_thinking()
        self.notify(f"Thinking: {thinking_words(self._assistant.thinking)}.", markup=False)

    def action_expand_thinking(self) -> None:
        """Unfold or fold all thinking."""
        self._chat.toggle_thinking_shown()

    def action_copy_or_clear(self) -> None:
        """Copy, clear, stop or quit."""
        self._interrupt.press()

    def action_copy_answer(self) -> None:
        """Copy the newest answer."""
        self._interrupt.copy_answer()

    def action_choose_model(self, name: str = "") -> None:
        """Switch to the model of this name, or show what there is."""
        self._models.choose(name)

    def action_unload_model(self) -> None:
        """Free the model."""
        self._models.unload()

    def action_change_theme(self, name: str = "") -> None:
        """Switch to a theme, or list them."""
        choose_theme(self.app, name)

    @work(group="quit")
    async def leave(self) -> None:
        """Leave the program, but not with unsaved text."""
        await self._leaving.leave(self.app)
