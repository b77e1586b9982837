"""The Textual application: starts the engine, carries its news to the screen, applies themes."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import signal
from collections.abc import Iterable
from functools import partial
from typing import Literal

from textual import work
from textual.app import App, SystemCommand
from textual.binding import Binding
from textual.dom import DOMNode
from textual.screen import Screen

from engine.models.builtin_source import FetchProgress
from engine.protocol import MemoryReport
from engine.sharing.window import SharingRole, WindowEngine
from engine.status import EngineAsleep, EngineLoading, EngineReady, EngineStatus
from tui.assistant.assistant import Assistant
from tui.assistant.memory_tools.tool_desk import ToolDesk
from tui.assistant.recall.desk import RecallDesk
from tui.assistant.stored_chats import StoredChats
from tui.attention import Attention
from tui.messages import EngineStatusChanged, MemoryReported, ModelFetched, ModelMissed
from tui.models.downloads import Downloads, Ended
from tui.models.supply import Supply
from tui.palette.sources import commands
from tui.screens.chats.answer_desk import ChatHabits
from tui.screens.chats.desk import ChatDesk
from tui.screens.main import MainScreen
from tui.screens.models.desk import ModelDesk
from tui.screens.theme_choice import unknown_theme
from tui.status_wording import full_name
from tui.terminal_keys import teach_terminal_keys
from tui.text.content import literal
from tui.text.filter import install_gate
from tui.themes import builtin_themes_dir, load_themes, theme_variable_defaults
from tui.toml_files import watch_toml
from tui.verbs import VERBS
from tui.widgets.chat.prompt import Prompt
from tui.widgets.chat.prompt_history import PromptHistory
from tui.widgets.wiki.editing.keys import EDITOR_KEYS
from tui.widgets.wiki.place import WikiPlace
from tui.wiring import Wiring
from vault.errors import VaultError

COMPLAINT_SECONDS = 20.0
Severity = Literal["information", "warning", "error"]


class ZibApp(App[None]):
    """Holds the engine for as long as the program runs."""

    TITLE = "Zibaldone"
    CSS_PATH = "app.tcss"
    COMMANDS = {commands}  # noqa: RUF012  (Textual types it as an instance's)
    # Textual types these two as an instance's.
    HORIZONTAL_BREAKPOINTS = [(0, "-thin"), (40, "-narrow"), (80, "-medium"), (110, "-wide")]  # noqa: RUF012
    VERTICAL_BREAKPOINTS = [(0, "-flat"), (10, "-low"), (20, "-tall")]  # noqa: RUF012

    def __init__(self, wiring: Wiring) -> None:
        super().__init__()
        install_gate(self)
        teach_terminal_keys()
        self._wiring = wiring
        self._theme_dirs = [builtin_themes_dir(), wiring.paths.themes_dir]
        runtime_dir = wiring.paths.runtime_dir
        self._window = WindowEngine(wiring.launch, runtime_dir, self._hear_engine, self._hear_role)
        self.engine = self._window.client
        self.assistant = Assistant(
            self.engine,
            wiring.answer_style,
            self._before_question,
            StoredChats(wiring.paths.data_dir),
            self._model_name,
        )
        self._downloads = Downloads(wiring.shop.fetch, self._hear_download)
        supply = Supply(self.engine, self._downloads, wiring.shop)
        self.models = ModelDesk(
            self, self.engine, self.assistant, supply, wiring.habits, self._tell
        )
        self._attention = Attention(self, wiring.settings.ui.notify)
        habits = ChatHabits(wiring.settings.chat, wiring.paths.personas_dir)
        self.chats = ChatDesk(self, self.assistant, habits, self._attention, self._model_name)
        self._complaints: list[str] = list(wiring.loaded.warnings)
        self._apply_themes()
        self.theme = self._known_theme(wiring.settings.theme)

    def get_default_screen(self) -> Screen[None]:
        """The main screen, without an empty one drawn before it."""
        settings = self._wiring.settings
        return MainScreen(self.assistant, self.models, self.chats, self._wiring.wiki, settings.ui)

    def on_mount(self) -> None:
        """Draw first; everything slow starts once the first frame is on the screen."""
        self.animation_level = self._wiring.settings.ui.animations
        self.set_keymap(dict(self._wiring.settings.keys))
        # Before the first key can arrive: a question typed at once waits for the model.
        self.engine.expect_model()
        self.call_after_refresh(self._begin)

    async def on_unmount(self) -> None:
        """The engine and what is being downloaded are gone before the program is."""
        self._attention.user_is_back()
        await self.assistant.close()
        await self._downloads.close()
        await self.engine.close()

    def watch_app_focus(self, focus: bool) -> None:
        """The user looks here, or elsewhere."""
        if focus:
            self._attention.user_is_back()

    def get_system_commands(self, screen: Screen[object]) -> Iterable[SystemCommand]:
        """The palette offers every verb that needs no argument, and Textual's choice of themes."""
        inherited = super().get_system_commands(screen)
        yield from (command for command in inherited if command.title == "Theme")
        for verb in VERBS:
            if not verb.needs_argument:
                run = partial(self.run_action, verb.action, screen)
                yield SystemCommand(verb.label, verb.help, run)
        focused = screen.focused
        if focused is not None and focused.id == "editor":
            for key in EDITOR_KEYS:
                run = partial(self.run_action, key.action, focused)
                yield SystemCommand(key.description, key.tooltip, run)

    def action_command_palette(self) -> None:
        """Everything at once: commands, articles, headings."""
        from tui.palette.palette import Palette

        if not isinstance(self.screen, Palette):
            self.push_screen(Palette())

    async def action_quit(self) -> None:
        """Leave, unless the main screen has a question first."""
        for screen in self.screen_stack:
            if isinstance(screen, MainScreen):
                screen.leave()
                return
        self.exit()

    def notify(
        self,
        message: str,
        *,
        title: str = "",
        severity: Severity = "information",
        timeout: float | None = None,
        markup: bool = False,
    ) -> None:
        """As Textual's, but a message is never read as markup."""
        super().notify(
            literal(message).plain,
            title=title,
            severity=severity,
            timeout=timeout,
            markup=False,
        )

    def get_theme_variable_defaults(self) -> dict[str, str]:
        """Our own style variables, for themes that do not set them."""
        return theme_variable_defaults(self.current_theme)

    def handle_bindings_clash(self, clashed_bindings: set[Binding], node: DOMNode) -> None:
        """Tell which of the user's keys do two things."""
        self._complaints.append(f"[keys] in config.toml uses a key twice, on {node}.")

    def _begin(self) -> None:
        # What is loaded now stays; the collector need not look at it again.
        gc.freeze()
        # A long page is many small values at once, none of them garbage.
        gc.set_threshold(50_000, 20, 20)
        gc.enable()
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
            # Textual leaves the terminal in its own mode on these; leaving by hand restores it.
            loop.add_signal_handler(number, self._leave_at_once)
        self.engine.start()
        for place in self.screen.query(WikiPlace):
            self.assistant.tools = ToolDesk(place, self.engine.model)
            tokens = self._wiring.settings.chat.recall_tokens
            self.assistant.recall = RecallDesk(place, self.engine, tokens)
        for prompt in self.screen.query(Prompt):
            prompt.history_of_prompts = PromptHistory(self._wiring.paths.state_dir)
            prompt.has_chips = self._wiring.settings.chat.collapse_paste
        self._bring_up_model()
        self._follow_themes()
        self._show_complaints()

    @work(group="sharing")
    async def _bring_up_model(self) -> None:
        """What answers in another window answers here too, unless a model was named."""
        is_guest = await self._window.is_guest()
        is_served = isinstance(self.engine.status, EngineLoading | EngineReady | EngineAsleep)
        if self._wiring.is_model_named or not (is_guest and is_served):
            self.models.bring_up()

    @work(exclusive=True, group="themes")
    async def _follow_themes(self) -> None:
        personas_dir = self._wiring.paths.personas_dir
        async for _ in watch_toml([*self._theme_dirs[1:], personas_dir]):
            self._apply_themes()
            self._show_complaints()
            await self.chats.tell_bad_personas()

    def _leave_at_once(self) -> None:
        """Told to end: no questions can be asked, and no text may be lost."""
        for screen in self.screen_stack:
            if isinstance(screen, MainScreen):
                # Where it cannot be kept the second before is.
                with contextlib.suppress(VaultError):
                    screen.keep_unsaved_text()
        self.exit()

    def _show_complaints(self) -> None:
        while self._complaints:
            complaint = self._complaints.pop(0)
            self.notify(complaint, severity="warning", timeout=COMPLAINT_SECONDS, markup=False)

    def _apply_themes(self) -> None:
        found = load_themes(self._theme_dirs)
        for theme in found.themes.values():
            self.register_theme(theme)
        if self.is_running and self.theme in found.themes:
            self.refresh_css()
        self._complaints += [f"Theme {path.name}: {problem}" for path, problem in found.problems]

    def _known_theme(self, name: str) -> str:
        if name in self.available_themes:
            return name
        self._complaints.append(unknown_theme(name, self.available_themes))
        return "zibaldone-dark"

    def _before_question(self) -> None:
        self.models.ensure()

    def _model_name(self) -> str:
        status = self.engine.status
        return full_name(status.model) if isinstance(status, EngineReady | EngineAsleep) else ""

    def _hear_download(self, repository: str, news: FetchProgress | Ended) -> None:
        self.models.hear_download(repository, news)

    def _hear_role(self, role: SharingRole, sentence: str) -> None:
        if sentence:
            severity: Severity = "warning" if role == "alone" else "information"
            self.notify(sentence, severity=severity, markup=False)

    def _hear_engine(self, news: EngineStatus | MemoryReport) -> None:
        if isinstance(news, MemoryReport):
            self._tell(MemoryReported(news))
        else:
            self._tell(EngineStatusChanged(news))

    def _tell(
        self, message: MemoryReported | EngineStatusChanged | ModelFetched | ModelMissed
    ) -> None:
        for screen in self.screen_stack:
            if isinstance(screen, MainScreen):
                screen.post_message(message)
