"""The one place that reads the global configuration and puts the parts together."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from engine.config import EngineConfig
from engine.models.builtin_source import BUILTIN_MODEL
from engine.models.places import find_places
from engine.process import EngineLaunch
from engine.protocol import Sampling
from tui.assistant.style import AnswerStyle
from tui.models.local_plan import local_planner
from tui.models.offers import offers_within
from tui.models.shelf import Shop
from tui.models.startup import FindChoice, Habits, ReportFetch, Startup
from tui.paths import Paths, find_paths
from tui.settings.load import Loaded, load_settings
from tui.settings.schema import ChatSettings, Settings
from vault.root import WikiLocation, expand_root

LAST_MODEL = "last-model"
"""The name of the file in the state folder that keeps what was chosen in the window."""


@dataclass(frozen=True, slots=True)
class Wiring:
    """Everything a command or the app is built from."""

    paths: Paths
    loaded: Loaded
    launch: EngineLaunch
    shop: Shop
    find_choice: FindChoice

    @property
    def settings(self) -> Settings:
        """The effective settings."""
        return self.loaded.settings

    @property
    def wiki_root(self) -> Path:
        """The folder of the memory wiki."""
        return expand_root(self.settings.wiki, Path.home())

    @property
    def wiki(self) -> WikiLocation:
        """The wiki, and what is remembered of it elsewhere."""
        return WikiLocation(self.wiki_root, self.paths.consents_dir, self.paths.data_dir)

    @property
    def corpora(self) -> Path | None:
        """A folder of other people's wikis, which benches measure on."""
        named = os.environ.get("ZIB_CORPORA")
        return Path(named) if named else None

    @property
    def is_model_named(self) -> bool:
        """Whether the command line says which model; a running one does not stand in for it."""
        return self.loaded.sources["model"].kind == "flag"

    @property
    def habits(self) -> Habits:
        """How the window comes by its model."""
        key = self.settings.keys.get("choose-model", "f5").partition(",")[0]
        last_file = self.paths.state_dir / LAST_MODEL
        return Habits(self.settings.model, last_file, self.find_choice, key.strip().title())

    async def find_model(self, report: ReportFetch) -> Path:
        """The folder of the model to start with. Raises ModelUnavailable."""
        return Path((await self.find_choice(report)).path)

    @property
    def answer_style(self) -> AnswerStyle:
        """The user's chat settings as the assistant wants them."""
        chat = self.settings.chat
        names = set(Sampling.__struct_fields__) & set(ChatSettings.__struct_fields__)
        sampling = Sampling(**{name: getattr(chat, name) for name in names})
        return AnswerStyle(chat.system_prompt, sampling, chat.max_tokens, chat.stop)


def wire(flags: Mapping[str, object] | None = None) -> Wiring:
    """Read environment, config.toml and flags. Raises SettingsError, PathsError."""
    paths = find_paths()
    loaded = load_settings(paths.config_file, os.environ, flags or {})
    settings = loaded.settings
    config = engine_config(settings, paths)
    shop = find_shop(settings, paths, config, os.environ, Path.home())
    last_file = paths.state_dir / LAST_MODEL
    engine = settings.engine
    draft = engine.draft_model if engine.drafts == "auto" else ""
    startup = Startup(settings.model, shop.adapter, shop.places, last_file, shop.plan, draft)
    return Wiring(paths, loaded, EngineLaunch(config), shop, startup)


def find_shop(
    settings: Settings,
    paths: Paths,
    config: EngineConfig,
    environment: Mapping[str, str],
    home: Path,
) -> Shop:
    """Where models and adapters are looked for, as the settings say."""
    models_dir = expand_root(settings.models, home) if settings.models else paths.models_dir
    builtin = paths.models_dir / BUILTIN_MODEL.name
    adapter = settings.engine.adapter
    places = find_places(models_dir, builtin, environment, home)

    async def fetch(repository: str, report: ReportFetch) -> Path:
        # Only a download needs the code for it.
        from engine.models.download import download_model

        return await download_model(repository, places.hub_cache, report)

    return Shop(
        places,
        paths.data_dir / "adapters",
        str(expand_root(adapter, home)) if adapter else "",
        offers_within(config.memory_limit_bytes),
        local_planner(config),
        fetch,
    )


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
        disk_tier_dir=str(paths.kept_dir),
        disk_tier_bytes=_bytes(engine.disk_tier),
        context_limit=engine.context,
        kv_bits=engine.kv_bits,
        kv_start_tokens=engine.kv_start,
        threads=engine.threads,
        is_wiring_allowed=engine.wired == "auto",
        is_drafting_allowed=engine.drafts == "auto",
        idle_unload_seconds=None if engine.idle_unload is None else engine.idle_unload * 60,
    )


def _bytes(gibibytes: float | None) -> int | None:
    return None if gibibytes is None else int(gibibytes * 1024**3)
