"""Answers the gauge's what-if: plans from the engine, models from the shelf."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

from textual.app import App

from engine.errors import EngineError, ModelUnavailable
from engine.plan.contract import MemoryPlan, PlanOptions
from tui.models.shelf import Shelf
from tui.screens.pick import PickScreen
from tui.widgets.gauge.what_if_box import WhatIfAsked, WhatIfModelAsked


class PlanSource(Protocol):
    """Who knows models and plans."""

    async def plan_folder(self, folder: Path, options: PlanOptions) -> MemoryPlan:
        """What the model in this folder would cost. Raises RequestFailed."""

    async def look(self) -> Shelf:
        """Every model on this machine."""


class WhatIfDesk:
    """Runs in workers of the screen; an engine that is gone stops nobody from planning."""

    def __init__(self, app: App[None], source: PlanSource) -> None:
        self._app = app
        self._source = source

    async def plan(self, event: WhatIfAsked) -> None:
        """What the asked model would cost as asked."""
        try:
            answer: MemoryPlan | str = await self._source.plan_folder(
                Path(event.path), event.options
            )
        except EngineError as error:
            answer = str(error)
        event.box.show_answer(event.number, answer)

    async def find_model(self, event: WhatIfModelAsked) -> None:
        """The model whose name was typed, or one picked from a list."""
        # Reads the headers of many files, which no first frame waits for.
        from engine.models.choice import choose_loadable

        entries = [entry for entry in (await self._source.look()).entries if not entry.problem]
        if event.words:
            try:
                entry = choose_loadable(entries, event.words)
            except ModelUnavailable as error:
                event.box.show_refusal(str(error))
                return
        else:
            screen = PickScreen("What if it were", [entry.name for entry in entries])
            chosen = await self._app.push_screen_wait(screen)
            if chosen is None:
                return
            entry = entries[chosen]
        event.box.show_model(str(entry.folder), entry.name)
