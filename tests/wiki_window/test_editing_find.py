"""Finding and replacing, held against Python's own."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from tui.widgets.wiki.editing.find import (
    Sought,
    all_replaced,
    find_places,
    next_place,
    place_before,
    replaced,
)

letters = st.text("aAbB.\r\n\\$é漢😀", max_size=30)


@given(text=letters, sought=st.text("aAb.\\$é漢😀", min_size=1, max_size=3), by=letters)
def test_plain_text_is_replaced_as_it_is(text: str, sought: str, by: str) -> None:
    is_exact = sought != sought.lower()
    pattern = re.compile(re.escape(sought), 0 if is_exact else re.IGNORECASE)
    places = find_places(text, Sought(sought)).places
    assert places == tuple(found.span() for found in pattern.finditer(text))
    change = all_replaced(text, Sought(sought), places, by)
    if not places:
        assert change is None
        return
    assert change is not None
    start, end, new = change
    assert text[:start] + new + text[end:] == pattern.sub(lambda _: by, text)


@given(text=letters, by=st.sampled_from([r"<\1>", r"\g<1>\1", "x", r"\\"]))
def test_a_pattern_puts_its_groups_in(text: str, by: str) -> None:
    sought = Sought("(a|漢).?", is_pattern=True)
    places = find_places(text, sought).places
    change = all_replaced(text, sought, places, by)
    if places:
        assert change is not None
        start, end, new = change
        wanted = re.sub("(a|漢).?", by, text, flags=re.IGNORECASE | re.MULTILINE)
        assert text[:start] + new + text[end:] == wanted


@given(text=letters, index=st.integers(0, 40))
def test_next_and_before_walk_in_a_ring(text: str, index: int) -> None:
    places = find_places(text, Sought("a")).places
    if places:
        after = places[next_place(places, index)]
        assert after[0] >= index or after == places[0]
        before = places[place_before(places, index)]
        assert before[0] < index or before == places[-1]


def test_what_cannot_be_found_says_why() -> None:
    assert find_places("x", Sought("")).places == ()
    assert "not a pattern" in find_places("x", Sought("(", is_pattern=True)).problem
    assert find_places("aaa", Sought("(?=a)", is_pattern=True)).places == ()
    assert replaced("a", Sought("a", is_pattern=True), (0, 1), r"\2") is None
    endless = find_places("a" * 40 + "!", Sought("(a|a|aa)+$", is_pattern=True))
    assert endless.problem in {"", "this pattern takes too long"}
