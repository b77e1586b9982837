"""Large wikis: pages read in processes of their own, and blocks found without the parser."""

from __future__ import annotations

import functools
import os
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from vault.article.block import Block, BlockKind
from vault.article.blocks import read_layout
from vault.article.lines import line_table
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
    *("foo", "- a", "- b", "* c", "- [ ] t", "- [[w]]", "-", "*", "+", "  ", "***", "``", "`x`"),
    *("  ```", "> ```", "- # h", "-     x", "# \x0c", "\u00a0x", "1", "[^1]: n", "<https://a.b>"),
    *("- <!--", "<?php", "==", "- - -", "- a  ", "````", "``` a`b", "\u2028", "   para", "a  "),
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


@settings(deadline=None, max_examples=5000 if os.environ.get("ZIB_HARDEN") else 200)
@given(
    st.lists(st.sampled_from(("", "", "", "", *PIECES)), max_size=11).map("\n".join),
    st.sampled_from(("", "\n", "\n\n", "\n  ", "  \n")),
)
def test_blocks_are_those_of_a_whole_parser(lines: str, end: str) -> None:
    text = f"\n{lines}{end}"
    count = line_table(text).count
    tokens = MarkdownIt("commonmark").parse(text)
    expected = [
        Block(
            kind := _TYPES[token.type],
            min(token.map[0], count),
            min(token.map[1], count),
            token.level,
            int(token.tag[1:]) if kind is BlockKind.HEADING else 0,
            _content(kind, token, tokens[index + 1 : index + 2]),
            token.markup if kind is BlockKind.FENCE else "",
        )
        for index, token in enumerate(tokens)
        if token.type in _TYPES and token.map is not None
    ]
    assert list(read_layout(text).blocks) == expected


def _content(kind: BlockKind, token: Token, inner: list[Token]) -> str:
    match kind:
        case BlockKind.HEADING:
            return inner[0].content
        case BlockKind.FENCE:
            return token.info.strip()
        case BlockKind.HTML:
            return token.content.partition("\n")[0]
        case _:
            return ""
