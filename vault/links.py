"""Finds the links from one article to others: wikilinks and Markdown links to local notes."""

import re
from dataclasses import dataclass
from urllib.parse import unquote

from vault.masked import is_escaped, masked
from vault.names import NOTE_SUFFIX

_WIKILINK = re.compile(r"\[\[([^\[\]\r\n]{1,2000})\]\]")
_MARKDOWN_LINK = re.compile(
    r"(?<!\\)\[(?P<label>(?:[^\[\]\\\r\n]|\\.|\[[^\[\]\r\n]{0,500}\]){0,1000})\]"
    r"\([ \t]{0,9}(?P<target><[^<>\r\n]{0,2000}>|(?:[^\s()\\]|\\.|\([^\s()]{0,500}\)){1,2000})"
    r"(?:[ \t]{1,9}(?:\"[^\"\r\n]{0,500}\"|'[^'\r\n]{0,500}'|\([^()\r\n]{0,500}\)))?[ \t]{0,9}\)"
)
_BACKSLASH = re.compile(r"\\([!-/:-@\[-`{-~])")
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
_BAR = re.compile(r"\\?\|")
# Footnotes that cite a conversation, and categories, are not pages.
_NOT_PAGES = ("conv:", "category:")


@dataclass(frozen=True, slots=True)
class Link:
    """A link as written. Offsets are code points of the text and span the whole construct.

    `target` is empty for a link within the page. `fragment` is what follows the first `#`, None
    without one. `is_wikilink` decides how a relative target is meant.
    """

    start: int
    end: int
    target: str
    fragment: str | None
    label: str
    is_embed: bool
    is_wikilink: bool


def find_links(text: str) -> tuple[Link, ...]:
    """Return the links outside code, comments, formulas and front matter, in order."""
    copy = masked(text)
    wikilinks = [_wikilink(text, found) for found in _WIKILINK.finditer(copy)]
    links = [link for link in wikilinks if link is not None]
    taken = {position for link in links for position in (link.start, link.start + 1)}
    for found in _MARKDOWN_LINK.finditer(copy):
        if found.start() not in taken:
            link = _markdown_link(text, found)
            if link is not None:
                links.append(link)
    return tuple(sorted(links, key=lambda link: link.start))


def _wikilink(text: str, found: re.Match[str]) -> Link | None:
    start, end = found.span()
    if is_escaped(text, start):
        return None
    written = text[start + 2 : end - 2]
    target, *label = _BAR.split(written, maxsplit=1)
    if target.strip().casefold().startswith(_NOT_PAGES):
        return None
    page, hash_mark, fragment = target.partition("#")
    is_embed = text[start - 1 : start] == "!" and not is_escaped(text, start - 1)
    return Link(
        start - is_embed,
        end,
        page.strip(),
        fragment.strip() if hash_mark else None,
        (label[0] if label else target).strip(),
        is_embed,
        is_wikilink=True,
    )


def _markdown_link(text: str, found: re.Match[str]) -> Link | None:
    start, end = found.span()
    written = text[slice(*found.span("target"))]
    if written.startswith("<"):
        written = written[1:-1]
    written = _BACKSLASH.sub(r"\1", written)
    if _SCHEME.match(written) or written.startswith("//"):
        return None
    page, hash_mark, fragment = written.partition("#")
    page, fragment = unquote(page, errors="replace"), unquote(fragment, errors="replace")
    name = page.rpartition("/")[2]
    if "." in name and name[-3:].casefold() != NOTE_SUFFIX:
        return None
    is_embed = text[start - 1 : start] == "!" and not is_escaped(text, start - 1)
    return Link(
        start - is_embed,
        end,
        page.strip(),
        fragment.strip() if hash_mark else None,
        text[slice(*found.span("label"))],
        is_embed,
        is_wikilink=False,
    )
