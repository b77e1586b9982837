"""Judges whether an article is a good one: one subject, sound links and footnotes, cited text."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from vault.article.normalise_footnotes import are_in_order
from vault.article.page import Article
from vault.article.section_edits import closing_rank
from vault.names import title_of

_TWO_SUBJECTS = re.compile(r"\S+ (?:and|&) \S+", re.IGNORECASE)
_WIKILINK = re.compile(r"\[\[(?P<target>[^\[\]|#\r\n]+)[^\[\]\r\n]*\]\]")
_WORD = re.compile(r"\w")


@dataclass(frozen=True, slots=True)
class Audit:
    """What was found: whether the name is of one subject, and what is wrong in the text.

    `dangling` are infobox links to pages that neither exist nor are mentioned in the text;
    `uncited` are the titles of sections without a footnote.
    """

    is_one_subject: bool
    dangling: tuple[str, ...]
    has_sound_footnotes: bool
    uncited: tuple[str, ...]
    citations: int
    has_infobox: bool

    @property
    def is_passed(self) -> bool:
        """Whether nothing was found wrong."""
        has_fault = bool(self.dangling or self.uncited)
        return self.is_one_subject and self.has_sound_footnotes and not has_fault


@dataclass(frozen=True, slots=True)
class AuditSummary:
    """How many articles pass, and the stems of those that do not, sorted."""

    articles: int
    passed: int
    bad_titles: int
    with_infobox: int
    with_citation: int
    failing: tuple[str, ...]


def audit_article(article: Article, stem: str, exists: Callable[[str], bool]) -> Audit:
    """Check one article; `exists` tells whether a link's target is a page."""
    return Audit(
        is_one_subject=_TWO_SUBJECTS.search(title_of(stem)) is None,
        dangling=_dangling(article, exists),
        has_sound_footnotes=are_in_order(article.footnotes),
        uncited=_uncited(article),
        citations=sum(each.citation is not None for each in article.footnotes.definitions),
        has_infobox=article.infobox is not None,
    )


def summarise(audits: Mapping[str, Audit]) -> AuditSummary:
    """Count the audits of several articles, by their stems."""
    each = audits.values()
    return AuditSummary(
        articles=len(audits),
        passed=sum(audit.is_passed for audit in each),
        bad_titles=sum(not audit.is_one_subject for audit in each),
        with_infobox=sum(audit.has_infobox for audit in each),
        with_citation=sum(audit.citations > 0 for audit in each),
        failing=tuple(sorted(stem for stem, audit in audits.items() if not audit.is_passed)),
    )


def _dangling(article: Article, exists: Callable[[str], bool]) -> tuple[str, ...]:
    prose = article.prose.replace("_", " ").casefold()
    targets = (
        found["target"].strip()
        for field in (article.infobox.fields if article.infobox else ())
        for found in _WIKILINK.finditer(field.value)
    )
    return tuple(
        dict.fromkeys(
            target
            for target in targets
            if not exists(target) and target.replace("_", " ").casefold() not in prose
        )
    )


def _uncited(article: Article) -> tuple[str, ...]:
    marks = [mark.start for mark in article.footnotes.marks]
    titles = []
    for section in article.sections:
        if section.level != 2 or closing_rank(section.title):
            continue
        is_cited = any(section.start <= mark < section.tree_end for mark in marks)
        if not is_cited and _has_own_text(article, section.body, section.tree_end):
            titles.append(section.title)
    return tuple(titles)


def _has_own_text(article: Article, start: int, end: int) -> bool:
    """Tell whether a range says anything beside pointing to main articles and headings."""
    skipped = [(each.start, each.end) for each in article.opening.main_articles]
    skipped += [(each.start, each.end) for each in article.headings]
    done = start
    for first, last in sorted(span for span in skipped if start <= span[0] < end):
        if _WORD.search(article.prose, done, max(done, first)):
            return True
        done = max(done, last)
    return _WORD.search(article.prose, done, end) is not None
