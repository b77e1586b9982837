"""Checks of one page's text: links that are not clear, anchors, footnotes, the grammar."""

import difflib
import re
from collections.abc import Callable, Iterator

from vault.anchors import heading_key
from vault.article.page import Article, parse_article
from vault.article.splices import Edit
from vault.article.structure import footnote_faults, grammar_faults
from vault.errors import VaultError
from vault.files import ArticleFile
from vault.links.link import Link
from vault.links.properties import quote_around, quoted_part
from vault.links.resolve import Found, LinkResolver
from vault.links.scan import leads_to_note, links_in
from vault.links.spelling import Respelling, as_read, respell, whole_name
from vault.lint.finding import Finding, Fix
from vault.names import stem_of

_BLOCK_ID = re.compile(r"(?:^|[ \t])\^([A-Za-z0-9-]+)[ \t]*$", re.MULTILINE)
_CLOSE_ENOUGH = 0.75
# Headings compared for the links of one page, so that a hostile one takes a second at most.
_MOST_COMPARED = 20_000
_LONGEST_COMPARED = 200


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
        self._block_ids: dict[str, frozenset[str]] = {}
        self._compared = 0

    def check(self, path: str) -> Iterator[Finding]:
        """What is wrong with a page's text; nothing for one that cannot be read."""
        article = self._article(path)
        self._compared = 0
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
        is_whole = found.fragment is None and link.fragment is not None
        named = whole_name(link) if is_whole else link
        asked = Respelling(text, named, path, path, found.path, found.path, is_whole)

        def leads_there(target: str) -> bool:
            resolved = self._resolver.resolve(as_read(link, target, asked.is_whole), path)
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
        if target is None or self._has_anchor(found.path, target, fragment):
            return
        message = f"{found.path} has no “{fragment}”"
        near = self._nearest(target, fragment, link)
        if near is None:
            yield Finding("dead-anchor", path, line, message)
            return
        start, end = link.place
        mark = article.text.index("#", start, end)
        if link.form == "property":
            near = quoted_part(near, quote_around(article.text, link))
        fix = Fix(f"write #{near}", (Edit(mark + 1, end, near),))
        yield Finding("dead-anchor", path, line, message, fix)

    def _has_anchor(self, path: str, article: Article, fragment: str) -> bool:
        last = fragment.rpartition("#")[2]
        if not last.startswith("^"):
            return article.find_heading(fragment) is not None
        if path not in self._block_ids:
            found = _BLOCK_ID.finditer(article.prose)
            self._block_ids[path] = frozenset(each.group(1).casefold() for each in found)
        return last[1:].casefold() in self._block_ids[path]

    def _nearest(self, article: Article, fragment: str, link: Link) -> str | None:
        """The anchor that was meant, if one heading only is like it; block ids are not guessed."""
        last = fragment.rpartition("#")[2]
        if last.startswith("^") or self._compared > _MOST_COMPARED:
            return None
        self._compared += len(article.headings)
        keys = {heading_key(each.title)[:_LONGEST_COMPARED]: each for each in article.headings}
        wanted = heading_key(last.replace("-", " "))[:_LONGEST_COMPARED]
        near = difflib.get_close_matches(wanted, keys, 2, _CLOSE_ENOUGH)
        if len(near) != 1:
            return None
        heading = keys[near[0]]
        if not link.is_wikilink:
            return heading.anchor
        return heading.title if not re.search(r"[\[\]|#^]", heading.title) else None

    def _article(self, path: str) -> Article | None:
        if path not in self._articles:
            try:
                text = self._read(path).text
            except VaultError:
                text = None
            self._articles[path] = None if text is None else parse_article(text)
        return self._articles[path]


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
