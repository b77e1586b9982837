"""What is asked when a page is no longer what it was when somebody began to edit it."""

from __future__ import annotations

from textual.app import App

from tui.screens.wiki.difference import DifferenceScreen
from tui.screens.wiki.ways import Way, WaysScreen
from vault.files import ArticleFile
from vault.names import displayable

MINE = Way("mine", "Keep mine", "Save what you wrote over it; theirs stays in the history")
THEIRS = Way("theirs", "Take theirs", "Show theirs; what you wrote goes into a conflict copy")
MERGED = Way("merged", "Merge", "Both in the editor, with marks where they say otherwise")
DIFFERENCE = Way("difference", "Difference", "Compare theirs with yours first")
STAY = Way("stay", "Go on editing", "Nothing is saved yet")
ANEW = Way("anew", "Save it again", "Make the page anew with what you wrote")
LEAVE_MARKS = Way("save", "Save it with the marks", "Other programs read them as text")


async def ask_about_clash(
    app: App[object], text: str, disk: ArticleFile, merged: str | None, *, is_unreadable: bool
) -> str:
    """Ask until there is a way; the difference is shown on the way. Call from a worker."""
    ways = [DIFFERENCE, STAY] if is_unreadable else [MINE, THEIRS, DIFFERENCE, STAY]
    if merged is not None:
        ways.insert(0, MERGED)
    question = (
        f"“{displayable(disk.path)}” was changed by another program while you edited it,"
        " in the same place."
    )
    while True:
        answer = await app.push_screen_wait(WaysScreen("Changed meanwhile", question, ways))
        if answer != DIFFERENCE.id:
            return answer or STAY.id
        screen = DifferenceScreen("Theirs (-) and yours (+)", disk.text or "", text)
        await app.push_screen_wait(screen)


async def ask_about_absence(app: App[object], path: str, moved_to: str | None) -> str:
    """Ask where a page that is gone is to be saved; "there" is its new place."""
    there = Way("there", f"Save it at {moved_to}", "The page was moved there")
    ways = [*([there] if moved_to else []), ANEW, STAY]
    became = "was moved" if moved_to else "was deleted"
    question = f"“{displayable(path)}” {became} by another program while you edited it."
    answer = await app.push_screen_wait(WaysScreen("Gone meanwhile", question, ways))
    return answer or STAY.id


async def may_keep_marks(app: App[object]) -> bool:
    """Whether a text with the marks of a merge may be saved."""
    question = "The text still has marks of a merge (<<<<<<< and >>>>>>>)."
    answer = await app.push_screen_wait(WaysScreen("Marks left", question, [STAY, LEAVE_MARKS]))
    return answer == LEAVE_MARKS.id
