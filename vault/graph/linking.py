"""Makes a link of a name that a page only mentions."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING
from urllib.parse import quote

from vault.article.block import BlockKind
from vault.article.blocks import Layout
from vault.article.page import parse_article
from vault.article.splices import Edit, apply_edits
from vault.errors import EditRefused, PageChanged
from vault.graph.mentions import Mention
from vault.links.link import Link
from vault.links.resolve import Found, LinkResolver
from vault.links.scan import find_links
from vault.names import NOTE_SUFFIX, displayable, stem_of, title_of

_DELIMITER_ROW = re.compile(r"[ \t]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t:-]*)+")

if TYPE_CHECKING:
    from vault.vault import Vault
    from vault.written import Written


def link_mention(vault: Vault, mention: Mention, path: str, actor: str = "you") -> Written:
    """Link a mention of the page `path`, in one commit; the words on the page stay.

    Raises PageChanged when they are not there any more, EditRefused when no link leads there.
    """
    base = vault.read(mention.path)
    text = base.text or ""
    if text[mention.start : mention.end] != mention.text:
        raise PageChanged(f"“{_shown(mention.path)}” was changed meanwhile; look again.")
    resolver = vault.resolver(vault.listing())
    layout = parse_article(text).layout
    for written in _spellings(vault, layout, mention, path):
        changed = apply_edits(text, (Edit(mention.start, mention.end, written),))
        if _leads_there(resolver, changed, mention, path):
            subject = f"Link {_shown(path)} in {_shown(mention.path)}"
            return vault.save(mention.path, changed, base, actor, subject)
    raise EditRefused(f"No link that leads to “{_shown(path)}” can be written there.")


def _spellings(vault: Vault, layout: Layout, mention: Mention, path: str) -> Iterator[str]:
    label = " ".join(mention.text.split())
    if vault.conventions.writes_markdown_links:
        target = posixpath.relpath(path, posixpath.dirname(mention.path) or ".")
        yield f"[{label}]({quote(target)})"
        return
    bar = "\\|" if _is_in_table(layout, mention.start) else "|"
    stem = stem_of(path)
    names = [title_of(stem), stem] if vault.is_ours else [stem]
    yield f"[[{label}]]"
    for name in (*names, path[: -len(NOTE_SUFFIX)], f"/{path[: -len(NOTE_SUFFIX)]}"):
        yield f"[[{name}{bar}{label}]]"


def _is_in_table(layout: Layout, offset: int) -> bool:
    """Whether the paragraph around it has a row of dashes and bars, where a bar ends a cell."""
    line = layout.lines.line_of(offset)
    around = (block for block in layout.blocks if block.first <= line < block.end)
    return any(
        _DELIMITER_ROW.fullmatch(layout.lines.content(each)) is not None
        for block in around
        if block.kind is BlockKind.PARAGRAPH
        for each in range(block.first, block.end)
    )


def _leads_there(resolver: LinkResolver, text: str, mention: Mention, path: str) -> bool:
    link: Link | None = next(
        (each for each in find_links(text) if each.start == mention.start), None
    )
    found = resolver.resolve(link, mention.path) if link is not None else None
    return isinstance(found, Found) and found.candidates == (path,)


def _shown(relative: str) -> str:
    return title_of(stem_of(displayable(relative)))
