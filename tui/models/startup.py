"""Which model the program starts with."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from engine.errors import ModelUnavailable
from engine.models.entry import ModelEntry
from engine.models.places import ModelPlaces
from engine.plan.contract import MemoryPlan, PlanOptions
from engine.wanted_model import ModelChoice
from tui.models.local_plan import PlanFolder
from tui.models.remembered import remembered_model
from tui.paths import ensure

if TYPE_CHECKING:
    from engine.models.builtin_source import FetchProgress

ReportFetch = Callable[["FetchProgress"], None]
FindChoice = Callable[[ReportFetch], Awaitable[ModelChoice]]


@dataclass(frozen=True, slots=True)
class Habits:
    """What stands in the setting `model`, where the last choice is kept, and how one is found."""

    configured: str
    last_file: Path
    find_choice: FindChoice
    key: str
    """What opens the picker."""


@dataclass(frozen=True, slots=True)
class Startup:
    """The settings `model`, `engine.adapter` and `engine.draft_model`, and what to go by."""

    model: str
    adapter: str
    places: ModelPlaces
    last_file: Path
    plan: PlanFolder
    draft: str = ""

    async def __call__(self, report: ReportFetch) -> ModelChoice:
        """The configured model; else the one chosen last; else the largest that leaves room; else
        the built-in one, fetched on first use.

        Raises ModelUnavailable, with the candidates when the setting may mean several.
        """
        choice = await asyncio.to_thread(self._choose)
        await make_ready(choice, self.places, report)
        return choice

    def _choose(self) -> ModelChoice:
        # Reads the headers of many files, which no first frame waits for.
        from engine.models.choice import choose_loadable
        from engine.models.library import find_models

        choice = self._choose_model()
        if not self.draft:
            return choice
        try:
            draft = choose_loadable(find_models(self.places), self.draft)
        except ModelUnavailable as error:
            raise ModelUnavailable(f"The draft model (engine.draft_model): {error}") from error
        # Another model than the settings name may have been chosen since.
        return replace(choice, draft=str(draft.folder), is_draft_optional=not self.model)

    def _choose_model(self) -> ModelChoice:
        from engine.models.choice import choose_automatically, choose_loadable
        from engine.models.library import find_models

        if not self.model:
            last = remembered_model(self.last_file)
            if last is not None:
                return replace(last, adapter=self.adapter) if self.adapter else last
        entries = find_models(self.places)
        if self.model:
            entry = choose_loadable(entries, self.model)
        else:
            entry = choose_automatically(entries, self._plan)
        return ModelChoice(str(entry.folder), self.adapter)

    def _plan(self, entry: ModelEntry) -> MemoryPlan:
        return self.plan(entry.folder, PlanOptions(adapter=self.adapter))


async def make_ready(choice: ModelChoice, places: ModelPlaces, report: ReportFetch) -> None:
    """Fetch the built-in model where it is chosen and not here. Raises ModelUnavailable."""
    if str(places.builtin) in (choice.path, choice.draft):
        # Only a machine that lacks the model needs the code that fetches it.
        from engine.models.builtin import ensure_builtin

        await ensure_builtin(ensure(places.builtin.parent), report)
