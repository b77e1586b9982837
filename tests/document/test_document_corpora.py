"""Pages that other people wrote: each is read and drawn without a fault."""

from __future__ import annotations

import os
import random
from pathlib import Path

from rich.cells import cell_len

from tests.document.pages import seen_lines
from tests.vault.pages_of_others import folders, pages
from tui.document.document import read_document

SAMPLED = 60
WIDTHS = (4, 38, 88)


def test_every_page_is_drawn() -> None:
    every = [page for folder in folders() for page in pages(folder)]
    seed = random.randrange(1 << 30)
    print(f"seed {seed}")  # noqa: T201  (shown when the test fails)
    if not os.environ.get("ZIB_HARDEN"):
        every = random.Random(seed).sample(every, min(SAMPLED, len(every)))
    assert every
    for page in every:
        draw(page)


def draw(page: Path) -> None:
    """Lay a page out at several widths."""
    document = read_document(page.read_text("utf-8", errors="replace"), page.name)
    lines = [heading.line for heading in document.article.headings]
    assert [heading.line for heading in document.headings] == lines, page
    for width in WIDTHS:
        for block in document.blocks:
            for line in seen_lines(block, width):
                assert cell_len(line.text) <= width, (page, line.text)
