"""A change of several pages: shown before it is made, told about afterwards."""

from __future__ import annotations

from textual.app import App

from tui.screens.question import Choice, QuestionScreen
from tui.screens.wiki.lint_rows import counted
from tui.screens.wiki.preview import PreviewScreen, sections_of_page
from tui.screens.wiki.told import commit_words
from tui.widgets.diff.section import Section
from tui.wiki_session import WikiSession
from vault.article.splices import apply_edits
from vault.moving.change import MovePlan
from vault.moving.moved import Moved
from vault.names import displayable

_MOST_TOLD = 3


async def carry_out_asked(
    app: App[object], session: WikiSession, plan: MovePlan, question: str, deed: str
) -> Moved | None:
    """Show a plan and carry it out; None when the user would rather not. Raises VaultError."""
    asked = "\n".join([question, *_left(plan)])
    if plan.edits:
        sections = await session.ask(lambda _: _sections(plan))
        is_wanted = await app.push_screen_wait(PreviewScreen(asked, sections, deed))
    else:
        choices = (Choice("do", deed, "primary"), Choice("no", "Not now"))
        is_wanted = await app.push_screen_wait(QuestionScreen(asked, choices)) == "do"
    return await session.ask(lambda vault: vault.moves.carry_out(plan)) if is_wanted else None


def moved_words(moved: Moved, done: str) -> str:
    """What was done: the links that were written anew, the commit, and what was left."""
    edited, skipped = moved.carried.edited, moved.carried.skipped
    pages = sum(each.links > 0 for each in edited)
    links = f" Links on {counted(pages, 'page')} follow." if pages else ""
    left = f" Left as they are: {counted(len(skipped), 'page')}." if skipped else ""
    kept = f" It is in {moved.kept_in} now." if moved.kept_in else ""
    return f"{done}{links}{left}{kept} {commit_words(moved.commit)}"


def _sections(plan: MovePlan) -> tuple[Section, ...]:
    return tuple(
        section
        for edit in plan.edits
        for section in sections_of_page(
            edit.file.path, edit.file.text or "", apply_edits(edit.file.text or "", edit.edits)
        )
    )


def _left(plan: MovePlan) -> list[str]:
    told = [
        f"Left as it is: {displayable(each.path)} ({each.reason})."
        for each in plan.skipped[:_MOST_TOLD]
    ]
    more = len(plan.skipped) - _MOST_TOLD
    return [*told, f"And {more:,} more."] if more > 0 else told
