"""The order of an article's parts, and what is wrong with it."""

import itertools
from dataclasses import dataclass
from enum import Enum

from vault.article.fences import open_fence
from vault.article.opening import first_paragraph
from vault.article.page import Article
from vault.article.section_edits import CLOSING_TITLES, closing_rank
from vault.names import title_of


class PartKind(Enum):
    """What a part of an article is."""

    TITLE = "h1"
    STUB = "stub"
    SERIES = "series"
    CATEGORIES = "categories"
    INFOBOX = "infobox"
    LEAD = "lead"
    SECTION = "section"
    SEE_ALSO = "see-also"
    NOTES = "notes"
    REFERENCES = "references"


_CLOSING_PARTS = {
    "see also": PartKind.SEE_ALSO,
    "notes": PartKind.NOTES,
    "references": PartKind.REFERENCES,
}


@dataclass(frozen=True, slots=True)
class Part:
    """One part with its first and last line, counted from 1. A section includes its subsections."""

    kind: PartKind
    title: str
    first_line: int
    last_line: int


@dataclass(frozen=True, slots=True)
class Fault:
    """One departure from the grammar: a sentence, and the line it is on, counted from 1."""

    message: str
    line: int


def read_structure(article: Article) -> tuple[Part, ...]:
    """Return the parts of an article in the order of the page."""
    opening, heading, parts = article.opening, article.heading, []
    if heading is not None:
        parts.append(_part(article, PartKind.TITLE, heading.title, heading.start, heading.end))
    for kind, piece in (
        (PartKind.STUB, opening.stub),
        (PartKind.SERIES, opening.series),
        (PartKind.LEAD, opening.lead),
        *((PartKind.CATEGORIES, line) for line in opening.category_lines),
    ):
        if piece is not None:
            text = piece.text if kind is PartKind.SERIES else ""
            parts.append(_part(article, kind, text, piece.start, piece.end))
    if article.infobox is not None:
        box = article.infobox
        parts.append(_part(article, PartKind.INFOBOX, "", box.start, box.end))
    for section in article.sections:
        if section.level == 2:
            kind = _CLOSING_PARTS.get(section.title.casefold(), PartKind.SECTION)
            parts.append(_part(article, kind, section.title, section.start, section.tree_end))
    return tuple(sorted(parts, key=lambda part: part.first_line))


def find_faults(article: Article, stem: str | None = None) -> tuple[Fault, ...]:
    """Return where an article departs from the grammar, in the order of the page.

    With `stem`, the name of its file, the title must be that name.
    """
    faults = [*grammar_faults(article, stem), *footnote_faults(article)]
    return tuple(sorted(faults, key=lambda fault: fault.line))


def grammar_faults(article: Article, stem: str | None = None) -> list[Fault]:
    """Return what is wrong with the title, the order of the parts, fences and properties."""
    faults = [*_title_faults(article, stem), *_order_faults(article)]
    fence = open_fence(article.layout)
    if fence is not None:
        faults.append(Fault("A code block is never closed.", fence.first + 1))
    if article.front_matter and article.front_matter.problem:
        faults.append(Fault(f"The properties are malformed: {article.front_matter.problem}.", 1))
    return faults


def _title_faults(article: Article, stem: str | None) -> list[Fault]:
    titles = [each for each in article.headings if each.level == 1 and not each.is_nested]
    if len(titles) != 1:
        line = titles[1].line + 1 if titles else 1
        return [Fault(f"There must be one level-one heading; found {len(titles)}.", line)]
    if stem is not None and titles[0].source != title_of(stem):
        message = f"The title is “{titles[0].title}” but the file is called “{title_of(stem)}”."
        return [Fault(message, titles[0].line + 1)]
    return []


def _order_faults(article: Article) -> list[Fault]:
    parts, faults = read_structure(article), []
    kinds = [part.kind for part in parts]
    opened = {PartKind.LEAD, PartKind.SECTION, *_CLOSING_PARTS.values()}
    if PartKind.INFOBOX in kinds:
        box = kinds.index(PartKind.INFOBOX)
        if opened & set(kinds[:box]) or _has_text_above_infobox(article):
            message = "The infobox comes after the lead or a section; it belongs before both."
            faults.append(Fault(message, parts[box].first_line))
    sections = [part for part in parts if part.kind in opened and part.kind is not PartKind.LEAD]
    for before, part in itertools.pairwise(sections):
        rank, earlier = closing_rank(part.title), closing_rank(before.title)
        if rank == earlier and rank:
            faults.append(Fault(f"There is a second section “{part.title}”.", part.first_line))
        elif rank < earlier:
            name = CLOSING_TITLES[earlier - 1].capitalize()
            place = "be last" if name == "References" else f"come after “{part.title}”"
            faults.append(Fault(f"“{name}” must {place}.", before.first_line))
    return faults


def _has_text_above_infobox(article: Article) -> bool:
    box, heading = article.infobox, article.heading
    start = heading.end if heading else 0
    return (
        box is not None
        and first_paragraph(article.layout, article.prose, start, box.start) is not None
    )


def footnote_faults(article: Article) -> list[Fault]:
    """Return marks without definitions, definitions without marks, and second definitions."""
    lines, notes = article.layout.lines, article.footnotes
    faults = [
        Fault(f"The footnote mark [^{mark.id}] has no definition.", lines.line_of(mark.start) + 1)
        for mark in notes.undefined
    ]
    faults += [
        Fault(f"The footnote [^{each.id}] is marked nowhere.", lines.line_of(each.start) + 1)
        for each in notes.unused
    ]
    seen: set[str] = set()
    for each in notes.definitions:
        if each.id in seen:
            message = f"The footnote [^{each.id}] is defined twice."
            faults.append(Fault(message, lines.line_of(each.start) + 1))
        seen.add(each.id)
    return faults


def _part(article: Article, kind: PartKind, title: str, start: int, end: int) -> Part:
    lines = article.layout.lines
    return Part(kind, title, lines.line_of(start) + 1, lines.line_of(max(start, end - 1)) + 1)
