"""What is asked about text that was typed and not saved before a window went away."""

from __future__ import annotations

from textual.app import App

from tui.screens.wiki.difference import DifferenceScreen
from tui.screens.wiki.ways import Way, WaysScreen
from vault.drafts import Draft
from vault.names import displayable

RECOVER = Way("recover", "Recover it", "Into the editor, unsaved")
DIFFERENCE = Way("difference", "Difference", "Compare it with the page as it is")
DISCARD = Way("discard", "Discard it", "It is gone for good")
LATER = Way("later", "Not now", "It stays, and this is asked again")


async def ask_about_draft(app: App[object], draft: Draft, now: str) -> str:
    """Ask until there is a way. `now` is the page's text. Call from a worker."""
    when = draft.saved_at.replace("T", " ")[:16]
    question = f"Text typed in “{displayable(draft.path)}” was not saved ({when})."
    ways = (RECOVER, DIFFERENCE, DISCARD, LATER)
    while True:
        answer = await app.push_screen_wait(WaysScreen("Unsaved text", question, ways))
        if answer != DIFFERENCE.id:
            return answer or LATER.id
        await app.push_screen_wait(
            DifferenceScreen("The page (-) and the draft (+)", now, draft.text)
        )
