"""Where a link in some text leads: into the wiki, or out of the program."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlsplit

from textual.app import App

from tui.markdown.address import wiki_target
from tui.screens.clipboard import copy_text
from tui.screens.question import Choice, QuestionScreen

COPY = Choice("copy", "Copy the address", "primary")
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
    question = QuestionScreen(f"This link leads out of zib:\n\n{address}", (COPY, LEAVE_IT))
    if await app.push_screen_wait(question) == COPY.id:
        copy_text(app, address)
