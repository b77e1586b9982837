"""What else a page is called: its aliases, its title, its first heading; and where it redirects."""

import re
from dataclasses import dataclass

from vault.anchors import first_heading
from vault.links.link import Link
from vault.links.scan import find_links

_LOOKED_AT = 4000
_HEADING_LINE = re.compile(r"# +(?P<title>[^\r\n#`]*[^\s#`])[ \t]*(?:\r|\n|$)")
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
    beginning = text[:_LOOKED_AT]
    return PageNames(_heading(beginning), redirect=_redirect(beginning))


def _heading(beginning: str) -> str | None:
    found = _HEADING_LINE.match(beginning.lstrip("\ufeff"))
    # Most pages begin with a plain heading, which takes no parser to see.
    return found.group("title") if found else first_heading(beginning)


def _redirect(beginning: str) -> Link | None:
    found = _REDIRECT.search(beginning)
    if found is None:
        return None
    return next((link for link in find_links(beginning) if link.start == found.end()), None)
