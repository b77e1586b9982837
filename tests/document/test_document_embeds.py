"""Pages shown inside others."""

from __future__ import annotations

import pytest

from tests.document.pages import Shelf, plain_lines
from tui.document.document import read_document
from tui.document.embeds import MOST_EMBEDS
from tui.document.layout.lay import lay
from tui.document.targets import LinkTarget, TaskBox

PAGES = Shelf(
    {
        "A": "# A\n\nintro\n\n## One\n\nfirst\n\n### Deep\n\ndeep\n\n## Two\n\nsecond ^id\n",
        "Self": "![[Self]]\n",
        "Page": "![[Page]]\n",
        "B": "b ![[C]]\n\n![[C]]\n",
        "C": "c\n\n![[D]]\n",
        "D": "d\n\n![[E]]\n",
        "E": "e\n",
        "Properties": "---\nkey: value\n---\ntext\n",
        "Tasks": "# T\n\n- [ ] first\n\n## Here\n\n- [ ] second\n",
        "Links": "[[Other]] [x](sub/y.md)\n",
    }
)


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("![[A#Two]]", ["▎ ⧉ A › Two", "▎", "▎ Two", "▎ " + "─" * 28, "▎ second ^id"]),
        ("![[A#^id]]", ["▎ ⧉ A › ^id", "▎", "▎ second ^id"]),
        ("![[A#Deep|label]]", ["▎ ⧉ label", "▎", "▎ Deep", "▎ deep"]),
        ("![[Properties]]", ["▎ ⧉ Properties", "▎", "▎ text"]),
        ("![[Nowhere]]", ["▎ ⧉ Nowhere  there is no such", "▎   page to show"]),
        ("> ![[E]]", ["▎ ▎ ⧉ E", "▎ ▎", "▎ ▎ e"]),
    ],
)
def test_what_an_embed_shows(text: str, lines: list[str]) -> None:
    assert plain_lines(text, 30, PAGES) == lines


def test_a_whole_page_is_embedded_with_its_sections() -> None:
    shown = "\n".join(plain_lines("![[A]]", 30, PAGES))
    assert all(word in shown for word in ("intro", "first", "deep", "second"))


@pytest.mark.parametrize("text", ["![[Self]]", "![[Page]]"])
def test_a_circle_is_stopped(text: str) -> None:
    assert any("not shown again inside itself" in line for line in plain_lines(text, 60, PAGES))


def test_the_fourth_level_is_not_shown() -> None:
    shown = "\n".join(plain_lines("![[B]]", 60, PAGES))
    assert "▎ ▎ ▎ d" in shown
    assert "⧉ E  not shown: embedded too deep" in shown


def test_very_many_embeds_end_somewhere() -> None:
    shown = "\n".join(plain_lines("![[E]]\n\n" * (MOST_EMBEDS + 5), 60, PAGES))
    assert shown.count("not shown: this page embeds too much") == 5


def test_tasks_and_links_of_an_embed_are_of_its_page() -> None:
    document = read_document("![[Tasks#Here]]\n\n![[Links]]", "Page.md", PAGES)
    targets = [each for block in document.blocks for each in lay(block, 60).targets]
    assert TaskBox(6, "Tasks.md") in targets
    assert LinkTarget("sub/y.md", "Links.md") in targets
    assert [each.text for each in document.headings] == []
