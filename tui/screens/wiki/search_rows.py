"""What a search found, as rows of a list: a passage each, and pages nobody wrote yet."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from textual.content import Content

from tui.screens.wiki.found import CreatePage, Found, OpenPage
from tui.text.line import to_line
from tui.text.marked import between, elided, marked_line
from vault.search.result import Hit, Passage, Results, Suggestion

ROW_LINES = 4
_SNIPPET_LINES = 2
_MUTED = "$foreground-muted"
_INDENT = 2


@dataclass(frozen=True, slots=True)
class PassageRow:
    """A passage of a page that was found; the first one of each `is_first`."""

    hit: Hit
    passage: Passage
    is_first: bool


@dataclass(frozen=True, slots=True)
class SuggestionRow:
    """A page that may be meant: one that links ask for, or one with a name like the query's."""

    suggestion: Suggestion


ResultRow = PassageRow | SuggestionRow


def rows_of(results: Results) -> tuple[ResultRow, ...]:
    """The passages, best pages first; then what else may be meant."""
    return (*_passages(results), *(SuggestionRow(each) for each in results.suggestions))


def _passages(results: Results) -> Iterator[ResultRow]:
    for hit in results.hits:
        passages = hit.passages or (Passage((), "", 1, "", ()),)
        for index, passage in enumerate(passages):
            yield PassageRow(hit, passage, index == 0)


def found_at(row: ResultRow | None) -> Found | None:
    """What whoever chooses a row wants."""
    match row:
        case PassageRow(hit=hit, passage=passage):
            return OpenPage(hit.path, passage.anchor)
        case SuggestionRow(suggestion=suggestion) if suggestion.path:
            return OpenPage(suggestion.path)
        case SuggestionRow(suggestion=suggestion):
            return CreatePage(suggestion.title)
        case None:
            return None


def result_lines(row: ResultRow, width: int) -> Sequence[Content]:
    """The lines of a row: what it is, then two lines of what it says."""
    match row:
        case PassageRow():
            return [_head(row, width), *snippet_lines(row.passage, width - _INDENT)]
        case SuggestionRow(suggestion=suggestion):
            return _suggested(suggestion, width)


def _head(row: PassageRow, width: int) -> Content:
    headings = [each for each in row.passage.heading_path if each != row.hit.title]
    way = f" › {' › '.join(to_line(each) for each in headings)}" if headings else ""
    if not row.is_first:
        return elided(Content(f"  ⋮{way or ' ' + to_line(row.hit.title)}").stylize(_MUTED), width)
    title = Content(to_line(row.hit.title)).stylize("bold")
    left = Content.assemble(title, Content(way).stylize(_MUTED))
    return between(left, Content(to_line(row.hit.date)).stylize(_MUTED), width)


def snippet_lines(passage: Passage, width: int) -> list[Content]:
    """Two lines that show the first word that was found."""
    text, spans = _from_first_mark(passage, width)
    lines = marked_line(text, spans).wrap(max(1, width))
    shown = lines[:_SNIPPET_LINES]
    if len(lines) > _SNIPPET_LINES:
        last = shown[-1].rstrip(" …")
        shown[-1] = elided(Content.assemble(last, " …"), max(1, width))
    return [Content.assemble(" " * _INDENT, line) for line in shown]


def _from_first_mark(passage: Passage, width: int) -> tuple[str, list[tuple[int, int]]]:
    text = passage.snippet
    first = passage.highlights[0][0] if passage.highlights else 0
    if first <= width:
        return text, list(passage.highlights)
    start = max(0, first - width // 2)
    space = text.find(" ", start, first)
    start = space + 1 if space >= 0 else start
    shift = len("… ") - start
    spans = [(begin + shift, end + shift) for begin, end in passage.highlights]
    return f"… {text[start:]}", spans


def _suggested(suggestion: Suggestion, width: int) -> Sequence[Content]:
    title = to_line(suggestion.title)
    if suggestion.path:
        return [
            elided(Content.assemble("Did you mean ", Content(title).stylize("bold"), "?"), width),
            elided(Content("  a page with a name like that").stylize(_MUTED), width),
        ]
    count = suggestion.links
    links = "1 link asks for it" if count == 1 else f"{count:,} links ask for it"
    return [
        elided(Content.assemble("+ Create ", Content(title).stylize("bold $wanted-link")), width),
        elided(Content(f"  not written yet; {links}").stylize(_MUTED), width),
    ]
