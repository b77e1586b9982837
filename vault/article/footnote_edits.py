"""Adds footnotes that cite conversations."""

import re

from vault.article.page import Article
from vault.article.section_edits import append_to_section, insert_section
from vault.article.splices import Edit, Edits
from vault.errors import EditRefused

_NOT_HEX = re.compile(r"[^0-9a-f]")
_HASH_DIGITS = 8
_UNSAFE_SOURCE = re.compile(r"[(),\r\n]+")


def conversation_hash(conversation: str) -> str:
    """Return what a footnote cites a conversation by: the first eight hex digits of its id."""
    return _NOT_HEX.sub("", conversation.lower())[:_HASH_DIGITS]


def written_definition(
    number: int, conversation: str, date: str, source: str, note: str = ""
) -> str:
    """Write the definition of a footnote that cites a conversation."""
    if len(conversation) != _HASH_DIGITS or _NOT_HEX.search(conversation):
        raise EditRefused(f"“{conversation}” is no reference to a conversation.")
    where = ", ".join(
        " ".join(_UNSAFE_SOURCE.sub(" ", part).split()) for part in (date, source) if part
    )
    line = f"[^{number}]: `conv:{conversation}` ({where}) {' '.join(note.split())}"
    return line.rstrip()


def add_citation(
    article: Article, conversation: str, date: str, source: str, note: str = ""
) -> tuple[int, Edits]:
    """Return the number of the footnote that cites a conversation, and the edits that define it.

    One that is defined already is used again. A new definition comes behind the last one, or
    into a References section, which is added at the end of a page without one.
    """
    notes = article.footnotes
    for each in notes.definitions:
        if each.citation and each.citation.conversation == conversation and each.id.isdigit():
            return int(each.id), ()
    number = notes.highest_number + 1
    line = written_definition(number, conversation, date, source, note)
    references = article.section("References")
    inside = [each for each in notes.definitions if references and references.start < each.start]
    if inside and references and inside[-1].end <= references.end:
        place, line_break = inside[-1].end, article.layout.lines.break_near(inside[-1].start)
        is_mid_line = article.text[place - 1] not in "\r\n"
        entry = f"{line_break}{line}" if is_mid_line else f"{line}{line_break}"
        return number, (Edit(place, place, entry),)
    if references is not None:
        return number, append_to_section(article, references, line)
    return number, insert_section(article, "References", line)
