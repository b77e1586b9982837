"""What else a page is called: its aliases, its title, its first heading; and where it redirects."""

import re
from dataclasses import dataclass

from vault.anchors import first_heading
from vault.article.blocks import read_layout
from vault.article.front_matter import FrontMatter, read_front_matter
from vault.links.link import Link
from vault.links.scan import find_links

_LOOKED_AT, _LONGEST_FRONT_MATTER = 4000, 70_000
_FRONT_MATTER = re.compile(
    r"---[ \t]*(?:\r\n?|\n)(?:.*?(?:\r\n?|\n))??(?:---|\.\.\.)[ \t]*(?:\r\n?|\n|$)", re.DOTALL
)
_HEADING_LINE = re.compile(r"# +(?P<title>[^\r\n#`]*[^\s#`])[ \t]*(?:\r|\n|$)")
_MAYBE_HEADING = re.compile(r"^[ \t>*+\d.)-]*(?:#(?:[ \t]|$)|=+[ \t]*$)", re.MULTILINE)
_REDIRECT = re.compile(r"^[*_]?(?:Redirects to|#REDIRECT) *(?=\[\[)", re.MULTILINE | re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class PageNames:
    """The names of a page beside its file's, and the link of one that only redirects."""

    heading: str | None = None
    title: str | None = None
    aliases: tuple[str, ...] = ()
    redirect: Link | None = None

    @property
    def all(self) -> tuple[str, ...]:
        """Every name."""
        return tuple(name for name in (*self.aliases, self.title, self.heading) if name)


def read_page_names(text: str) -> PageNames:
    """Read a page's names from its beginning."""
    front, body = _split(text.removeprefix("\ufeff"))
    beginning = body[:_LOOKED_AT]
    title, aliases = _names_in(read_front_matter(read_layout(front)) if front else None)
    return PageNames(_heading(beginning), title, aliases, _redirect(beginning))


def page_names_of(text: str, properties: FrontMatter | None) -> PageNames:
    """The same for a page whose front matter has been read."""
    front, body = _split(text)
    if len(front) != (properties.end if properties else 0):
        return read_page_names(text)
    beginning = body[:_LOOKED_AT]
    return PageNames(_heading(beginning), *_names_in(properties), _redirect(beginning))


def _split(text: str) -> tuple[str, str]:
    """The front matter and what follows it."""
    found = _FRONT_MATTER.match(text[:_LONGEST_FRONT_MATTER])
    return ("", text) if found is None else (found.group(), text[found.end() :])


def _names_in(properties: FrontMatter | None) -> tuple[str | None, tuple[str, ...]]:
    if properties is None:
        return None, ()
    title = properties.find("title")
    first = next(iter(title.texts), None) if title else None
    return first, properties.names("aliases", "alias")


def _heading(beginning: str) -> str | None:
    found = _HEADING_LINE.match(beginning)
    # Most pages begin with a plain heading or have none, which takes no parser to see.
    if found or not _MAYBE_HEADING.search(beginning):
        return found.group("title") if found else None
    return first_heading(beginning)


def _redirect(beginning: str) -> Link | None:
    found = _REDIRECT.search(beginning) if "redirect" in beginning.casefold() else None
    if found is None:
        return None
    return next((link for link in find_links(beginning) if link.start == found.end()), None)
