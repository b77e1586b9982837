"""The steps of reading any page, embedded ones too."""

from __future__ import annotations

import re

from tui.document.build import Builder
from tui.document.grammar import MOST_LEVELS, block_tokens
from tui.document.tables import code_pieces, read_code
from tui.text.sanitise import to_display
from vault.article.lines import with_breaks
from vault.article.page import Article

# These end no line in Markdown, and would end one on the screen.
_NOT_LINE_BREAKS = re.compile("[\x0b\x0c\x85\u2028\u2029]")


def clean_text(text: str) -> str:
    """A page's text as it may be shown, with as many lines as it had."""
    return to_display(_NOT_LINE_BREAKS.sub(" ", with_breaks(text, "\n")))


def infobox_facts(article: Article) -> dict[int, tuple[tuple[str, str], ...]]:
    """The fields of the infobox by the line it starts on."""
    box = article.infobox
    if box is None or not box.fields:
        return {}
    line = article.layout.lines.line_of(box.start)
    return {line: tuple((field.key, field.value) for field in box.fields)}


def fill(builder: Builder, body: str) -> None:
    """Read the blocks of a text; one that is nested beyond reason is shown as it is written."""
    tokens = block_tokens(body, builder.page.definitions)
    if any(token.level >= MOST_LEVELS - 1 for token in tokens):
        for piece in code_pieces(read_code("", body)):
            builder.add(piece, piece.first)
    else:
        builder.read(tokens)
