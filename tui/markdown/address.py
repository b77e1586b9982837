"""Addresses of wikilinks in drawn Markdown: `wiki:` and the percent-encoded target."""

from __future__ import annotations

from urllib.parse import quote, unquote

_SCHEME = "wiki:"


def wiki_address(target: str) -> str:
    """The address for a wikilink's target (`Page#fragment`)."""
    return _SCHEME + quote(target)


def wiki_target(address: str) -> str | None:
    """The target in an address made by `wiki_address`, else None."""
    return unquote(address.removeprefix(_SCHEME)) if address.startswith(_SCHEME) else None
