"""Texts made to harm the terminal, the parser or the reader's patience."""

from __future__ import annotations

import time
import unicodedata
from typing import Any

import pytest
from textual.pilot import Pilot

from tests.document.pages import PageApp
from tests.text.hostile_app import CONTROL, MARKUP
from tests.tui.conftest import screen_text, wait_until
from tui.document.document import read_document
from tui.document.flow import Flow
from tui.document.layout.lay import lay

SHAPES = [
    "{}", "# {}", "- [ ] {}", "> [!note] {}", "> [!{}] x", "| {} |\n|-|\n| {} |", "```{}\n{}\n```",
    "[[{}]]", "[[x|{}]]", "[{}](x.md)", "[x](<{}>)", "![{}](a.png)", "![[{}]]", "[^1]\n\n[^1]: {}",
    "---\n{}: {}\n---\n", "# T\n\n```info\n{}: {}\n```", "$${}$$", "<b>{}</b>", "categories: {}",
]  # fmt: skip
ENTITIES = "&#27;[31m &#x9b; &#x202e; &#8203; &#x2028; &#xD800; &#0; &#xe0041;"
PATHOLOGICAL = {
    "brackets": "[" * 20_000,
    "quotes": ">" * 5_000,
    "stars": "*a " * 10_000,
    "pictures": "![" * 10_000,
    "nested lists": "".join("  " * level + "- x\n" for level in range(300)),
    "delimiters": "a**b" + "c* " * 10_000,
    "address": "http://" + "a." * 20_000,
    "entities": "&" * 20_000,
    "wikilinks": "[[" * 20_000,
    "embeds": "![[" * 20_000,
    "formulas": "$a" * 20_000,
    "notes": "[^" * 20_000,
    "comments": "%%" * 9_999 + "%",
    "HTML": "<!--" * 10_000,
    "ticks": "`" * 1_000 + " a " + "`a" * 5_000,
    "cells": "|" * 5_000 + "\n" + "|-" * 5_000 + "\n" + "|" * 5_000,
    "one line": "word " * 60_000,
    "one word": "x" * 300_000,
    "Chinese": "汉" * 60_000,
    "marks": "a" + "\u0301" * 50_000,
    "rows": "| a | b |\n|-|-|\n" + "| c | d |\n" * 5_000,
    "equals": "=" * 20_000,
    "tags": "#" * 20_000,
}
SECONDS = 5.0  # ordinary ones take a tenth of one; what is quadratic takes minutes


def is_harmless(text: str) -> bool:
    """Whether a terminal only draws it."""
    return not any(
        unicodedata.category(each) in {"Cc", "Cs"} or 0x202A <= ord(each) <= 0x202E for each in text
    )


@pytest.mark.parametrize("shape", SHAPES)
def test_no_shape_lets_a_control_character_through(shape: str) -> None:
    for hostile in (*CONTROL, ENTITIES):
        for block in read_document(shape.replace("{}", hostile)).blocks:
            laid = lay(block, 40)
            assert is_harmless(laid.text.replace("\n", "")), (shape, hostile)
            assert all(is_harmless(line.text) for line in laid.lines), (shape, hostile)


@pytest.mark.parametrize("text", PATHOLOGICAL.values(), ids=PATHOLOGICAL)
def test_no_text_takes_long(text: str) -> None:
    start = time.process_time()
    flow = Flow(read_document(text), 80)
    while flow.lay_next() is not None:
        pass
    assert time.process_time() - start < SECONDS


async def test_markup_is_only_text_whatever_is_clicked() -> None:
    text = "\n\n".join(MARKUP) + "\n\n" + "\n".join(f"- {each}" for each in CONTROL)
    app = PageApp(text)
    async with app.run_test(size=(60, 40)) as pilot:
        await wait_until(pilot, lambda: app.view.reader.flow, "the page")
        shown = screen_text(pilot)
        assert "[red]x[/red]" in shown
        assert "[@click=app.quit]press[/]" in shown
        await click_everywhere(pilot)
        assert app.is_running
        assert is_harmless(shown.replace("\n", ""))


async def click_everywhere(pilot: Pilot[Any]) -> None:
    """Some cells of the first lines."""
    for row in range(0, 28, 4):
        for column in (4, 14):
            await pilot.click(offset=(column, row))
