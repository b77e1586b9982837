"""Which pages of the wiki something may belong to."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from tui.assistant.remember.telling import is_telling
from vault.article.page import parse_article
from vault.errors import VaultError
from vault.files import ArticleFile
from vault.index.names import known_names
from vault.names import stem_of, title_of
from vault.setup import ARTICLES
from vault.vault import Vault

_MOST = 4
_LOOKED_THROUGH = 12
_LONGEST_QUERY = 300
_SHORTEST_NAME = 3
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Place:
    """A page as it is now; `heading` is where on it the text fits best, `about` how it begins.

    `is_named` when the text says what the page is called.
    """

    path: str
    title: str
    text: str
    heading: str = ""
    about: str = ""
    is_named: bool = False


def places_for(vault: Vault, text: str) -> tuple[Place, ...]:
    """Pages that may be changed, the best first; those that are named before all others."""
    words = " ".join(_WORD.findall(text.casefold()))
    found: dict[str, Place] = {}
    for path in _named(vault, f" {words} "):
        _add(found, vault, path, "", is_named=True)
    query = " ".join(_WORD.findall(text[:_LONGEST_QUERY]))
    for hit in vault.search.find(query, _LOOKED_THROUGH).hits if query else ():
        heading = hit.passages[0].heading_path[-1:] if hit.passages else ()
        _add(found, vault, hit.path, heading[0] if heading else "", is_named=False)
    return tuple(found.values())[:_MOST]


def place_at(vault: Vault, path: str) -> Place | None:
    """One page, when it may be changed."""
    found: dict[str, Place] = {}
    _add(found, vault, path, "", is_named=True)
    return found.get(path)


def _add(found: dict[str, Place], vault: Vault, path: str, heading: str, *, is_named: bool) -> None:
    if len(found) >= _MOST or not _is_for_notes(vault, path):
        return
    known = found.get(path)
    if known is not None:
        found[path] = Place(path, known.title, known.text, heading, known.about, known.is_named)
        return
    try:
        file = vault.read(path)
    except VaultError:
        return
    if _can_change(file):
        article = parse_article(file.text or "")
        if article.opening.redirect is None:
            lead = article.opening.lead
            title = title_of(stem_of(path))
            found[path] = Place(
                path, title, file.text or "", heading, lead.text[:120] if lead else "", is_named
            )


def _can_change(file: ArticleFile) -> bool:
    return file.text is not None and file.read_only_reason is None


def _is_for_notes(vault: Vault, path: str) -> bool:
    return not vault.is_ours or path.startswith(f"{ARTICLES}/")


def _named(vault: Vault, words: str) -> Iterator[str]:
    """The pages whose names the text says, the longest name first."""
    said: list[tuple[int, str]] = []
    for path, names in known_names(vault.index, with_excluded=False).items():
        for name in (title_of(stem_of(path)), *names.all):
            own = tuple(_WORD.findall(name.casefold()))
            key = " ".join(own)
            is_name = len(key) >= _SHORTEST_NAME and is_telling(own)
            if is_name and f" {key} " in words:
                said.append((-len(key), path))
    return iter(dict.fromkeys(path for _, path in sorted(said)))
