"""Narrowing the tree: every word typed stands in a page's name or in that of a group above it."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

from tui.widgets.wiki.outline_groups import Group
from vault.listing import Note
from vault.search.jump import fold

_MOST_KEPT = 100_000


class Narrowing:
    """Remembers how names compare, so that each is folded once."""

    def __init__(self) -> None:
        self._folded: dict[str, str] = {}

    def narrow(self, top: Group, text: str) -> Group:
        """Return the groups and pages that are left."""
        words = words_of(text)
        return self._narrowed(top, words) if words else top

    def _narrowed(self, group: Group, words: Sequence[str]) -> Group:
        title = self._fold(group.title)
        left = [word for word in words if word not in title]
        if not left:
            return group
        groups = tuple(
            found for each in group.groups if (found := self._narrowed(each, left)).total
        )
        notes = [note for note in group.notes if self._fits(note, left)]
        total = len(notes) + sum(each.total for each in groups)
        return Group(group.key, group.title, groups, notes, total)

    def _fits(self, note: Note, words: Sequence[str]) -> bool:
        title = self._fold(note.title)
        return all(word in title for word in words)

    def _fold(self, text: str) -> str:
        folded = self._folded.get(text)
        if folded is None:
            if len(self._folded) > _MOST_KEPT:
                self._folded.clear()
            folded = self._folded[text] = fold(text)
        return folded


def words_of(text: str) -> list[str]:
    """The words of a filter as names are compared."""
    return [fold(word) for word in text.split()]


def marks_in(title: str, words: Sequence[str]) -> tuple[str, list[tuple[int, int]]]:
    """The title as its places count, and where the words stand in it."""
    title = unicodedata.normalize("NFC", title)
    folded = fold(title)
    spans: list[tuple[int, int]] = []
    for word in words:
        at = folded.find(word)
        if at >= 0:
            spans.append((at, at + len(word)))
    return title, spans
