"""What the picker draws from: the models there are, what each would cost, which one is loaded."""

from __future__ import annotations

import asyncio
from pathlib import Path

from engine.client import EngineClient
from engine.errors import EngineStopped
from engine.models.entry import ModelEntry
from engine.plan.contract import MemoryPlan, PlanOptions
from tui.models.adapters import find_adapters
from tui.models.downloads import Downloads
from tui.models.shelf import Shelf, Shop


class Supply:
    """Blocking work runs in threads."""

    def __init__(self, engine: EngineClient, downloads: Downloads, shop: Shop) -> None:
        self._engine = engine
        self.downloads = downloads
        self.shop = shop

    async def look(self) -> Shelf:
        """Every model on this machine, and those recommended for it that are not."""
        return await asyncio.to_thread(self._look)

    async def plan(self, entry: ModelEntry, options: PlanOptions) -> MemoryPlan:
        """What this model would cost. Raises RequestFailed."""
        return await self.plan_folder(entry.folder, options)

    async def plan_folder(self, folder: Path, options: PlanOptions) -> MemoryPlan:
        """What the model in this folder would cost. Raises RequestFailed."""
        try:
            return await self._engine.plan(str(folder), options)
        except EngineStopped:
            return await asyncio.to_thread(self.shop.plan, folder, options)

    async def find_adapters(self) -> tuple[Path, ...]:
        """The adapters in Zibaldone's own folder for them."""
        return await asyncio.to_thread(find_adapters, self.shop.adapters_dir)

    def _look(self) -> Shelf:
        # Reads the headers of many files, which no first frame waits for.
        from engine.models.library import find_models

        entries = find_models(self.shop.places)
        return Shelf(entries, self.shop.offers(entries))
