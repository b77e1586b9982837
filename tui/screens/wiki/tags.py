"""A new name for a tag: which tag, what name, what would change, then the deed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from textual.app import App

from tui.screens.ask_text import AskTextScreen
from tui.screens.pick import PickScreen
from tui.screens.wiki.lint_rows import counted
from tui.screens.wiki.preview import PreviewScreen, sections_of_page
from tui.screens.wiki.told import commit_words, sha_of
from tui.wiki_session import WikiSession
from vault.retagging import TagPlan, carry_out_tag_rename, plan_tag_rename
from vault.vault import Vault


async def rename_tag(app: App[object], session: WikiSession, asked: str) -> str:
    """Ask and do it; the commit's hash, or empty. Call from a worker. Raises VaultError.

    `asked` is the tag, and maybe its new name behind a blank.
    """
    old, _, new = asked.partition(" ")
    tags = await session.ask(_tags)
    if not old:
        old = await _choose(app, tags)
    if not old:
        return ""
    if not new.strip():
        names = [name for name, _ in tags]
        typed = await app.push_screen_wait(
            AskTextScreen(f"What is #{old.removeprefix('#')} to be called?", old, names)
        )
        new = typed or ""
    if not new.strip():
        return ""
    plan = await session.ask(lambda vault: plan_tag_rename(vault, old, new))
    if not await app.push_screen_wait(_preview(plan)):
        return ""
    commit = await session.ask(lambda vault: carry_out_tag_rename(vault, plan))
    pages = counted(len(plan.pages), "page")
    app.notify(f"#{plan.old} is #{plan.new} on {pages} now. {commit_words(commit)}", markup=False)
    return sha_of(commit)


async def _choose(app: App[object], tags: Sequence[tuple[str, int]]) -> str:
    if not tags:
        app.notify("No page has a tag.", severity="warning", markup=False)
        return ""
    lines = [f"#{name}  {pages:,}" for name, pages in tags]
    chosen = await app.push_screen_wait(PickScreen("Rename which tag?", lines))
    return "" if chosen is None else tags[chosen][0]


def _preview(plan: TagPlan) -> PreviewScreen:
    places = counted(plan.places, "place")
    pages = counted(len(plan.pages), "page")
    question = f"Rename #{plan.old} to #{plan.new}: {places} on {pages}, one commit."
    if plan.is_merge:
        question += f" Some pages have #{plan.new} already: the two become one."
    if plan.skipped:
        first = plan.skipped[0]
        question += (
            f" {counted(len(plan.skipped), 'page')} cannot be changed:"
            f" {first.path} ({first.reason})."
        )
    sections = [
        section
        for page in plan.pages
        for section in sections_of_page(page.file.path, page.file.text or "", page.text)
    ]
    return PreviewScreen(question, sections, "Rename")


def _tags(vault: Vault) -> tuple[tuple[str, int], ...]:
    """Every tag with the number of its pages, most used first."""
    with vault.index.reading() as connection:
        rows: Any = connection.execute(
            "SELECT min(text), count(DISTINCT page) FROM tag GROUP BY key ORDER BY 2 DESC, key"
        ).fetchall()
    return tuple((str(name), int(pages)) for name, pages in rows)
