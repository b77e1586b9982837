"""Tells quickly whether a page may hold a link to one of some pages.

Looks at every run of characters that could be a link's target, code included, so that only few
pages have to be parsed.
"""

import re
from collections.abc import Iterable
from urllib.parse import unquote

from vault.links.brackets import DEFINED, DESTINATION, GAP
from vault.links.properties import unquoted
from vault.links.resolve import page_key
from vault.names import NOTE_SUFFIX

_TARGET = re.compile(
    r"\[\[([^\[\]\r\n|]{1,2000})"
    rf"|\]\((?={GAP}({DESTINATION}))"
    rf"|{DEFINED}(?={GAP}(<[^<>\r\n]{{1,2000}}>|[^\s<>][^\s]{{0,2000}}))",
    re.MULTILINE,
)
_BACKSLASH = re.compile(r"\\([!-/:-@\[-`{-~])")


class Mentions:
    """`names` are paths, titles and aliases; only their last part is looked for."""

    def __init__(self, names: Iterable[str]) -> None:
        self._keys: set[str] = set()
        for name in names:
            key = last_part(name)
            self._keys |= {key, key.partition("#")[0].strip(), key.partition("?")[0]}
            # The name of a folder may have the mark that ends the target of most links.
            self._keys.add(last_part(name.partition("#")[0]))
        self._keys.discard("")

    def are_in(self, text: str) -> bool:
        """Whether the page may link to one of them."""
        return any(
            not self._keys.isdisjoint(_keys_of(next(filter(None, found.group(1, 2, 4)), "")))
            for found in _TARGET.finditer(text)
        )


def _keys_of(written: str) -> set[str]:
    bare = written[1:-1] if written.startswith("<") and written.endswith(">") else written
    target = _BACKSLASH.sub(r"\1", bare).partition("#")[0]
    spellings = {target, target.rstrip("\\"), unquote(target, errors="replace")}
    spellings |= {unquoted(target, quote) for quote in "'\""}
    return {last_part(each.strip()) for each in spellings}


def last_part(path: str) -> str:
    """Return what links to a page share, however much of its path and suffix they spell."""
    name = path.rstrip("/").rpartition("/")[2].rstrip()
    # A link to `a.md` may mean a page whose file is `a.md.md`.
    while name[-3:].casefold() == NOTE_SUFFIX:
        name = name[:-3]
    return page_key(name)
