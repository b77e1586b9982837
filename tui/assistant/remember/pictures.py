"""Takes pictures from elsewhere out of a text: whoever shows it would fetch them."""

from __future__ import annotations

import re
from collections.abc import Iterable

from markdown_it import MarkdownIt
from markdown_it.token import Token

from vault.article.page import parse_article
from vault.links.brackets import bracket_links
from vault.links.scan import find_local_links
from vault.masked import is_escaped

_FAR = re.compile(r"\s*(?:[A-Za-z][A-Za-z0-9+.-]*:|[\\/]{2})")
# Where it is HTML, a name alone fetches nothing, but for sheets and scripts.
_FETCHING_TAG = re.compile(
    r"<(?=(?:style|script)\b|(?!a\s)[A-Za-z][A-Za-z0-9-]*(?:/|\s)(?!\s*/?>))", re.IGNORECASE
)
_PICTURE = re.compile(r"!(?=\[(?!\^))")
_TICKS = re.compile("`+")
# The first divides tables into cells before it looks for code in them.
_PARSERS = (MarkdownIt("gfm-like", {"html": True}), MarkdownIt("commonmark"))


def without_far_pictures(text: str) -> str:
    """The text with its pictures from elsewhere as links, and HTML that fetches as text.

    Pictures by reference become links too. Where that does not help the text becomes code.
    """
    prose = parse_article(text).prose
    local = {link.start for link in find_local_links(text) if link.is_embed}
    inline = {each.start for each in bracket_links(prose) if each.is_embed}
    edits = [(found.start(), "&lt;") for found in _FETCHING_TAG.finditer(prose)]
    for found in _PICTURE.finditer(prose):
        at = found.start()
        if at not in local and not is_escaped(prose, at):
            is_alone = at in inline and prose[at - 1 : at] != "!"
            edits.append((at, "" if is_alone else "\\!"))
    clean = text
    # A place in the masked copy is the same in the text.
    for at, instead in sorted(edits, reverse=True):
        clean = clean[:at] + instead + clean[at + 1 :]
    return _as_code(text) if _fetches(clean) else clean


def _fetches(text: str) -> bool:
    return any(_is_fetched(token) for parser in _PARSERS for token in _flat(parser.parse(text)))


def _flat(tokens: Iterable[Token]) -> Iterable[Token]:
    for token in tokens:
        yield token
        yield from _flat(token.children or ())


def _is_fetched(token: Token) -> bool:
    if token.type == "image":
        return bool(_FAR.match(str(token.attrs.get("src", ""))))
    return token.type.startswith("html_") and bool(_FETCHING_TAG.search(token.content))


def _as_code(text: str) -> str:
    longest = max((len(ticks) for ticks in _TICKS.findall(text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}\n{text}\n{fence}"
