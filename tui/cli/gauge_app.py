"""The gauge full-screen, in a window of its own, over the engine of the running app."""

from __future__ import annotations

import asyncio
import signal
from pathlib import Path
from typing import ClassVar

from textual import on, work
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.widgets import Footer

from engine.client import EngineClient
from engine.errors import EngineStopped
from engine.plan.contract import MemoryPlan, PlanOptions
from engine.protocol import MemoryReport
from engine.sharing.attach import attach
from engine.status import EngineDown, EngineRestarting, EngineStarting, EngineStatus
from tui.cli.gauge import NO_APP
from tui.models.shelf import Shelf, Shop
from tui.screens.what_if import WhatIfDesk
from tui.status_wording import engine_line
from tui.text.filter import install_gate
from tui.themes import DARK, builtin_themes_dir, load_themes, theme_variable_defaults
from tui.widgets.gauge.pane import GaugePane
from tui.widgets.gauge.what_if_box import WhatIfAsked, WhatIfModelAsked
from tui.wiring import Wiring

AGAIN_SECONDS = 1.0
BACK = "The gauge goes on when it is back; q leaves."


class GaugeApp(App[None]):
    """`problem` is a sentence when there was no app to begin with."""

    CSS_PATH = "gauge_app.tcss"
    TITLE = "Zibaldone"
    ENABLE_COMMAND_PALETTE = False
    BINDINGS: ClassVar[list[BindingType]] = [Binding("q,escape", "quit", "Quit")]

    def __init__(self, wiring: Wiring) -> None:
        super().__init__()
        install_gate(self)
        self._wiring = wiring
        self._client: EngineClient | None = None
        self.problem = ""
        themes = load_themes([builtin_themes_dir(), wiring.paths.themes_dir]).themes
        for theme in themes.values():
            self.register_theme(theme)
        wanted = wiring.settings.theme
        self.theme = wanted if wanted in self.available_themes else DARK

    def compose(self) -> ComposeResult:
        """The gauge and its keys."""
        yield GaugePane(id="memory")
        yield Footer(compact=True)

    def on_mount(self) -> None:
        """Look for the app, and look again whenever it has gone."""
        self.animation_level = self._wiring.settings.ui.animations
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
            loop.add_signal_handler(number, self.exit)
        self._pane.focus()
        self._follow()

    def get_theme_variable_defaults(self) -> dict[str, str]:
        """Our own style variables, for themes that do not set them."""
        return theme_variable_defaults(self.current_theme)

    @on(WhatIfAsked)
    @work(exclusive=True, group="what-if")
    async def plan_what_if(self, event: WhatIfAsked) -> None:
        """The gauge asks what another plan would cost."""
        await WhatIfDesk(self, self).plan(event)

    @on(WhatIfModelAsked)
    @work(exclusive=True, group="what-if-model")
    async def find_what_if_model(self, event: WhatIfModelAsked) -> None:
        """The gauge asks for another model to plan."""
        await WhatIfDesk(self, self).find_model(event)

    async def plan_folder(self, folder: Path, options: PlanOptions) -> MemoryPlan:
        """From the running engine while there is one. Raises RequestFailed."""
        try:
            if self._client is not None:
                return await self._client.plan(str(folder), options)
        except EngineStopped:
            pass
        return await asyncio.to_thread(self._wiring.shop.plan, folder, options)

    async def look(self) -> Shelf:
        """Every model on this machine."""
        return await asyncio.to_thread(_shelf, self._wiring.shop)

    @work(exclusive=True, group="follow")
    async def _follow(self) -> None:
        if not await self._attend():
            self.problem = NO_APP
            self.exit(return_code=1)
            return
        while True:
            await asyncio.sleep(AGAIN_SECONDS)
            await self._attend()

    async def _attend(self) -> bool:
        """Follow one app until its engine is gone; false when there was none."""
        ended = asyncio.Event()

        def hear(news: EngineStatus | MemoryReport) -> None:
            self._show(news)
            if isinstance(news, EngineDown):
                ended.set()

        client = await attach(self._wiring.paths.runtime_dir, hear)
        if client is None:
            return False
        async with client:
            self._client = client
            await ended.wait()
        self._client = None
        return True

    def _show(self, news: EngineStatus | MemoryReport) -> None:
        match news:
            case MemoryReport():
                self._pane.show_report(news)
            case EngineDown(reason=reason):
                self._pane.show_gone(f"{reason}\n\n{BACK}")
            case EngineStarting() | EngineRestarting():
                self._pane.show_gone(engine_line(news))
            case _:
                # What is loaded is in the reports.
                return

    @property
    def _pane(self) -> GaugePane:
        return self.query_one(GaugePane)


def _shelf(shop: Shop) -> Shelf:
    from engine.models.library import find_models

    return Shelf(find_models(shop.places))
