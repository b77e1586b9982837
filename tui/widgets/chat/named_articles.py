"""The articles of a message: those it names in brackets, that were looked at, or read with it."""

from __future__ import annotations

from collections.abc import Iterator

from tui.assistant.memory_tools.articles import NamedArticle
from tui.assistant.recall.record import record_of, sources_of
from tui.widgets.chat.answer import AnswerView
from tui.widgets.chat.message_view import MessageView
from vault.links.scan import find_links


def articles_in(view: MessageView) -> tuple[NamedArticle, ...]:
    """Each once, those that are named first."""
    found: dict[str, NamedArticle] = {}
    for each in _articles(view):
        found.setdefault(each.path.casefold().removesuffix(".md").rpartition("/")[2], each)
    return tuple(found.values())


def _articles(view: MessageView) -> Iterator[NamedArticle]:
    for link in find_links(view.text):
        if link.is_wikilink and link.target:
            yield NamedArticle(link.label or link.target, link.target)
    if isinstance(view, AnswerView):
        yield from view.look_ups.articles
    if view.node is None:
        return
    record = record_of(view.node)
    for each in record.read if record else sources_of(view.node):
        yield NamedArticle(each.title, each.path)
