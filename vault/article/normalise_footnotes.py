"""Brings the footnotes of an article into one-to-one order, from 1 up."""

import bisect
from collections.abc import Mapping

from vault.article.footnotes import Definition, Footnotes, Mark
from vault.article.page import Article
from vault.article.splices import Edit, Edits

_MOST_SPACES = 200


def are_in_order(notes: Footnotes) -> bool:
    """Tell whether marks and definitions are 1 to n, each once, no conversation cited by two."""
    defined = [each.id for each in notes.definitions]
    cited = [each.citation.conversation for each in notes.definitions if each.citation]
    numbers = {str(number + 1) for number in range(len(defined))}
    return (
        len(set(cited)) == len(cited)
        and set(defined) == numbers
        and {mark.id for mark in notes.marks} == numbers
    )


def footnote_edits(article: Article) -> Edits:
    """Return the edits that drop what has no counterpart, merge what cites the same, and number.

    A footnote that cites no conversation, or goes on for lines, is somebody's own text and is
    kept, marked or not.
    """
    notes = article.footnotes
    if are_in_order(notes):
        return ()
    chosen = _chosen(notes)
    used = [chosen[mark.id] for mark in notes.marks if mark.id in chosen]
    own = [each for each in notes.definitions if not _is_ours(each)]
    numbers: dict[Definition, int] = {}
    for definition in (*used, *own):
        numbers.setdefault(definition, len(numbers) + 1)
    dropped = [each for each in notes.definitions if each not in numbers]
    starts = [each.start for each in dropped]
    marks = [
        mark
        for mark in notes.marks
        if not (at := bisect.bisect_right(starts, mark.start)) or dropped[at - 1].end <= mark.start
    ]
    return (
        *(Edit(each.start, each.end, "") for each in dropped),
        *(edit for each in notes.definitions if each in numbers for edit in _label(each, numbers)),
        *_mark_edits(article.text, marks, {id: numbers.get(each) for id, each in chosen.items()}),
    )


def _chosen(notes: Footnotes) -> dict[str, Definition]:
    """Return the definition that each id means: the first of it, or of its conversation."""
    by_conversation: dict[str, Definition] = {}
    chosen: dict[str, Definition] = {}
    for each in notes.definitions:
        first = each
        if each.citation is not None and _is_ours(each):
            first = by_conversation.setdefault(each.citation.conversation, each)
        chosen.setdefault(each.id, first)
    return chosen


def _is_ours(definition: Definition) -> bool:
    """Tell whether a definition is one line that cites a conversation, as we write them."""
    return definition.citation is not None and not set("\r\n") & set(definition.text)


def _label(definition: Definition, numbers: Mapping[Definition, int]) -> Edits:
    label = f"[^{numbers[definition]}]:"
    start = definition.text_start - len(f"[^{definition.id}]:")
    return () if label[2:-2] == definition.id else (Edit(start, definition.text_start, label),)


def _mark_edits(text: str, marks: list[Mark], numbers: Mapping[str, int | None]) -> list[Edit]:
    edits = []
    last_end, last_number = -1, None
    for mark in marks:
        number = numbers.get(mark.id)
        before = text[max(0, mark.start - _MOST_SPACES) : mark.start]
        space = len(before) - len(before.rstrip(" \t"))
        is_repeated = number == last_number and mark.start - space == last_end
        if number is None or is_repeated:
            edits.append(Edit(mark.start - space, mark.end, ""))
        elif mark.id != str(number):
            edits.append(Edit(mark.start, mark.end, f"[^{number}]"))
        if number is not None:
            last_number = number
        last_end = mark.end
    return edits
