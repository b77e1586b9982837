"""The passages of an article that somebody may want to correct."""

from __future__ import annotations

import re

from vault.article.block import BlockKind
from vault.article.page import parse_article

_WORD = re.compile(r"\w{3,}")
_KINDS = frozenset({BlockKind.PARAGRAPH})


def passages_of(text: str, hint: str = "") -> tuple[str, ...]:
    """Paragraphs and list items that are there once; those that share words with `hint` first."""
    article = parse_article(text)
    lines = article.layout.lines
    found: dict[str, None] = {}
    for block in article.layout.blocks:
        if block.kind in _KINDS:
            passage = text[lines.start(block.first) : lines.end(block.end - 1)].rstrip("\r\n")
            if passage.strip() and text.count(passage) == 1 and not passage.startswith("[^"):
                found[passage] = None
    sought = set(_WORD.findall(hint.casefold()))
    return tuple(
        sorted(found, key=lambda passage: -len(sought & set(_WORD.findall(passage.casefold()))))
    )


def passage_with(text: str, selected: str) -> str:
    """The one passage that holds a selected text; empty when there is none or several."""
    wanted = " ".join(selected.split())
    holding = [each for each in passages_of(text) if wanted and wanted in " ".join(each.split())]
    return holding[0] if len(holding) == 1 else ""
