"""Colour themes: TOML files whose keys are the fields of Textual's `Theme`.

A broken file is reported, never raised: one bad theme must not keep the app from starting.
"""

from tui.themes.load import ThemeSet, builtin_themes_dir, load_themes
from tui.themes.variables import OWN_VARIABLES, theme_variable_defaults
from tui.themes.watch import watch_themes

LIGHT, DARK = "zibaldone-light", "zibaldone-dark"

__all__ = [
    "DARK",
    "LIGHT",
    "OWN_VARIABLES",
    "ThemeSet",
    "builtin_themes_dir",
    "load_themes",
    "theme_variable_defaults",
    "watch_themes",
]
