"""Settling a conflict copy: which of the two versions stays, or both."""

from __future__ import annotations

from dataclasses import dataclass

from textual.app import App

from tui.screens.wiki.difference import DifferenceScreen
from tui.screens.wiki.ways import Way, WaysScreen
from tui.wiki_session import WikiSession
from vault.conflicts import ConflictCopy, keep_page, merged_with_copy, put_merged, take_copy
from vault.errors import VaultError
from vault.merge import has_marks
from vault.names import displayable

TAKE = Way("take", "Take the copy", "The page becomes what the copy is; the copy goes")
KEEP = Way("keep", "Keep the page", "The copy goes; the history keeps it")
MERGE = Way("merge", "Merge both", "What clashes is marked, in the editor")
DIFFERENCE = Way("difference", "Difference", "Compare the two first")
OPEN = Way("open", "Open the copy", "Read it, and decide later")


@dataclass(frozen=True, slots=True)
class Settled:
    """What was done; `mixed` is a text with marks that the editor is to hold."""

    told: str = ""
    mixed: str | None = None
    is_opening_copy: bool = False


async def settle_copy(app: App[object], session: WikiSession, copy: ConflictCopy) -> Settled:
    """Ask until there is a way, and go it. Raises VaultError. Call from a worker."""
    ways = (TAKE, KEEP, MERGE, DIFFERENCE, OPEN) if copy.page else (TAKE, OPEN)
    page = displayable(copy.page) or "no page of that name"
    question = f"{displayable(copy.path)}\nbelongs to {page}."
    while True:
        answer = await app.push_screen_wait(WaysScreen("Conflict copy", question, ways))
        match answer:
            case TAKE.id:
                await session.ask(lambda vault: take_copy(vault, copy))
                return Settled("The page is what the copy was; the copy is gone.")
            case KEEP.id:
                await session.ask(lambda vault: keep_page(vault, copy))
                return Settled("The copy is gone; the history keeps it.")
            case MERGE.id:
                return await _merge(session, copy)
            case DIFFERENCE.id:
                await _compare(app, session, copy)
            case OPEN.id:
                return Settled(is_opening_copy=True)
            case _:
                return Settled()


async def _merge(session: WikiSession, copy: ConflictCopy) -> Settled:
    page, other = await session.read(copy.page), await session.read(copy.path)
    text = await session.ask(lambda _: merged_with_copy(page, other))
    if has_marks(text):
        told = "Both are in the editor. Put the marks right and save; the copy stays until then."
        return Settled(told, text)
    await session.ask(lambda vault: put_merged(vault, copy, page, text))
    return Settled("The page has what both said; the copy is gone.")


async def _compare(app: App[object], session: WikiSession, copy: ConflictCopy) -> None:
    try:
        page, other = await session.read(copy.page), await session.read(copy.path)
    except VaultError as error:
        app.notify(str(error), severity="warning", markup=False)
        return
    screen = DifferenceScreen("The page (-) and the copy (+)", page.text or "", other.text or "")
    await app.push_screen_wait(screen)
