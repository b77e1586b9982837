"""What a page is linked with, link by link: from where, with the line, and to where."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Literal

from vault.article.lines import line_table
from vault.article.page import parse_article
from vault.errors import VaultError
from vault.files import ArticleFile
from vault.index.index import Index
from vault.links.addresses import addresses_in
from vault.links.link import LinkForm

LinkState = Literal["found", "ambiguous", "wanted", "refused", "address"]
_MOST_PAGES = 500


@dataclass(frozen=True, slots=True)
class Incoming:
    """A link from the page `path`; `line` counts from 1, `context` is that line's text."""

    path: str
    title: str
    line: int
    context: str


@dataclass(frozen=True, slots=True)
class IncomingLinks:
    """The links to a page by page and place; `pages` counts all pages, also those left out."""

    links: tuple[Incoming, ...]
    pages: int


@dataclass(frozen=True, slots=True)
class Outgoing:
    """A link of the page: `leads_to` is the page it means, empty without one.

    `target` is what is written, for an address all of it.
    """

    state: LinkState
    target: str
    fragment: str | None
    label: str
    form: LinkForm
    line: int
    leads_to: str
    title: str


def incoming(index: Index, read: Callable[[str], ArticleFile], path: str) -> IncomingLinks:
    """The links of other pages to this one, with their lines as the files have them now."""
    with index.reading() as connection:
        rows: Any = connection.execute(
            "SELECT other.path, other.title, link.line FROM link"
            " JOIN page ON page.id = link.leads_to JOIN page other ON other.id = link.page"
            " WHERE page.path = ?1 AND other.path <> ?1 ORDER BY other.path, link.start",
            (path,),
        ).fetchall()
    by_page: dict[tuple[str, str], list[int]] = {}
    for other, title, line in rows:
        by_page.setdefault((str(other), str(title)), []).append(int(line))
    shown = list(by_page.items())[:_MOST_PAGES]
    links = [link for (other, title), lines in shown for link in _lines(read, other, title, lines)]
    return IncomingLinks(tuple(links), len(by_page))


def outgoing(index: Index, text: str, path: str) -> tuple[Outgoing, ...]:
    """The links of a page in order, those to other programs too; `text` is the page's."""
    with index.reading() as connection:
        rows: Any = connection.execute(
            "SELECT link.state, link.target, link.fragment, link.label, link.form, link.line,"
            " coalesce(other.path, ''), coalesce(other.title, '') FROM link"
            " JOIN page ON page.id = link.page LEFT JOIN page other ON other.id = link.leads_to"
            " WHERE page.path = ? ORDER BY link.start",
            (path,),
        ).fetchall()
    found = [Outgoing(*row) for row in rows]
    article = parse_article(text)
    for address in addresses_in(article.text, article.prose):
        line = article.layout.lines.line_of(address.start) + 1
        found.append(
            Outgoing("address", address.target, None, address.label, "markdown", line, "", "")
        )
    return tuple(sorted(found, key=lambda link: link.line))


def _lines(
    read: Callable[[str], ArticleFile], path: str, title: str, lines: list[int]
) -> Iterator[Incoming]:
    try:
        written = line_table(read(path).text or "")
    except VaultError:
        return
    for line in lines:
        # The file may have become shorter since the index read it.
        if line <= written.count:
            yield Incoming(path, title, line, written.content(line - 1).strip())
