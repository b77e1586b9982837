"""Where a link in some text leads: into the wiki, or out of the program."""

from __future__ import annotations

import os
import shutil
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from textual.app import App

from tui.markdown.address import wiki_target
from tui.screens.clipboard import copy_text
from tui.screens.question import Choice, QuestionScreen

if TYPE_CHECKING:
    from tui.screens.wiki.outside import Program

COPY = Choice("copy", "Copy the address", "primary")
OPEN = Choice("open", "Open in the browser")
LEAVE_IT = Choice("leave", "Leave it")


@dataclass(frozen=True, slots=True)
class ArticleLink:
    """A link to a note of the wiki."""

    target: str
    is_wikilink: bool


def article_link(href: str) -> ArticleLink | None:
    """The note a link means, or None when it is an address elsewhere."""
    target = wiki_target(href)
    if target is not None:
        return ArticleLink(target, is_wikilink=True)
    try:
        parts = urlsplit(href)
    except ValueError:  # no address of any kind, such as http://[x
        return None
    if parts.scheme or parts.netloc:
        return None
    return ArticleLink(href, is_wikilink=False)


async def offer_address(app: App[None], address: str) -> None:
    """Show an address, which does nothing until the user says so. Call from a worker."""
    from tui.screens.address import read_address, told
    from tui.screens.wiki.outside import start
    from vault import os_errors

    read = read_address(address)
    program = opener(address) if read.can_open else None
    choices = (COPY, *((OPEN,) if program else ()), LEAVE_IT)
    match await app.push_screen_wait(QuestionScreen(told(read), choices)):
        case COPY.id:
            copy_text(app, address)
        case OPEN.id if program is not None:
            try:
                start(program)
            except OSError as error:
                said = f"It could not be opened: {os_errors.reason(error)}."
                app.notify(said, severity="warning", markup=False)


def opener(address: str, platform: str = sys.platform) -> Program | None:
    """What shows a web address outside this terminal; None where nothing does."""
    if platform != "darwin" and not (
        os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    ):
        # What a browser in this terminal draws would end up in the middle of the window.
        return None
    from tui.screens.wiki.outside import Program

    found = shutil.which("open" if platform == "darwin" else "xdg-open")
    return Program(OPEN, (found, address)) if found else None
