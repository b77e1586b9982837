"""Noticing changed theme files."""

from collections.abc import AsyncGenerator, Sequence
from pathlib import Path

from tui.themes.load import ThemeSet, load_themes
from tui.toml_files import watch_toml


async def watch_themes(dirs: Sequence[Path]) -> AsyncGenerator[ThemeSet, None]:
    """The themes anew whenever a file changes; folders may come and go. Runs until closed."""
    async for _ in watch_toml(dirs):
        yield load_themes(dirs)
