"""`zib config` and `zib paths`."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table
from rich.text import Text

from tui.cli.run import EXIT_USAGE, print_error
from tui.paths import PathsError, ensure, find_paths
from tui.settings.errors import SettingsError
from tui.settings.render import get, render
from tui.settings.starter import starter_text
from tui.wiring import wire
from vault.errors import VaultError

_Refused = (SettingsError, PathsError, VaultError)


def print_settings() -> int:
    """Every key, its value and its source."""
    try:
        loaded = wire().loaded
    except _Refused as error:
        print_error(str(error))
        return EXIT_USAGE
    table = Table(box=None, pad_edge=False)
    for heading in ("key", "value", "from"):
        table.add_column(Text(heading), overflow="fold")
    for row in render(loaded):
        table.add_row(Text(row.key), Text(row.value), Text(row.source))
    Console().print(table)
    for warning in loaded.warnings:
        print_error(warning)
    return 0


def print_setting(key: str) -> int:
    """One value."""
    try:
        value = get(wire().loaded, key)
    except _Refused as error:
        print_error(str(error))
        return EXIT_USAGE
    Console(soft_wrap=True).print(Text(value))
    return 0


def print_config_path(create: bool) -> int:
    """Where config.toml is; with `create` a commented one is written if there is none."""
    try:
        file = find_paths().config_file
        if create:
            ensure(file.parent)
            # Mode x: never over a file of the user's.
            with file.open("x", encoding="utf-8") as stream:
                stream.write(starter_text())
    except FileExistsError:
        print_error(f"{file} is there already; it was left as it is.")
    except (PathsError, OSError) as error:
        print_error(str(error))
        return EXIT_USAGE
    Console(soft_wrap=True).print(Text(str(file)))
    return 0


def print_paths() -> int:
    """Where everything is kept."""
    try:
        wiring = wire()
        wiki = wiring.wiki_root
    except _Refused as error:
        print_error(str(error))
        return EXIT_USAGE
    places = wiring.paths
    table = Table(box=None, pad_edge=False, show_header=False)
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for name, path in (
        ("wiki", wiki),
        ("settings", places.config_file),
        ("themes", places.themes_dir),
        ("models", places.models_dir),
        ("data", places.data_dir),
        ("cache", places.cache_dir),
        ("state", places.state_dir),
        ("runtime", places.runtime_dir),
    ):
        table.add_row(Text(name), Text(str(path)))
    Console().print(table)
    return 0
