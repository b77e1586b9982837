"""The form `[[Page#Heading|label]]`."""

import re
from collections.abc import Iterator

from vault.links.link import Link, LinkForm
from vault.masked import is_escaped

_WIKILINK = re.compile(r"\[\[([^\[\]\r\n]{1,2000})\]\]")
_BAR = re.compile(r"\\?\|")
# Footnotes that cite a conversation, and categories, are not pages.
_NOT_PAGES = ("conv:", "category:")


def wikilinks_in(copy: str, start: int = 0, end: int | None = None) -> Iterator[re.Match[str]]:
    """Find what looks like a wikilink in a masked copy, or in a part of it."""
    return _WIKILINK.finditer(copy, start, len(copy) if end is None else end)


def read_wikilink(text: str, found: re.Match[str], form: LinkForm = "wikilink") -> Link | None:
    """Read one from the text itself; None when it is escaped or names no page."""
    start, end = found.span()
    if is_escaped(text, start):
        return None
    written = text[start + 2 : end - 2]
    target, *label = _BAR.split(written, maxsplit=1) if "|" in written else (written,)
    if ":" in target and target.strip().casefold().startswith(_NOT_PAGES):
        return None
    page, hash_mark, fragment = target.partition("#")
    is_embed = text[start - 1 : start] == "!" and not is_escaped(text, start - 1)
    return Link(
        start - is_embed,
        end,
        (start + 2, start + 2 + len(target)),
        page.strip(),
        fragment.strip() if hash_mark else None,
        (label[0] if label else target).strip(),
        is_embed,
        form,
    )
