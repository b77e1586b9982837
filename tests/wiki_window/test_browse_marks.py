"""Foreign text with marked places, and questions asked while somebody types."""

from __future__ import annotations

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from textual.content import Content

from tests.wiki_window.browse_wikis import FORBIDDEN, HOSTILE
from tui.newest import Newest
from tui.text.line import to_line
from tui.text.marked import between, marked_line

ANY_TEXT = st.one_of(st.sampled_from(HOSTILE), st.text(max_size=30))
PLACES = st.lists(st.tuples(st.integers(0, 40), st.integers(0, 40)), max_size=4)


@given(ANY_TEXT, PLACES, st.one_of(st.none(), st.integers(0, 30)))
def test_marked_text_shows_the_same_on_one_line(
    text: str, spans: list[tuple[int, int]], cells: int | None
) -> None:
    line = marked_line(text, spans, cells)
    assert not any(sign in line.plain for sign in FORBIDDEN)
    if cells is not None:
        assert cell_len(line.plain) <= max(cells, 0)
    elif text.isascii() and text.strip():
        assert line.plain == to_line(text)


@pytest.mark.parametrize(
    ("text", "spans", "marked"),
    [
        ("Digital Minimalism", [(0, 1), (8, 9)], ["D", "M"]),
        ("[red]x", [(0, 5)], ["[red]"]),
        ("a\u202eb", [(2, 3)], ["b"]),
        ("abc", [(1, 9)], ["bc"]),
        ("abc", [(0, 2), (1, 3)], ["ab", "c"]),
    ],
)
def test_the_places_are_marked(text: str, spans: list[tuple[int, int]], marked: list[str]) -> None:
    line = marked_line(text, spans)
    assert [line.plain[span.start : span.end] for span in line.spans] == marked


@given(ANY_TEXT, ANY_TEXT, st.integers(1, 50))
def test_two_ends_of_a_line_fit(left: str, right: str, cells: int) -> None:
    line = between(Content(to_line(left)), Content(to_line(right)), cells)
    assert cell_len(line.plain) <= cells


async def test_only_the_newest_question_is_answered_and_one_is_asked_at_a_time() -> None:
    asked: list[str] = []
    may_go = asyncio.Event()

    async def ask(question: str) -> str:
        asked.append(question)
        await may_go.wait()
        return question.upper()

    newest = Newest(ask)
    answers = [asyncio.create_task(newest.answer(text)) for text in ("l", "le", "len", "lens")]
    await asyncio.sleep(0)
    assert asked == ["l"]
    may_go.set()
    assert await asyncio.gather(*answers) == [None, None, None, "LENS"]
    assert asked == ["l", "lens"]


async def test_a_question_that_fails_does_not_block_the_next() -> None:
    async def ask(question: str) -> str:
        if not question:
            raise ValueError("nothing was asked")
        return question

    newest = Newest(ask)
    with pytest.raises(ValueError, match="nothing"):
        await newest.answer("")
    assert await newest.answer("lens") == "lens"
