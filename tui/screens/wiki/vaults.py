"""Choosing another wiki: one of those that were open, or a folder."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from textual.app import App

from tui.screens.ask_text import AskTextScreen
from tui.screens.pick import PickScreen
from tui.screens.question import Choice, QuestionScreen
from vault.errors import NotAllowed
from vault.names import displayable
from vault.root import expand_root

_MAKE = Choice("make", "Make a wiki there", "primary")
_NOT_NOW = Choice("no", "Not now")
_SAVE = Choice("save", "Save and switch", "primary")
_DISCARD = Choice("discard", "Discard", "error")
_STAY = Choice("stay", "Stay")
_OTHER = "Another folder …"


async def choose_wiki(
    app: App[object], recent: Sequence[str], current: Path, asked: str
) -> Path | None:
    """The folder to open, or None. Call from a worker. Raises NotAllowed."""
    text = asked or await _pick(app, recent, current)
    if not text:
        return None
    root = expand_root(text, Path.home())
    if os.path.realpath(root) == os.path.realpath(current):
        raise NotAllowed(f"{_shown(root)} is the wiki that is open.")
    if root.exists() and not root.is_dir():
        raise NotAllowed(f"{_shown(root)} is a file; give the folder of a wiki.")
    return root if await _may_open(app, root) else None


async def may_lose_text(app: App[object]) -> str:
    """What to do with unsaved text: `save`, `discard`, or empty to stay. Call from a worker."""
    question = QuestionScreen("An article is not saved.", (_SAVE, _DISCARD, _STAY))
    answer = await app.push_screen_wait(question)
    return answer if answer in {_SAVE.id, _DISCARD.id} else ""


async def _pick(app: App[object], recent: Sequence[str], current: Path) -> str:
    others = [path for path in recent if os.path.realpath(path) != os.path.realpath(current)]
    lines = [_line(Path(path)) for path in others]
    if lines:
        chosen = await app.push_screen_wait(PickScreen("Open which wiki?", [*lines, _OTHER]))
        if chosen is None:
            return ""
        if chosen < len(others):
            return others[chosen]
    screen = AskTextScreen("Which folder? Any folder of Markdown files can be opened.", "~/")
    return await app.push_screen_wait(screen) or ""


async def _may_open(app: App[object], root: Path) -> bool:
    """A folder with something in it is opened as it is; a new one is asked about."""
    try:
        is_new = not root.exists() or not any(root.iterdir())
    except OSError:
        # Opening it says why it cannot be.
        return True
    if not is_new:
        return True
    question = QuestionScreen(f"There is nothing in {_shown(root)} yet.", (_MAKE, _NOT_NOW))
    return await app.push_screen_wait(question) == _MAKE.id


def _line(root: Path) -> str:
    gone = "" if root.is_dir() else " (gone)"
    return f"{root.name or root}  {_shown(root)}{gone}"


def _shown(root: Path) -> str:
    return displayable(str(root)).replace(displayable(str(Path.home())), "~", 1)
