"""Puts the closing sections of an article last, each once, and marks stubs."""

import itertools
import re
from collections.abc import Sequence

from vault.article.page import Article
from vault.article.section_edits import closing_rank
from vault.article.sections import Section
from vault.article.splices import Edit, Edits, trimmed
from vault.errors import EditRefused

LEAST_SECTIONS = 2
LEAST_WORDS = 40
_BREAK = re.compile("\r\n|\r|\n")
_ENTRY = re.compile(r"[ \t]*(?:[-+*][ \t]|\[\^)")
_WORD = re.compile(r"\w+")
# Scripts without spaces: two characters are about a word.
_SPACELESS = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]")


def section_edits(article: Article) -> Edits:
    """Return the edits that order the sections. Raises EditRefused for a page of odd levels."""
    parts = [each for each in article.sections if each.level == 2]
    ranks = [closing_rank(each.title) for each in parts]
    closing = [rank for rank in ranks if rank]
    groups = [_group(article, parts, rank) for rank in sorted(set(closing))]
    if (
        ranks == sorted(ranks)
        and len(closing) == len(groups)
        and not any(_has_repeats(article, each) for each in parts if closing_rank(each.title))
    ):
        return ()
    start = parts[0].start
    if any(each.level == 1 and each.start >= start for each in article.headings):
        raise EditRefused("The sections were not put in order: there is a second title.")
    line_break = article.layout.lines.break_near(start)
    body = [_text(article, each) for each in parts if not closing_rank(each.title)]
    whole = article.text[start:]
    ending = whole[len(whole.rstrip("\r\n")) :]
    ordered = (line_break * 2).join([*body, *groups]) + ending
    return trimmed(article.text, Edit(start, len(article.text), ordered))


def is_stub(article: Article) -> bool:
    """Tell whether an article says too little: few sections or few words."""
    body = [each for each in article.sections if each.level == 2 and not closing_rank(each.title)]
    return len(body) < LEAST_SECTIONS or _words(article) < LEAST_WORDS


def _words(article: Article) -> int:
    """Count the words of the article without headings, marks, lists of links and references."""
    closings = [
        (each.start, each.tree_end)
        for each in article.sections
        if each.level == 2 and closing_rank(each.title) > 1
    ]
    opening = article.opening
    marks = (opening.stub, opening.series, opening.redirect, *opening.category_lines)
    skipped = [
        *closings,
        *((each.start, each.end) for each in article.headings),
        *((each.start, each.end) for each in marks if each),
    ]
    prose, done, count = article.prose, 0, 0.0
    for start, end in [*sorted(skipped), (len(prose), len(prose))]:
        piece = prose[done:start] if start > done else ""
        spaceless = len(_SPACELESS.findall(piece))
        count += spaceless / 2 + len(_WORD.findall(_SPACELESS.sub(" ", piece)))
        done = max(done, end)
    return int(count)


def _text(article: Article, section: Section) -> str:
    return article.text[section.start : section.tree_end].rstrip("\r\n")


def _group(article: Article, parts: Sequence[Section], rank: int) -> str:
    """Return the closing sections of one rank as one, each entry once."""
    same = [each for each in parts if closing_rank(each.title) == rank]
    line_break = article.layout.lines.break_near(same[0].start)
    seen: set[str] = set()
    pieces = [_once(_text(article, same[0]), seen)]
    for each in same[1:]:
        body = article.text[each.body : each.tree_end].strip("\r\n")
        kept = _once(body, seen)
        if kept.strip():
            is_list = _ENTRY.match(kept) and _ENTRY.match(_BREAK.split(pieces[-1])[-1])
            pieces.append(line_break * (1 if is_list else 2) + kept)
    return "".join(pieces)


def _once(text: str, seen: set[str]) -> str:
    """Leave out the list entries and definitions that were seen before."""
    kept = []
    for line in _lines(text):
        entry = line.strip()
        if not (_ENTRY.match(line) and entry in seen):
            kept.append(line)
        seen.add(entry)
    return "".join(kept).rstrip("\r\n")


def _has_repeats(article: Article, section: Section) -> bool:
    entries = [line.strip() for line in _lines(_text(article, section)) if _ENTRY.match(line)]
    return len(set(entries)) < len(entries)


def _lines(text: str) -> list[str]:
    starts = [0, *(found.end() for found in _BREAK.finditer(text)), len(text)]
    return [text[start:end] for start, end in itertools.pairwise(starts)]
