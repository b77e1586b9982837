"""The articles of an answer: those it names in brackets, and those it looked at."""

from __future__ import annotations

from tui.assistant.memory_tools.articles import NamedArticle
from tui.widgets.chat.answer import AnswerView
from vault.links.scan import find_links


def articles_in(view: AnswerView) -> tuple[NamedArticle, ...]:
    """Each once, those that are named first."""
    named = (
        NamedArticle(link.label or link.target, link.target)
        for link in find_links(view.text)
        if link.is_wikilink and link.target
    )
    found: dict[str, NamedArticle] = {}
    for each in (*named, *view.look_ups.articles):
        found.setdefault(each.path.casefold().removesuffix(".md").rpartition("/")[2], each)
    return tuple(found.values())
