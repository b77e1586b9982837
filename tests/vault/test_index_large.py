"""Large wikis: pages read in processes of their own, and blocks found in shortened lines."""

from __future__ import annotations

import functools
import os
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from vault.article.block import BlockKind
from vault.article.blocks import read_layout
from vault.index import reading
from vault.index.reading import Wanted, read_page, read_pages
from vault.listing import list_vault


def test_other_processes_read_what_this_one_reads(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(120):
        (tmp_path / f"{number}.md").write_text(f"# Page {number}\n\n[[{number + 1}]] 中文 #tag")
    (tmp_path / "odd.md").write_bytes(b"\x00\x01")
    wanted = [Wanted(note) for note in list_vault(tmp_path).notes]
    (tmp_path / "7.md").unlink()
    here = [read_page(tmp_path, each) for each in wanted]
    assert [each.note.path for each in here if each.is_missing] == ["7.md"]
    assert [each.note.path for each in here if each.problem] == ["odd.md"]
    monkeypatch.setattr(reading, "LARGE", 100)
    monkeypatch.setattr(reading, "_PAGES_MEANWHILE", 30)
    monkeypatch.setattr(reading, "_processors", lambda: 2)
    assert list(read_pages(tmp_path, wanted)) == here
    monkeypatch.setattr(reading, "_begin", functools.partial(os._exit, 3))
    assert list(read_pages(tmp_path, wanted)) == here, "where processes end, this one reads"


PIECES = (
    *("word and more", "中文字", "- item", "1. one", "10) ten", "> quote", "# Title", "## 2 b"),
    *("===", "---", "```", "```py x", "~~~", "    code", "\tcode", "<div>", "</div>", "<!--"),
    *(
        "a -->",
        "-->",
        "<pre>",
        "x</pre> y",
        "[a]: /url",
        "[a]:",
        "[a\\]]: /x",
        "[[a]]: b",
        "'title'",
        "[a](b)",
        "a\\",
    ),
    *(
        "## a ##",
        "#\tT #",
        "# #",
        "#",
        "##  x\u00a0\u2003",
        "#x",
        "####### y",
        "### 中 ##\t",
        "[[a]] b",
    ),
    *("* * *", "_x_ y", "**b**", "| a | b |", "|---|", "  - deep", "> - # in", "\0a", "x: y"),
)
_TYPES = {
    "heading_open": BlockKind.HEADING,
    "paragraph_open": BlockKind.PARAGRAPH,
    "fence": BlockKind.FENCE,
    "code_block": BlockKind.INDENTED_CODE,
    "html_block": BlockKind.HTML,
    "hr": BlockKind.RULE,
    "blockquote_open": BlockKind.QUOTE,
    "bullet_list_open": BlockKind.LIST,
    "ordered_list_open": BlockKind.LIST,
}


@settings(deadline=None)
@given(st.lists(st.sampled_from(("", *PIECES)), max_size=9).map("\n".join))
def test_shortened_lines_have_the_same_blocks(below: str) -> None:
    text = f"no front matter\n\n{below}"
    tokens = MarkdownIt("commonmark").parse(text)
    expected = [
        (_TYPES[token.type], *token.map, token.level, token.info.strip())
        for token in tokens
        if token.type in _TYPES and token.map is not None
    ]
    titles = [tokens[i + 1].content for i, each in enumerate(tokens) if each.type == "heading_open"]
    blocks = read_layout(text).blocks
    assert [(b.kind, b.first, b.end, b.depth) for b in blocks] == [each[:4] for each in expected]
    assert [b.content for b in blocks if b.kind is BlockKind.HEADING] == titles
    fences = [each[4] for each in expected if each[0] is BlockKind.FENCE]
    assert [b.content for b in blocks if b.kind is BlockKind.FENCE] == fences
