"""Checks of one page's text: links that are not clear, anchors, footnotes, the grammar."""

import difflib
import re
from collections.abc import Callable, Iterator
from dataclasses import replace

from vault.anchors import heading_key
from vault.article.page import Article, parse_article
from vault.article.splices import Edit
from vault.article.structure import footnote_faults, grammar_faults
from vault.errors import VaultError
from vault.files import ArticleFile
from vault.links.link import Link
from vault.links.resolve import Found, LinkResolver
from vault.links.scan import leads_to_note, links_in
from vault.links.spelling import Respelling, respell
from vault.lint.finding import Finding, Fix
from vault.names import stem_of

_BLOCK_ID = re.compile(r"(?:^|[ \t])\^([A-Za-z0-9-]+)[ \t]*$", re.MULTILINE)
_CLOSE_ENOUGH = 0.75


class PageChecks:
    """`read` reads a page; `has_grammar` tells whether a page is to keep the article grammar."""

    def __init__(
        self,
        resolver: LinkResolver,
        read: Callable[[str], ArticleFile],
        has_grammar: Callable[[str], bool],
    ) -> None:
        self._resolver = resolver
        self._read = read
        self._has_grammar = has_grammar
        self._articles: dict[str, Article | None] = {}

    def check(self, path: str) -> Iterator[Finding]:
        """What is wrong with a page's text; nothing for one that cannot be read."""
        article = self._article(path)
        if article is None:
            return
        yield from self._links(path, article)
        yield from _footnotes(path, article)
        if self._has_grammar(path):
            for fault in grammar_faults(article, stem_of(path)):
                yield Finding("structure", path, fault.line, _plain(fault.message))

    def _links(self, path: str, article: Article) -> Iterator[Finding]:
        for link in links_in(article.layout, article.prose):
            if not leads_to_note(link):
                continue
            found = self._resolver.resolve(link, path)
            if not isinstance(found, Found):
                continue
            line = article.layout.lines.line_of(link.start) + 1
            if found.is_ambiguous:
                yield self._ambiguous(path, article.text, link, found, line)
            if found.fragment:
                yield from self._anchor(path, article, link, found, line)

    def _ambiguous(self, path: str, text: str, link: Link, found: Found, line: int) -> Finding:
        others = ", ".join(found.candidates[1:4])
        message = f"“{link.target}” means {found.path}, and could mean {others}"
        asked = Respelling(text, link, path, path, found.path, found.path)

        def leads_there(target: str) -> bool:
            resolved = self._resolver.resolve(replace(link, target=target), path)
            return isinstance(resolved, Found) and resolved.candidates == (found.path,)

        written = respell(asked, leads_there)
        if written is None:
            return Finding("ambiguous", path, line, message)
        fix = Fix(f"write {written}", (Edit(*link.place, written),))
        return Finding("ambiguous", path, line, message, fix)

    def _anchor(
        self, path: str, article: Article, link: Link, found: Found, line: int
    ) -> Iterator[Finding]:
        target = article if found.path == path else self._article(found.path)
        fragment = found.fragment or ""
        if target is None or _has_anchor(target, fragment):
            return
        message = f"{found.path} has no “{fragment}”"
        near = _nearest(target, fragment, is_slug=not link.is_wikilink)
        if near is None:
            yield Finding("dead-anchor", path, line, message)
            return
        start, end = link.place
        mark = article.text.index("#", start, end)
        fix = Fix(f"write #{near}", (Edit(mark + 1, end, near),))
        yield Finding("dead-anchor", path, line, message, fix)

    def _article(self, path: str) -> Article | None:
        if path not in self._articles:
            try:
                text = self._read(path).text
            except VaultError:
                text = None
            self._articles[path] = None if text is None else parse_article(text)
        return self._articles[path]


def _has_anchor(article: Article, fragment: str) -> bool:
    last = fragment.rpartition("#")[2]
    if last.startswith("^"):
        ids = {found.group(1).casefold() for found in _BLOCK_ID.finditer(article.prose)}
        return last[1:].casefold() in ids
    return article.find_heading(fragment) is not None


def _nearest(article: Article, fragment: str, is_slug: bool) -> str | None:
    """The anchor that was meant, if one heading only is like it; block ids are not guessed."""
    last = fragment.rpartition("#")[2]
    if last.startswith("^"):
        return None
    keys = {heading_key(heading.title): heading for heading in article.headings}
    wanted = heading_key(last.replace("-", " "))
    near = difflib.get_close_matches(wanted, keys, 2, _CLOSE_ENOUGH)
    if len(near) != 1:
        return None
    heading = keys[near[0]]
    if is_slug:
        return heading.anchor
    return heading.title if not re.search(r"[\[\]|#^]", heading.title) else None


def _footnotes(path: str, article: Article) -> Iterator[Finding]:
    lines = article.layout.lines
    unused = {lines.line_of(each.start) + 1: each for each in article.footnotes.unused}
    for fault in footnote_faults(article):
        definition = unused.get(fault.line)
        fix = None
        if definition is not None:
            fix = Fix("take it out", (Edit(definition.start, definition.end, ""),))
        yield Finding("footnote", path, fault.line, _plain(fault.message), fix)


def _plain(sentence: str) -> str:
    return sentence[:1].lower() + sentence[1:].rstrip(".")
