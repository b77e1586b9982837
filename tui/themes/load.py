"""Theme files into themes, and what is wrong with the others."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from textual.theme import Theme

from tui.themes.check import BadTheme, to_theme
from tui.toml_files import BadToml, read_table, toml_files


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
        for path in toml_files(folder, problems):
            try:
                theme = to_theme({"name": path.stem, **read_table(path, "a theme")})
                if theme.name in names:
                    raise BadTheme(f"Another file in this folder is named {theme.name} too.")
            except (BadTheme, BadToml) as error:
                problems.append((path, str(error)))
                continue
            names.add(theme.name)
            found[theme.name] = theme
    return ThemeSet(MappingProxyType(found), tuple(problems))
