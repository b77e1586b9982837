"""Addresses inside the program: `wiki:` and a percent-encoded target, `conv:` and a hash."""

from __future__ import annotations

import re
from urllib.parse import quote, unquote

_SCHEME = "wiki:"
_CITATION = re.compile(r"conv:[0-9a-f]{4,64}", re.IGNORECASE)


def wiki_address(target: str) -> str:
    """The address for a wikilink's target (`Page#fragment`)."""
    return _SCHEME + quote(target)


def wiki_target(address: str) -> str | None:
    """The target in an address made by `wiki_address`, else None."""
    return unquote(address.removeprefix(_SCHEME)) if address.startswith(_SCHEME) else None


def chat_citation(text: str) -> str:
    """The message or chat that a text cites, as `conv:HASH`; empty when it is no citation."""
    return text.strip().lower() if _CITATION.fullmatch(text.strip()) else ""
