"""What the window does about models: brings one up, lets the user choose, frees it."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING

from textual.app import App
from textual.widgets import TextArea

from engine.client import EngineClient
from engine.errors import EngineError, ModelUnavailable
from engine.models.builtin_source import FetchProgress, ModelFetchFailed
from engine.protocol import ModelInfo
from engine.wanted_model import ModelChoice
from tui.assistant.assistant import Assistant
from tui.messages import ModelFetched, ModelMissed
from tui.models.downloads import Ended
from tui.models.naming import model_name
from tui.models.remembered import remember_model
from tui.models.startup import Habits
from tui.models.supply import Supply
from tui.screens.models.switching import Switching

if TYPE_CHECKING:
    from tui.screens.models.picker import ModelPicker

NOTHING_CHOSEN = "No model is chosen; /model shows what there is."


class ModelDesk:
    """Runs everything in workers of the app: one picker, one load at a time."""

    def __init__(
        self,
        app: App[None],
        engine: EngineClient,
        assistant: Assistant,
        supply: Supply,
        habits: Habits,
        tell: Callable[[ModelFetched | ModelMissed], None],
    ) -> None:
        self._app = app
        self._engine = engine
        self.supply = supply
        self._habits = habits
        self._switching = Switching(app, engine, assistant, supply.shop, tell, self.choose)
        self._picker: ModelPicker | None = None

    def bring_up(self) -> None:
        """Find the model to start with and load it."""
        self._run("model", self._bring_up())

    def ensure(self) -> None:
        """A question is on its way: what is missing is searched for, what was freed comes back."""
        if self._switching.is_missing:
            self._switching.is_missing = False
            self._engine.expect_model()
            self.bring_up()
        elif self._switching.switch.is_unloaded:
            self._engine.expect_model()
            self._run("model", self._come_back())
        elif not self._engine.is_model_wanted:
            # Another window that shares this engine freed it, or failed to load one.
            self._engine.expect_model()
            self.bring_up()

    def choose(self, name: str = "") -> None:
        """Switch to the model of this name, or open the picker."""
        self._run("picker", self._choose_by_name(name) if name else self._pick())

    def remark(self, model: ModelInfo) -> str:
        """What to say beside the name of a model, if anything."""
        is_demo = model.path == str(self.supply.shop.places.builtin)
        return f"a demo: {self._habits.key} gets a better one" if is_demo else ""

    def unload(self) -> None:
        """Free the model's memory until the next question."""
        self._run("model", self._unload())

    def hear_download(self, repository: str, news: FetchProgress | Ended) -> None:
        """A download went on or ended; the picker shows it, and its end is told anywhere."""
        if self._picker is not None and self._picker.is_attached:
            self._picker.show_download(repository, isinstance(news, Ended))
        match news:
            case Ended(problem=problem) if problem:
                self._switching.say(problem, "error")
            case Ended(folder=folder) if folder is not None:
                self._switching.say(f"{repository} is on this machine now; /model loads it.")
            case _:
                return

    async def _bring_up(self) -> None:
        try:
            choice = await self._habits.find_choice(self._switching.report_fetch)
        except EngineError as error:
            is_name_unclear = isinstance(error, ModelUnavailable) and self._habits.configured
            if is_name_unclear and not isinstance(error, ModelFetchFailed) and not self._is_typing:
                self._run("picker", self._pick(self._habits.configured, str(error)))
            else:
                self._switching.miss(str(error))
            return
        await self._switching.load(choice)

    async def _come_back(self) -> None:
        if await self._switching.switch.back() is None:
            self._switching.miss(NOTHING_CHOSEN)

    async def _pick(self, words: str = "", sentence: str = "") -> None:
        # Not needed for the first frame.
        from tui.screens.models.picker import ModelPicker

        current = self._switching.switch.current
        self._picker = ModelPicker(self.supply, current, words, sentence)
        choice = await self._app.push_screen_wait(self._picker)
        self._picker = None
        if choice is not None:
            self._run("model", self._switch_to(choice))
        elif current is None and sentence:
            self._switching.miss(NOTHING_CHOSEN)

    async def _choose_by_name(self, name: str) -> None:
        # Not needed for the first frame.
        from engine.models.choice import choose_loadable

        shelf = await self.supply.look()
        try:
            entry = choose_loadable(shelf.entries, name)
        except ModelUnavailable as error:
            await self._pick(name, str(error))
            return
        current = self._switching.switch.current
        adapter = current.adapter if current is not None else self.supply.shop.adapter
        choice = ModelChoice(str(entry.folder), adapter).with_draft_of(current)
        self._run("model", self._switch_to(choice))

    async def _switch_to(self, choice: ModelChoice) -> None:
        if not await self._switching.switch_to(choice):
            return
        remember_model(self._habits.last_file, choice)
        if self._habits.configured:
            self._switching.say(
                f"The next start uses {self._habits.configured}, as `model` in the settings says."
            )

    async def _unload(self) -> None:
        switch = self._switching.switch
        current = switch.current
        if current is None or switch.is_unloaded:
            self._switching.say("No model is loaded.")
            return
        try:
            await switch.unload()
        except EngineError as error:
            self._switching.say(str(error), "error")
            return
        name = model_name(current.path)
        self._switching.say(f"{name} is unloaded; the next question loads it again.")

    @property
    def _is_typing(self) -> bool:
        """Whether a screen that opens by itself would swallow what is being typed."""
        focused = self._app.screen.focused
        return isinstance(focused, TextArea) and bool(focused.text)

    def _run(self, group: str, work: Coroutine[None, None, None]) -> None:
        self._app.run_worker(work, group=group, exclusive=True)
