"""The lines of the tree as values: grouped, folded, narrowed, whatever the pages are called."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.wiki_window.browse_wikis import DAY, FORBIDDEN, HOSTILE, listing, note
from tui.widgets.wiki.age import age_words
from tui.widgets.wiki.outline import Branch, Everything, Leaf, Outline, folders_above
from tui.widgets.wiki.outline_filter import Narrowing, marks_in, words_of
from tui.widgets.wiki.outline_groups import MOST_RECENT, Group, View, group_notes
from tui.widgets.wiki.outline_row import Look, Marks, row_text
from tui.widgets.wiki.tree_tabs import VIEWS, tab_labels
from vault.index.groups import PageGroup, PageGroups

NOTES = (
    note("articles/Photo/Lens_test.md", modified_ns=5 * DAY),
    note("articles/Photo/Old.md", modified_ns=1 * DAY),
    note("articles/Zettel.md", modified_ns=9 * DAY),
    note("Talk/Lens_test.md", modified_ns=7 * DAY),
)
GROUPS = PageGroups(
    categories=(
        PageGroup("tools", ("articles/Zettel.md", "gone.md")),
        PageGroup("Art", ("articles/Photo/Old.md",)),
        PageGroup("empty", ("gone.md",)),
    ),
    tags=(
        PageGroup("photo", ("articles/Photo/Old.md",)),
        PageGroup("photo/lens", ("articles/Photo/Lens_test.md",)),
        PageGroup("Zoo", ("articles/Zettel.md",)),
    ),
)


def grouped(view: View, pinned: tuple[str, ...] = ()) -> Group:
    return group_notes(view, listing(NOTES), GROUPS, pinned)


def shown(outline: Outline) -> list[str]:
    lines = []
    for line in range(len(outline)):
        row = outline.row(line)
        name = f"{row.group.title}/{row.group.total}" if isinstance(row, Branch) else row.note.title
        lines.append("  " * row.level + name)
    return lines


@pytest.mark.parametrize(
    ("view", "pinned", "expected"),
    [
        (
            View.FOLDERS,
            (),
            [
                "Talk/1",
                "  Lens test",
                "articles/3",
                "  Photo/2",
                "    Lens test",
                "    Old",
                "  Zettel",
            ],
        ),
        (View.CATEGORIES, (), ["Art/1", "  Old", "tools/1", "  Zettel"]),
        (View.TAGS, (), ["photo/2", "  lens/1", "    Lens test", "  Old", "Zoo/1", "  Zettel"]),
        (View.RECENT, (), ["Zettel", "Lens test", "Lens test", "Old"]),
        (View.PINNED, ("gone.md", "articles/Zettel.md"), ["Zettel"]),
        (View.PINNED, (), []),
    ],
)
def test_every_grouping_has_its_pages(
    view: View, pinned: tuple[str, ...], expected: list[str]
) -> None:
    assert shown(Outline(grouped(view, pinned), Everything())) == expected


def test_what_is_folded_has_no_lines() -> None:
    top = grouped(View.FOLDERS)
    assert shown(Outline(top, ())) == ["Talk/1", "articles/3"]
    assert shown(Outline(top, {"articles/"})) == ["Talk/1", "articles/3", "  Photo/2", "  Zettel"]
    # An open folder in a closed one waits.
    assert shown(Outline(top, {"articles/Photo/"})) == ["Talk/1", "articles/3"]


def test_every_line_is_found_again_by_its_key() -> None:
    outline = Outline(grouped(View.TAGS), Everything())
    for line in range(len(outline)):
        assert outline.line_of(outline.row(line).key) == line
    assert outline.line_of(("tag:photo/", "gone.md")) is None
    assert outline.line_of(("nothing", "")) is None
    assert outline.line_of_page("articles/Zettel.md") == 5
    assert outline.line_of_page("gone.md") is None
    for line in (-1, len(outline)):
        with pytest.raises(IndexError):
            outline.row(line)


@pytest.mark.parametrize("notes_in_a_folder", [20, 20_000])
def test_twenty_thousand_pages_are_a_handful_of_values(notes_in_a_folder: int) -> None:
    notes = [
        note(f"articles/F{n // notes_in_a_folder:04}/N{n}.md", modified_ns=n) for n in range(20_000)
    ]
    many = listing(notes)
    top = group_notes(View.FOLDERS, many, PageGroups(), ())
    assert top.total == 20_000
    assert Outline(top, ()).blocks == 1
    last = many.notes[-1].path
    outline = Outline(top, set(folders_above(last)))
    assert outline.blocks == 2 + 20_000 // notes_in_a_folder
    line = outline.line_of_page(last)
    assert line is not None
    row = outline.row(line)
    assert isinstance(row, Leaf)
    assert row.note.path == last
    recent = group_notes(View.RECENT, many, PageGroups(), ())
    assert recent.total == MOST_RECENT
    assert recent.notes[0].path == last
    # What was opened counts as used, however old its file is.
    oldest = min(many.notes, key=lambda note: note.modified_ns).path
    used = group_notes(View.RECENT, many, PageGroups(), (), {oldest: 1 << 62})
    assert [note.path for note in used.notes[:2]] == [oldest, last]


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("lens", ["Talk/1", "  Lens test", "articles/1", "  Photo/1", "    Lens test"]),
        ("LENS photo", ["articles/1", "  Photo/1", "    Lens test"]),
        ("photo", ["articles/2", "  Photo/2", "    Lens test", "    Old"]),
        ("talk old", []),
        ("  ", shown(Outline(grouped(View.FOLDERS), Everything()))),
    ],
)
def test_narrowing_keeps_what_has_every_word(typed: str, expected: list[str]) -> None:
    top = Narrowing().narrow(grouped(View.FOLDERS), typed)
    assert shown(Outline(top, Everything())) == expected


@pytest.mark.parametrize(
    ("title", "typed", "expected"),
    [
        ("Café noir", "cafe", [(0, 4)]),
        ("Cafe\u0301 noir", "noir", [(5, 9)]),
        ("镜头 测试", "测试", [(3, 5)]),
        ("Lens", "zoom", []),
    ],
)
def test_words_are_marked_where_they_are_seen(
    title: str, typed: str, expected: list[tuple[int, int]]
) -> None:
    text, spans = marks_in(title, words_of(typed))
    assert spans == expected
    assert len(text) <= len(title)


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (-5, "now"),
        (59, "now"),
        (60, "1 min"),
        (3599, "59 min"),
        (7300, "2 h"),
        (86_400, "1 d"),
        (13 * 86_400, "1 w"),
        (200 * 86_400, "6 mo"),
        (800 * 86_400, "2 y"),
    ],
)
def test_ages_take_few_cells(seconds: float, words: str) -> None:
    assert age_words(seconds) == words


@given(st.integers(1, 60), st.sampled_from(HOSTILE), st.integers(0, 12), st.booleans())
def test_a_line_is_as_wide_as_the_tree_whatever_the_name(
    width: int, name: str, level: int, is_branch: bool
) -> None:
    page = note(f"a/{name}.md", name, modified_ns=time.time_ns())
    group = Group("k", name, (), (page,), 1)
    row = Branch(group, level, is_open=True) if is_branch else Leaf(page, "k", level)
    look = Look(width, time.time(), Marks(page.path, {page.path}, {page.path}), ("e",))
    line = row_text(row, look, is_lit=False)
    assert line.cell_length <= width
    assert not any(sign in line.plain for sign in FORBIDDEN)


def test_ages_and_counts_stand_on_the_right() -> None:
    page = note("a/Lens.md", modified_ns=1000 * DAY)
    look = Look(32, 1000 * 86_400 + 7200, Marks("", {page.path}, {page.path}))
    assert row_text(Leaf(page, "a/", 1), look, False).plain == "    Lens                  ●◆ 2 h"
    group = Group("a/", "Photography", (), (page,) * 1234, 1234)
    assert (
        row_text(Branch(group, 0, False), look, False).plain == "▸ Photography              1,234"
    )
    # Where there is no room the name has it.
    narrow = Look(20, look.now, Marks())
    assert row_text(Leaf(page, "a/", 1), narrow, False).plain.rstrip() == "    Lens"


@pytest.mark.parametrize("width", [60, 45, 34, 26, 20])
def test_the_five_words_fit(width: int) -> None:
    for view in VIEWS:
        labels = tab_labels(view, width)
        assert len(labels) == 5
        assert sum(map(len, labels)) <= max(width, 31)
        assert all(label.strip() for label in labels)
