"""Theme files into themes, and what is wrong with the others."""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

from textual.theme import Theme

from tui.themes.check import BadTheme, to_theme

_LARGEST = 64 * 1024


@dataclass(frozen=True, slots=True)
class ThemeSet:
    """The usable themes by name, and each file that is not usable with the reason."""

    themes: Mapping[str, Theme]
    problems: tuple[tuple[Path, str], ...] = ()


def builtin_themes_dir() -> Path:
    """Where the themes that come with the program lie."""
    import themes

    return Path(next(iter(themes.__path__)))


def load_themes(dirs: Sequence[Path]) -> ThemeSet:
    """Read every `*.toml` of the folders, which may be missing; a later folder wins by name."""
    found: dict[str, Theme] = {}
    problems: list[tuple[Path, str]] = []
    for folder in dirs:
        names: set[str] = set()
        for path in theme_files(folder, problems):
            try:
                theme = to_theme({"name": path.stem, **_parsed(path)})
                if theme.name in names:
                    raise BadTheme(f"Another file in this folder is named {theme.name} too.")
            except BadTheme as error:
                problems.append((path, str(error)))
                continue
            names.add(theme.name)
            found[theme.name] = theme
    return ThemeSet(MappingProxyType(found), tuple(problems))


def theme_files(folder: Path, problems: list[tuple[Path, str]]) -> list[Path]:
    """The theme files of a folder, in order; notes when it cannot be read."""
    try:
        return sorted(path for path in folder.iterdir() if path.suffix == ".toml")
    except FileNotFoundError:
        return []
    except OSError as error:
        problems.append((folder, f"The folder cannot be read: {error.strerror}."))
        return []


def _parsed(path: Path) -> dict[str, Any]:
    try:
        if not path.is_file():
            raise BadTheme("It is not a regular file.")
        with path.open("rb") as file:
            data = file.read(_LARGEST + 1)
        if len(data) > _LARGEST:
            raise BadTheme("It is larger than 64 KiB: it cannot be a theme.")
        return tomllib.loads(data.decode("utf-8-sig"))
    except OSError as error:
        raise BadTheme(f"It cannot be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise BadTheme("It is not UTF-8 text.") from error
    except RecursionError as error:
        raise BadTheme("It is nested too deeply.") from error
    except ValueError as error:
        raise BadTheme(f"It is not valid TOML: {error}.") from error
