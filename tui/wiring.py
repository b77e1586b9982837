"""The one place that reads the global configuration and puts the parts together."""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from engine.config import EngineConfig
from engine.process import EngineLaunch
from engine.protocol import Sampling
from tui.assistant.assistant import AnswerStyle
from tui.paths import Paths, ensure, find_paths
from tui.settings.load import Loaded, load_settings
from tui.settings.schema import Settings
from vault.root import expand_root

if TYPE_CHECKING:
    from engine.models.builtin import FetchProgress

ReportFetch = Callable[["FetchProgress"], None]
FindModel = Callable[[ReportFetch], Awaitable[Path]]


@dataclass(frozen=True, slots=True)
class Wiring:
    """Everything a command or the app is built from."""

    paths: Paths
    loaded: Loaded
    launch: EngineLaunch
    find_model: FindModel

    @property
    def settings(self) -> Settings:
        """The effective settings."""
        return self.loaded.settings

    @property
    def wiki_root(self) -> Path:
        """The folder of the memory wiki."""
        return expand_root(self.settings.wiki, Path.home())

    @property
    def answer_style(self) -> AnswerStyle:
        """The user's chat settings as the assistant wants them."""
        chat = self.settings.chat
        sampling = Sampling(chat.temperature, chat.top_p, chat.top_k, chat.min_p)
        return AnswerStyle(chat.system_prompt, sampling, chat.max_tokens)


def wire(flags: Mapping[str, object] | None = None) -> Wiring:
    """Read environment, config.toml and flags. Raises SettingsError, PathsError."""
    paths = find_paths()
    loaded = load_settings(paths.config_file, os.environ, flags or {})
    settings = loaded.settings
    config = engine_config(settings, paths)

    async def find_model(report: ReportFetch) -> Path:
        return await choose_model(settings.model, paths, report)

    return Wiring(paths, loaded, EngineLaunch(config), find_model)


def engine_config(settings: Settings, paths: Paths) -> EngineConfig:
    """The settings as the engine process wants them."""
    engine = settings.engine
    return EngineConfig(
        cache_dir=str(paths.engine_cache_dir),
        blas=settings.blas or None,
        prefill_step=engine.prefill_step,
        records_dir=str(paths.records_dir),
        memory_limit_bytes=_bytes(engine.memory_limit),
        prompt_cache_bytes=_bytes(engine.prompt_cache),
        context_limit=engine.context,
        threads=engine.threads,
        is_wiring_allowed=engine.wired == "auto",
        idle_unload_seconds=None if engine.idle_unload is None else engine.idle_unload * 60,
    )


def _bytes(gibibytes: float | None) -> int | None:
    return None if gibibytes is None else int(gibibytes * 1024**3)


async def choose_model(configured: str, paths: Paths, report: ReportFetch) -> Path:
    """The configured model folder, else the built-in model, fetched on first use.

    Raises ModelUnavailable.
    """
    if configured:
        return expand_root(configured, Path.home())
    # Only a machine that lacks the model needs the code that fetches it.
    from engine.models.builtin import ensure_builtin

    return await ensure_builtin(ensure(paths.models_dir), report)
