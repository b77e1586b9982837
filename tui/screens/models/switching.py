"""Loading a model from the window: what could go wrong is asked about, what did is told."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Literal

from textual.app import App

from engine.client import EngineClient
from engine.errors import EngineError, OverBudget
from engine.models.builtin_source import FetchProgress
from engine.plan.contract import MemoryPlan, PlanOptions
from engine.wanted_model import ModelChoice, ModelReplaced
from tui.assistant.assistant import Assistant
from tui.messages import ModelFetched, ModelMissed
from tui.models.naming import model_name
from tui.models.shelf import Shop
from tui.models.startup import make_ready
from tui.models.switch import Switch

Tell = Callable[[ModelFetched | ModelMissed], None]
ERROR_SECONDS = 20.0


class Switching:
    """One model after another; to be used from workers, one at a time.

    `choose_again` opens the picker, and does not wait for it.
    """

    def __init__(
        self,
        app: App[None],
        engine: EngineClient,
        assistant: Assistant,
        shop: Shop,
        tell: Tell,
        choose_again: Callable[[], None],
    ) -> None:
        self._app = app
        self._engine = engine
        self._assistant = assistant
        self._shop = shop
        self._tell = tell
        self._choose_again = choose_again
        self.switch = Switch(engine)
        self.is_missing = False
        """No model answers, and none is being loaded."""

    async def switch_to(self, choice: ModelChoice) -> bool:
        """Load what the user chose, once nothing speaks against it; whether it answers now."""
        plan = await self._plan_of(choice)
        if plan is not None and not plan.fits:
            forced = await self._accept_risk(choice, plan)
            if forced is None:
                return False
            choice = forced
        if self._assistant.is_answering and not await self._settle_answer():
            return False
        return await self.load(choice)

    async def load(self, choice: ModelChoice) -> bool:
        """Load; where that fails, what worked before answers again, and the user knows why."""
        try:
            await make_ready(choice, self._shop.places, self.report_fetch)
            model = await self.switch.to(choice)
        except ModelReplaced:
            return False
        except OverBudget as error:
            return await self._load_over_budget(choice, error)
        except EngineError as error:
            self._tell_failure(choice, str(error))
            return False
        self.is_missing = False
        if model.draft_refusal:
            self.say(f"Answers come without drafts. {model.draft_refusal}")
        return True

    def miss(self, reason: str, notice: str = "") -> None:
        """There is no model to talk to; questions that wait fail with this sentence.

        `notice` is for the window, where the reason was read already.
        """
        self.is_missing = True
        self._engine.abandon_model(reason)
        self._tell(ModelMissed(notice or reason))

    def report_fetch(self, progress: FetchProgress) -> None:
        """The built-in model is on its way."""
        self._tell(ModelFetched(progress))

    def say(self, sentence: str, severity: Literal["information", "error"] = "information") -> None:
        """Tell the user; errors stay longer."""
        seconds = ERROR_SECONDS if severity == "error" else None
        self._app.notify(sentence, severity=severity, timeout=seconds, markup=False)

    async def _load_over_budget(self, choice: ModelChoice, error: OverBudget) -> bool:
        forced = await self._accept_risk(choice, await self._plan_of(choice) or str(error))
        if forced is not None:
            return await self.load(forced)
        if await self.switch.back() is None:
            name = model_name(choice.path)
            self.miss(str(error), f"{name} was not loaded; /model shows what else there is.")
        return False

    async def _accept_risk(self, choice: ModelChoice, why: MemoryPlan | str) -> ModelChoice | None:
        """The choice, forced, if the user wants it in spite of its plan."""
        from tui.screens.models.questions import too_big_text, what_about_the_size

        text = why if isinstance(why, str) else too_big_text(model_name(choice.path), why)
        match await what_about_the_size(self._app, text):
            case "anyway":
                return replace(choice, is_forced=True)
            case "another":
                self._choose_again()
                return None
            case "cancel":
                return None

    async def _settle_answer(self) -> bool:
        """Whether to go on while an answer is being written."""
        from tui.screens.models.questions import what_about_the_answer

        match await what_about_the_answer(self._app):
            case "stop":
                self._assistant.stop()
                return True
            case "wait":
                # The engine loads after the answer before it.
                return True
            case "cancel":
                return False

    async def _plan_of(self, choice: ModelChoice) -> MemoryPlan | None:
        """The plan, or None where loading will say what is wrong."""
        try:
            options = PlanOptions(adapter=choice.adapter, draft=choice.draft)
            plan = await self._engine.plan(choice.path, options)
            if not plan.fits and choice.is_draft_optional:
                alone = PlanOptions(adapter=choice.adapter)
                plan = await self._engine.plan(choice.path, alone)
            return plan
        except EngineError:
            return None

    def _tell_failure(self, choice: ModelChoice, reason: str) -> None:
        current = self.switch.current
        if current is None:
            self.miss(reason)
            return
        name = model_name(choice.path)
        self.say(f"{name}: {reason} {model_name(current.path)} answers again.", "error")
