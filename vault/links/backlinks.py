"""Finds the pages that link to a page, by reading those that could."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from vault.article.page import parse_article
from vault.errors import VaultError
from vault.files import ArticleFile
from vault.links.known import PageNames
from vault.links.link import Link
from vault.links.mentions import Mentions
from vault.links.resolve import Found, LinkResolver
from vault.links.scan import leads_to_note, links_of


@dataclass(frozen=True, slots=True)
class Backlink:
    """A link from the page `path`; `line` counts from 1, `context` is that line's text."""

    path: str
    line: int
    context: str
    link: Link


def find_backlinks(
    path: str,
    paths: Iterable[str],
    names: Mapping[str, PageNames],
    read: Callable[[str], ArticleFile],
) -> tuple[Backlink, ...]:
    """Return the links of other pages to `path`, redirects not followed, by page and place."""
    resolver = LinkResolver(paths, lambda: names)
    known = names.get(path)
    mentions = Mentions((path, *(known.all if known else ())))
    found: list[Backlink] = []
    for other in paths:
        if other == path:
            continue
        try:
            text = read(other).text
        except VaultError:
            continue
        if text is None or not mentions.are_in(text):
            continue
        layout = parse_article(text).layout
        for link in links_of(layout):
            resolution = resolver.resolve(link, other) if leads_to_note(link) else None
            if isinstance(resolution, Found) and resolution.path == path:
                line = layout.lines.line_of(link.start)
                context = layout.lines.content(line).strip()
                found.append(Backlink(other, line + 1, context, link))
    return tuple(found)
