"""Finds the links of a page: wikilinks, Markdown links, reference definitions and properties."""

import re
from collections.abc import Iterator
from urllib.parse import unquote

from vault.article.blocks import Layout, read_layout
from vault.links.brackets import DEFINED, GAP, TITLE, bracket_links
from vault.links.link import Link, LinkForm
from vault.links.properties import front_matter_links
from vault.links.wikilink import read_wikilink, wikilinks_in
from vault.masked import mask
from vault.names import NOTE_SUFFIX

_DEFINITION = re.compile(
    rf"{DEFINED}{GAP}"
    r"(?P<target><[^<>\r\n]{0,2000}>|[^\s<][^\s]{0,2000})"
    rf"(?=[ \t]*+(?:[\r\n]|\Z)|[ \t]{{1,99}}(?:{TITLE})[ \t]*+(?:[\r\n]|\Z))",
    re.MULTILINE,
)
# fmt: off - one suffix a line would hide the rest
_OTHER_FILES = frozenset(
    (
        "png",
        "jpg",
        "jpeg",
        "gif",
        "bmp",
        "svg",
        "webp",
        "avif",
        "heic",
        "pdf",
        "mp3",
        "wav",
        "m4a",
        "ogg",
        "3gp",
        "flac",
        "mp4",
        "webm",
        "ogv",
        "mov",
        "mkv",
        "canvas",
        "base",
        "txt",
        "csv",
        "tsv",
        "json",
        "xml",
        "zip",
        "docx",
        "xlsx",
        "pptx",
        "odt",
    )
)
# fmt: on
_BACKSLASH = re.compile(r"\\([!-/:-@\[-`{-~])")
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")


def find_links(text: str) -> tuple[Link, ...]:
    """Return the links to notes outside code, comments and formulas, in order."""
    return tuple(link for link in find_local_links(text) if leads_to_note(link))


def find_local_links(text: str) -> tuple[Link, ...]:
    """Return every link that stays on this machine, those to pictures and other files too."""
    return links_of(read_layout(text))


def links_of(layout: Layout) -> tuple[Link, ...]:
    """Return the local links of a page whose blocks are known."""
    return links_in(layout, mask(layout))


def links_in(layout: Layout, copy: str) -> tuple[Link, ...]:
    """The same for a page whose masked copy is known."""
    links = list(front_matter_links(layout))
    links += [link for found in wikilinks_in(copy) if (link := read_wikilink(layout.text, found))]
    others = list(_markdown_links(layout.text, copy))
    if others:
        taken = {position for link in links for position in (link.start, link.start + 1)}
        links += (link for link in others if link.start not in taken)
        links.sort(key=lambda link: link.start)
    return tuple(links)


def leads_to_note(link: Link) -> bool:
    """Whether the link means a page and not a picture or another kind of file.

    A page may be called `example.com`, so a wikilink counts unless its suffix is a known one; a
    Markdown link to a note names `.md`.
    """
    name = link.target.rpartition("/")[2]
    suffix = name.rpartition(".")[2].casefold() if "." in name else ""
    if link.is_wikilink:
        return suffix not in _OTHER_FILES
    return not suffix or name[-3:].casefold() == NOTE_SUFFIX


def _markdown_links(text: str, copy: str) -> Iterator[Link]:
    for each in bracket_links(copy):
        place = (each.start, each.end)
        yield from _link(text, place, each.label, each.target, "markdown", each.is_embed)
    for found in _DEFINITION.finditer(copy) if "]:" in copy else ():
        label, target = found.span("label"), found.span("target")
        yield from _link(text, (found.start(), target[1]), label, target, "definition")


def _link(
    text: str,
    place: tuple[int, int],
    label: tuple[int, int],
    target: tuple[int, int],
    form: LinkForm,
    is_embed: bool = False,
) -> Iterator[Link]:
    start, end = target
    if text[start] == "<":
        start, end = start + 1, end - 1
    written = _BACKSLASH.sub(r"\1", text[start:end])
    if _SCHEME.match(written) or written.startswith("//"):
        return
    page, hash_mark, fragment = written.partition("#")
    yield Link(
        *place,
        (start, end),
        unquote(page, errors="replace").strip(),
        unquote(fragment, errors="replace").strip() if hash_mark else None,
        text[slice(*label)],
        is_embed,
        form,
    )
