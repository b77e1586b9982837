"""The plans made while the picker is open."""

from __future__ import annotations

from engine.errors import EngineError
from engine.models.entry import ModelEntry
from engine.plan.contract import MemoryPlan, PlanOptions
from tui.models.shelf import Item, item_id
from tui.models.supply import Supply


class PlanBook:
    """One plan a model and conditions; a sentence where none can be made."""

    def __init__(self, supply: Supply) -> None:
        self._supply = supply
        self._plans: dict[tuple[str, PlanOptions], MemoryPlan | str] = {}

    def find(self, item: Item, options: PlanOptions) -> MemoryPlan | str | None:
        """What was planned last, or None when nothing was."""
        return self._plans.get((item_id(item), options))

    async def plan(self, entry: ModelEntry, options: PlanOptions) -> None:
        """Plan anew: memory comes and goes."""
        try:
            plan: MemoryPlan | str = await self._supply.plan(entry, options)
        except EngineError as error:
            plan = str(error)
        self._plans[item_id(entry), options] = plan

    def forget(self) -> None:
        """The models themselves may have changed."""
        self._plans.clear()
