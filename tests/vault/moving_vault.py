"""Small vaults to move pages about in, and what every link of one leads to."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from vault.consent import Consents
from vault.links.resolve import Found, LinkResolver
from vault.links.scan import find_links
from vault.vault import Vault, open_vault


def make_vault(root: Path, pages: Mapping[str, str]) -> Vault:
    """Somebody's folder with these pages, which zib may change."""
    for path, text in pages.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(text.encode())
    vault = open_vault(root, Consents(root.with_name(root.name + "-consents")))
    if not vault.is_ours:
        vault.agree()
    return vault


def pages_of(vault: Vault) -> dict[str, str]:
    """Every page's text."""
    return {
        note.path: (vault.root / note.path).read_bytes().decode() for note in vault.listing().notes
    }


def leads(vault: Vault, *, with_names: bool = True) -> dict[str, list[str | None]]:
    """The path each link of each page leads to, in order; None for one that leads to none."""
    listing = vault.listing()
    resolver = LinkResolver([note.path for note in listing.notes])
    if with_names:
        resolver = vault.resolver(listing)
    found: dict[str, list[str | None]] = {}
    for path, text in pages_of(vault).items():
        resolutions = [resolver.resolve(link, path) for link in find_links(text)]
        found[path] = [
            resolution.path if isinstance(resolution, Found) else None for resolution in resolutions
        ]
    return found
