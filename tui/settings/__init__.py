"""Settings: one frozen snapshot from the command line, the environment, config.toml and defaults.

Knows no screen and finds nothing itself: the caller passes file, environment and flags.
"""

from tui.settings.errors import SettingsError
from tui.settings.load import Loaded, Source, load_settings
from tui.settings.render import Row, get, render
from tui.settings.schema import ChatSettings, EngineSettings, Settings, UiSettings
from tui.settings.snapshot import current, install
from tui.settings.starter import starter_text

__all__ = [
    "ChatSettings",
    "EngineSettings",
    "Loaded",
    "Row",
    "Settings",
    "SettingsError",
    "Source",
    "UiSettings",
    "current",
    "get",
    "install",
    "load_settings",
    "render",
    "starter_text",
]
