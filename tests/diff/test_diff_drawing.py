"""Drawn differences: every changed line is there with its sign, nothing is wider than the view."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tui.widgets.diff.drawing import draw
from tui.widgets.diff.section import sections_of_diff, sections_of_parts
from vault.history.diff import diff_texts
from vault.review.parts import parts_of

TEXTS = st.lists(
    st.sampled_from(
        [
            "one two three",
            "one 2 three",
            "",
            "日本語の文",
            "[red]x[/]",
            "\x1b]52;c;aGk=\x07",
            "é\t|",
        ]
    ),
    max_size=8,
).map("\n".join)
OLD = "# Lens\n\nThe 35mm is sharp.\n\nPrice: 400\n"
NEW = "# Lens\n\nThe 35mm is sharp and light.\n\nPrice: 400\nBought in May.\n"


def lines_of(old: str, new: str, width: int, *, is_beside: bool) -> list[str]:
    sections = sections_of_diff(diff_texts(old, new))
    drawing = draw(sections, width, 0, by_words=True, is_beside=is_beside)
    assert all(line.cell_length <= width for line in drawing.lines)
    return [line.plain.rstrip() for line in drawing.lines]


def test_one_under_the_other() -> None:
    assert lines_of(OLD, NEW, 60, is_beside=False) == [
        " line 1 · 1 of 1",
        "  # Lens",
        "",
        "- The 35mm is sharp.",
        "+ The 35mm is sharp and light.",
        "",
        "  Price: 400",
        "+ Bought in May.",
    ]


def test_side_by_side_folds_each_column() -> None:
    assert lines_of(OLD, NEW, 43, is_beside=True) == [
        " line 1 · 1 of 1",
        "  # Lens             │   # Lens",
        "                     │",
        "- The 35mm is sharp. │ + The 35mm is sharp",
        "                     │ + and light.",
        "                     │",
        "  Price: 400         │   Price: 400",
        "                     │ + Bought in May.",
    ]


@pytest.mark.parametrize("by_words", [True, False])
def test_words_are_marked_only_when_wanted(by_words: bool) -> None:
    sections = sections_of_diff(diff_texts("a b c\n", "a x c\n"))
    drawing = draw(sections, 40, 0, by_words=by_words, is_beside=False)
    marked = [
        line.plain[span.start : span.end]
        for line in drawing.lines
        for span in line.spans
        if "reverse" in str(span.style)
    ]
    assert marked == (["b", "x"] if by_words else [])


def test_parts_have_a_box_each() -> None:
    parts = parts_of(OLD, NEW)
    drawing = draw(sections_of_parts(OLD, parts, {1}), 60, 0, by_words=True, is_beside=False)
    titles = [drawing.lines[start].plain for start in drawing.starts]
    assert titles == [" [ ] line 3 · 1 of 2 ", " [x] line 6 · 2 of 2 "]


def test_an_end_without_line_break_is_told() -> None:
    assert lines_of("a\n", "a", 60, is_beside=False)[1:] == [
        "- a",
        "+ a (no line break at the end)",
    ]


@given(TEXTS, TEXTS, st.integers(8, 120), st.booleans())
def test_nothing_is_wider_than_the_view_and_nothing_can_command_the_terminal(
    old: str, new: str, width: int, is_beside: bool
) -> None:
    sections = sections_of_diff(diff_texts(old, new))
    drawing = draw(sections, width, 0, by_words=True, is_beside=is_beside)
    for line in drawing.lines:
        assert line.cell_length <= max(width, 24)
        assert not set(line.plain) & {"\x1b", "\x07", "\t", "\n", "\r"}
    signs = [line.plain[:1] for line in drawing.lines]
    if not is_beside:
        assert signs.count("+") >= sum(
            line.kind.value == "added" for section in sections for line in section.lines
        )
