"""Wikis to browse: listings as values, hostile names, and an app that hosts one part."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from textual.app import App, ComposeResult
from textual.widget import Widget

from tui.app import ZibApp
from tui.themes import builtin_themes_dir, load_themes, theme_variable_defaults
from tui.wiki_session import WikiSession
from vault.listing import Folder, Note, VaultListing
from vault.root import WikiLocation

SECOND = 10**9
DAY = 86_400 * SECOND

HOSTILE = (
    "[red]markup[/]",
    "[/x] closing",
    "[@click=app.quit]click[/]",
    "esc \x1b]52;c;aGk=\x07 here",
    "bidi \u202eevil\u2066",
    "two\nlines",
    "\u200b",
    "界" * 150,
    "e\u0301" * 40,
    "👩\u200d👩\u200d👧\u200d👦 family",
)
FORBIDDEN = ("\x1b", "\x07", "\u202e", "\u2066", "\u200b", "\n")


def note(path: str, title: str = "", modified_ns: int = 0) -> Note:
    """A page of the listing."""
    stem = path.rpartition("/")[2].removesuffix(".md")
    return Note(path, title or stem.replace("_", " "), 10, modified_ns)


def listing(notes: Iterable[Note]) -> VaultListing:
    """A listing of pages, in folders as their paths say."""
    pages = tuple(notes)
    return VaultListing(_folder("", pages), pages, (), True)


def _folder(path: str, notes: tuple[Note, ...]) -> Folder:
    start = f"{path}/" if path else ""
    below: dict[str, list[Note]] = {}
    here: list[Note] = []
    for each in notes:
        name, slash, _ = each.path.removeprefix(start).partition("/")
        (below.setdefault(name, []) if slash else here).append(each)
    folders = tuple(
        _folder(f"{start}{name}", tuple(found)) for name, found in sorted(below.items())
    )
    return Folder(path, path.rpartition("/")[2], folders, tuple(here))


def session(folder: Path) -> WikiSession:
    """A session whose wiki is not open."""
    return WikiSession(WikiLocation(folder / "wiki", folder / "consents", folder / "data"))


class Host(App[None]):
    """One part of the window with the colours of the whole."""

    CSS_PATH = Path(__file__).parents[2] / "tui" / "app.tcss"
    HORIZONTAL_BREAKPOINTS = ZibApp.HORIZONTAL_BREAKPOINTS
    VERTICAL_BREAKPOINTS = ZibApp.VERTICAL_BREAKPOINTS

    def __init__(self, part: Widget | None = None, theme: str = "zibaldone-dark") -> None:
        super().__init__()
        for each in load_themes([builtin_themes_dir()]).themes.values():
            self.register_theme(each)
        self.theme = theme
        self._part = part

    def compose(self) -> ComposeResult:
        """Only that part."""
        if self._part is not None:
            yield self._part

    def get_theme_variable_defaults(self) -> dict[str, str]:
        """As the whole window has them."""
        return theme_variable_defaults(self.current_theme)
