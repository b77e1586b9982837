"""Taking parts of a proposal: all is the proposal, none is the page, and nothing else changes."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vault.review.parts import parts_of, with_parts

LINES = st.lists(st.sampled_from(["a\n", "b\n", "c\r\n", "\n", "ü 日本\n", "d"]), max_size=14)
TEXTS = LINES.map("".join)


@given(TEXTS, TEXTS)
def test_all_parts_are_the_proposal_and_none_the_page(base: str, text: str) -> None:
    parts = parts_of(base, text)
    assert with_parts(base, parts, range(len(parts))) == text
    assert with_parts(base, parts, ()) == base


@given(TEXTS, TEXTS, st.data())
def test_what_was_left_can_be_taken_later(base: str, text: str, data: st.DataObject) -> None:
    parts = parts_of(base, text)
    taken = data.draw(st.sets(st.integers(0, max(0, len(parts) - 1))))
    made = with_parts(base, parts, taken)
    rest = parts_of(made, text)
    assert with_parts(made, rest, range(len(rest))) == text
    assert all(one.end < two.start for one, two in pairwise(parts))


@pytest.mark.parametrize(
    ("base", "text", "count"),
    [
        ("", "new page\n", 1),
        ("a\nb\nc\n", "a\nB\nc\n", 1),
        ("a\nb\nc\nd\ne\n", "A\nb\nc\nd\nE\n", 2),
        ("one\n\ntwo\nx\n", "ONE\n\nTWO\nx\n", 1),
        ("a\n", "a", 1),
        ("a\n", "a\n", 0),
    ],
)
def test_what_counts_as_one_part(base: str, text: str, count: int) -> None:
    assert len(parts_of(base, text)) == count
