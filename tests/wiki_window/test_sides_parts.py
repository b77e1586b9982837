"""The parts of the panel, the way, the status line and the help as values."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tui.screens.help_rows import shown_key
from tui.status_wording import wiki_lines
from tui.widgets.wiki.crumbs import Crumb, crumbs_of
from tui.widgets.wiki.panel.graph import Around, graph_rows
from tui.widgets.wiki.panel.tabs import TABS, PanelTab, tab_labels
from tui.widgets.wiki.trail import Trail, Visit
from tui.widgets.wiki.window_memory import Remembered, WindowMemory
from tui.wiki_facts import WikiFacts
from vault.graph.graph import Neighbour

LEAST_WIDTH = 30


@pytest.mark.parametrize("tab", TABS)
@pytest.mark.parametrize("count", [None, 0, 12, 345])
@pytest.mark.parametrize("width", [LEAST_WIDTH, 37, 60])
def test_the_names_of_the_tabs_fit(tab: PanelTab, count: int | None, width: int) -> None:
    labels = tab_labels(tab, count, width)
    assert sum(map(len, labels)) <= width
    assert labels[TABS.index(tab)].split()[0] == tab.title()


@given(
    st.lists(st.tuples(st.text(max_size=50), st.integers(0, 3), st.integers(0, 3)), max_size=60),
    st.integers(0, 12),
)
def test_the_graph_has_a_line_for_each_neighbour(
    pages: list[tuple[str, int, int]], beyond: int
) -> None:
    near = tuple(
        Neighbour(f"{number}.md", title, there, back or not there)
        for number, (title, there, back) in enumerate(pages)
    )
    further = {each.path: near[:beyond] for each in near[:2]}
    filled = graph_rows(Around("x.md", "Here", near, further))
    drawn = [row.text.plain for row in filled.rows]
    assert drawn[filled.cursor if filled.cursor else 0] is not None
    assert sum(text == "● Here" for text in drawn) == 1
    assert filled.count == len(near)
    assert all("\n" not in text for text in drawn)
    centre = drawn.index("● Here")
    corners = [text[0] for text in drawn[:centre] + drawn[centre + 1 :]]
    if near:
        assert corners[0] in "╭├╰"
        above = sum(not each.links_to for each in near)
        assert (drawn[0][0] == "╭") == (above > 0)


def test_the_way_to_an_article() -> None:
    assert crumbs_of("articles/Photo/Lens.md", "Lens", ("Care", "care")) == (
        Crumb("articles", "articles/"),
        Crumb("Photo", "articles/Photo/"),
        Crumb("Lens", "#"),
        Crumb("Care", "#care"),
    )


def test_the_trail_keeps_places_and_forgets_what_lay_ahead() -> None:
    trail = Trail()
    assert (trail.back(), trail.forward(), trail.visited) == (None, None, ())
    trail.visit("a")
    trail.leave_at((3, 1))
    trail.visit("b")
    assert trail.back() == Visit("a", (3, 1))
    assert trail.back() is None
    assert trail.forward() == Visit("b")
    trail.visit("c")
    trail.visit("a")
    assert trail.visited == ("a", "c", "b")
    assert trail.back() == Visit("c")
    trail.visit("d")
    assert trail.forward() is None


@pytest.mark.parametrize(
    "content", [b"", b"{", b"[]", b'{"recent": 3}', b"\xff" * 9, b"[" * 9999], ids=range(6)
)
def test_a_damaged_memory_is_a_new_one(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "wiki-window.json").write_bytes(content)
    memory = WindowMemory(tmp_path)
    assert memory.read() == Remembered()
    memory.keep_opened(tmp_path / "a\udcff")
    memory.keep_opened(tmp_path / "b")
    memory.keep_panel(is_beside=False, is_below=True)
    recent = (str(tmp_path / "b"), str(tmp_path / "a\udcff"))
    assert memory.read() == Remembered(False, True, recent)


def test_a_memory_that_cannot_be_kept_is_no_fault(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    memory = WindowMemory(tmp_path / "file" / "below")
    memory.keep_opened(tmp_path)
    assert memory.read() == Remembered()


def test_the_status_line_has_a_form_for_every_width() -> None:
    facts = WikiFacts(Path("/x/garden"), False, 1234, 5678, 2, "rescan")
    lines = wiki_lines(facts)
    assert lines[0] == (
        "garden · 1,234 notes not made here · 5,678 links · 2 uncommitted · rescan · /x/garden"
    )
    assert lines[-2:] == ("garden · 1,234 · 2 ● · rescan", "garden")
    assert [len(line) for line in lines] == sorted(map(len, lines), reverse=True)


@pytest.mark.parametrize(
    ("key", "shown"),
    [("f1", "F1"), ("ctrl+n", "Ctrl+N"), ("alt+left", "Alt+←"), ("slash", "/"), ("X", "X"),
     ("pageup", "Page Up"), ("t", "t"), ("escape", "Escape")],
)  # fmt: skip
def test_keys_are_called_what_is_on_them(key: str, shown: str) -> None:
    assert shown_key(key) == shown
