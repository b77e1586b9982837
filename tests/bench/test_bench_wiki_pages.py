"""Which pages the wiki bench opens, and how it knows that they are drawn."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.vault.pages_of_others import KEPT
from tui.bench.figures import BenchFault
from tui.bench.wiki_article import LARGEST, _choose
from tui.bench.wiki_scroll import PAGE_BYTES, _long_page
from tui.bench.wiki_window import copy_wiki
from tui.document.document import read_document
from tui.document.layout.lay import lay


def test_every_chosen_page_shows_its_mark_in_a_narrow_pane() -> None:
    root = KEPT / "til"
    chosen = _choose(root, 12)
    assert len({each.path for each in chosen}) == 12 > LARGEST
    for each in chosen:
        assert each.mark not in each.path
        blocks = read_document((root / each.path).read_text("utf-8")).blocks
        lines = [line.text for block in blocks[:8] for line in lay(block, 30).lines]
        assert any(each.mark in line for line in lines)


def test_the_long_page_is_long_enough(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("word " * 50_000)
    (tmp_path / "b.md").write_text("word " * 50_000)
    assert len(_long_page(tmp_path)) > PAGE_BYTES


def test_a_wiki_that_is_not_here_is_a_fault(tmp_path: Path) -> None:
    with pytest.raises(BenchFault, match="ZIB_CORPORA"):
        copy_wiki("til", None, tmp_path)
    with pytest.raises(BenchFault, match="no nothing"):
        copy_wiki("nothing", tmp_path, tmp_path)


def test_the_copy_may_be_written_to(tmp_path: Path) -> None:
    corpora = tmp_path / "corpora"
    page = corpora / "til" / "sub" / "page.md"
    page.parent.mkdir(parents=True)
    page.write_text("x")
    page.chmod(0o400)
    copied = copy_wiki("til", corpora, tmp_path) / "sub" / "page.md"
    copied.write_text("y")
    assert page.read_text() == "x"
