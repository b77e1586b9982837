"""Hands the open article to another program: Obsidian, or the file manager."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from textual.app import App

from tui.document.picture_header import PictureHeader
from tui.screens.question import Choice, QuestionScreen
from vault import os_errors
from vault.obsidian import is_obsidian_vault

LEAVE = Choice("leave", "Not now")
_FORMAT_OF_SUFFIX = {
    ".png": "PNG",
    ".jpg": "JPEG",
    ".jpeg": "JPEG",
    ".gif": "GIF",
    ".webp": "WebP",
}


@dataclass(frozen=True, slots=True)
class Program:
    """A program that is there: what its button says, and the command that opens it."""

    choice: Choice
    command: tuple[str, ...]


def programs(root: Path, path: str, platform: str = sys.platform) -> tuple[Program, ...]:
    """What can open the page at `path`, or the wiki where it is empty; nothing without an opener.

    Obsidian is offered for vaults of its own only: it would make any other folder one.
    """
    opener = shutil.which("open" if platform == "darwin" else "xdg-open")
    if opener is None:
        return ()
    file = root / path if path else root
    found = []
    if is_obsidian_vault(root):
        address = f"obsidian://open?path={quote(str(file), safe='', errors='surrogateescape')}"
        found.append(Program(Choice("obsidian", "Obsidian", "primary"), (opener, address)))
    # Elsewhere than on macOS a file would be opened, not shown.
    shown = ("-R", str(file)) if platform == "darwin" else (str(file.parent if path else file),)
    found.append(Program(Choice("files", "File manager"), (opener, *shown)))
    return tuple(found)


def file_programs(
    file: Path, picture: PictureHeader | None, platform: str = sys.platform
) -> tuple[Program, ...]:
    """What can open a file that is no page, `picture` being what its first bytes say it is.

    Only a picture of that suffix is opened: openers go by the suffix, and could run another file.
    """
    opener = shutil.which("open" if platform == "darwin" else "xdg-open")
    if opener is None:
        return ()
    shown = ("-R", str(file)) if platform == "darwin" else (str(file.parent),)
    folder = Program(Choice("files", "File manager"), (opener, *shown))
    if picture is None or _FORMAT_OF_SUFFIX.get(file.suffix.lower()) != picture.format:
        return (folder,)
    return Program(Choice("open", "Open", "primary"), (opener, str(file))), folder


async def offer_programs(app: App[object], found: Sequence[Program], shown: str) -> None:
    """Ask what is to open what is called `shown`, and start it. Call from a worker."""
    if not found:
        app.notify("There is no program here that opens files.", severity="warning", markup=False)
        return
    choices = (*(program.choice for program in found), LEAVE)
    answer = await app.push_screen_wait(QuestionScreen(f"Open {shown} elsewhere?", choices))
    for program in found:
        if program.choice.id == answer:
            try:
                start(program)
            except OSError as error:
                said = f"It could not be started: {os_errors.reason(error)}."
                app.notify(said, severity="warning", markup=False)


def start(program: Program) -> None:
    """Start it, apart from this terminal. Raises OSError."""
    subprocess.Popen(
        program.command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        cwd="/",
    )
