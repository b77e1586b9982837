"""Searching the text of all pages while typing: rows, reasons, remarks, and where Enter leads."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from tests.tui.conftest import MakeApp, screen_text, wait_until
from tests.wiki_window.browse_wikis import FORBIDDEN, HOSTILE, Host
from tui.screens.wiki.found import CreatePage, Found, LookElsewhere, OpenPage
from tui.screens.wiki.search import FIRST_PAGES, MORE_PAGES, SearchScreen
from tui.screens.wiki.search_preview import preview_text
from tui.screens.wiki.search_rows import (
    ROW_LINES,
    PassageRow,
    ResultRow,
    result_lines,
    rows_of,
    snippet_lines,
)
from tui.screens.wiki.search_words import count_words, explanation, remark, waiting_words
from tui.widgets.chat.pane import ChatPane
from vault.errors import SearchUnavailable
from vault.index.index import Progress
from vault.search.result import Hit, Part, Passage, Results, Suggestion

SIZE = (120, 30)
LENS = Passage(("Lens", "Weight"), "weight", 7, "The zoom is heavy.", ((4, 8),))
LENS_TOO = Passage(("Lens", "Price"), "price", 12, "A zoom costs more.", ((2, 6),))
HITS = (
    Hit("a/Lens.md", "Lens", "2024-03-01", 3.5, (Part("words", 3.5, ("zoom",)),), (LENS, LENS_TOO)),
    Hit("a/Bag.md", "Bag", "", 1.0, (), (Passage((), "", 1, "For the zoom.", ((8, 12),)),)),
)
RESULTS = Results(HITS, 2, (Suggestion("Zoom lenses", links=3), Suggestion("Zoo", "a/Zoo.md")))
PAGE = (
    "# Lens\n\nIntroduction.\n\n## Weight\n\nThe zoom is heavy, zooms are.\n\n## Price\n\nMore.\n"
)


def test_every_passage_and_suggestion_is_a_row() -> None:
    rows = rows_of(RESULTS)
    first = [row.is_first for row in rows if isinstance(row, PassageRow)]
    assert first == [True, False, True]
    texts = ["\n".join(line.plain for line in result_lines(row, 40)) for row in rows]
    assert texts == [
        "Lens › Weight                 2024-03-01\n  The zoom is heavy.",
        "  ⋮ › Price\n  A zoom costs more.",
        "Bag                                     \n  For the zoom.",
        "+ Create Zoom lenses\n  not written yet; 3 links ask for it",
        "Did you mean Zoo?\n  a page with a name like that",
    ]


@pytest.mark.parametrize("text", HOSTILE)
@pytest.mark.parametrize("width", [2, 20, 70])
def test_a_row_fits_whatever_a_page_says(text: str, width: int) -> None:
    passage = Passage((text, text), text, 1, text, ((0, 1), (2, 400)))
    hit = Hit(f"{text}.md", text, text, 1.0, (Part(text, 1.0, (text,)),), (passage,))
    rows: tuple[ResultRow, ...] = (
        *rows_of(Results((hit,), 1, (Suggestion(text), Suggestion(text, "a.md")))),
        PassageRow(hit, passage, is_first=False),
    )
    for row in rows:
        lines = result_lines(row, width)
        assert len(lines) < ROW_LINES
        for line in lines:
            assert line.cell_length <= max(width, 4)
            assert not any(sign in line.plain for sign in FORBIDDEN)
    reasons = explanation(hit).plain
    assert not any(sign in reasons for sign in FORBIDDEN if sign != "\n")
    shown = preview_text(f"a\n{text}\nb", passage).plain
    assert not any(sign in shown for sign in FORBIDDEN if sign != "\n")


@pytest.mark.parametrize("width", [12, 30, 60])
def test_the_first_word_that_was_found_is_seen(width: int) -> None:
    text = "… " + "some words before " * 9 + "the zoom lens " + "and more after it " * 9
    at = text.index("zoom")
    lines = snippet_lines(Passage((), "", 1, text, ((at, at + 4),)), width)
    assert len(lines) == 2
    marked = [line.plain[span.start : span.end] for line in lines for span in line.spans]
    assert marked == ["zoom"]
    assert lines[1].plain.endswith("…")


def test_the_preview_begins_at_the_passage_and_marks_the_words() -> None:
    shown = preview_text(PAGE, LENS)
    assert shown.plain.startswith("…\n## Weight\n\nThe zoom is heavy")
    assert "Introduction" not in shown.plain
    marks = [span for span in shown.spans if "match" in str(span.style)]
    assert [shown.plain[span.start : span.end] for span in marks] == ["zoom", "zoom"]


@pytest.mark.parametrize(
    ("results", "typed", "said"),
    [
        (RESULTS, "zoom", ""),
        (Results(), "", ""),
        (Results(), "qzx", "No page was found."),
        (Results(HITS, 2, is_loosened=True), '"x y"', "No page has these words in that order"),
        (Results(HITS, 2, (), (("zom", ("zoom",)),)), "zom", "“zom”; looked for “zoom”"),
    ],
)
def test_remarks_say_what_was_done(results: Results, typed: str, said: str) -> None:
    assert said in remark(results, typed)
    assert bool(said) == bool(remark(results, typed))


def test_counts_reasons_and_waiting_are_honest() -> None:
    assert count_words(RESULTS) == "2 pages"
    assert count_words(Results(HITS[:1], 340)) == "best 1 of 340 pages"
    assert count_words(Results()) == ""
    assert waiting_words(None) == "Reading the wiki …"
    assert waiting_words(Progress(500, 20_000)) == "Reading the wiki: 500 of 20,000 pages …"
    assert "3.50 ▇▇▇▇▇▇▇▇▇▇ words on the page\n      zoom" in explanation(HITS[0]).plain
    assert "newest pages come first" in explanation(HITS[1]).plain


async def ask_for_zoom(words: str, _: int) -> Results:
    return RESULTS if "zoom" in words else Results()


async def read(_: str) -> str:
    return PAGE


async def test_keys_choose() -> None:
    cases: list[tuple[str, list[str], Found | None]] = [
        ("zoom", ["enter"], OpenPage("a/Lens.md", "weight")),
        ("zoom", ["down", "enter"], OpenPage("a/Lens.md", "price")),
        ("zoom", ["end", "enter"], OpenPage("a/Zoo.md")),
        ("zoom", ["end", "up", "enter"], CreatePage("Zoom lenses")),
        ("zoom", ["pagedown", "home", "enter"], OpenPage("a/Lens.md", "weight")),
        ("zoom", ["f6"], LookElsewhere("zoom")),
        ("qzx", ["enter", "escape"], None),
    ]
    host = Host()
    async with host.run_test(size=SIZE) as pilot:
        for words, keys, expected in cases:
            answers: list[Found | None] = []
            screen = SearchScreen(ask_for_zoom, read, lambda: None, words)
            await host.push_screen(screen, answers.append)
            await pilot.press(*keys)
            await pilot.pause()
            assert answers == [expected], (words, keys)


async def test_reasons_come_and_go_beside_the_page() -> None:
    host = Host()
    async with host.run_test(size=SIZE) as pilot:
        await host.push_screen(SearchScreen(ask_for_zoom, read, lambda: None))
        await pilot.press(*"zoom")
        await wait_until(
            pilot, lambda: "The zoom is heavy, zooms" in screen_text(pilot), "the page"
        )
        await pilot.press("tab")
        await wait_until(pilot, lambda: "Why it is here" in screen_text(pilot), "the reasons")
        await pilot.press("tab")
        await wait_until(pilot, lambda: "Why it is here" not in screen_text(pilot), "no reasons")
        await pilot.click("#search-list", offset=(5, 5))
        await pilot.pause()
        assert not isinstance(host.screen, SearchScreen)


async def test_whoever_goes_down_sees_more_pages() -> None:
    asked: list[int] = []

    async def ask(words: str, most: int) -> Results:
        asked.append(most)
        return Results(HITS[1:] * most if words else (), 70)

    host = Host()
    async with host.run_test(size=SIZE) as pilot:
        screen = SearchScreen(ask, read, lambda: None)
        await host.push_screen(screen)
        await pilot.press("z", "down", "down")
        assert asked[-1] == FIRST_PAGES
        await pilot.press("end")
        await wait_until(pilot, lambda: asked[-1] == MORE_PAGES, "the question for more")
        place = screen.place
        assert place == FIRST_PAGES - 1
        await pilot.press("down")
        assert screen.place == place + 1


async def test_while_the_index_is_made_it_says_how_far_it_is() -> None:
    may_answer = asyncio.Event()

    async def ask(_: str, _most: int) -> Results:
        await may_answer.wait()
        raise SearchUnavailable("The wiki cannot be searched: the disk is full.")

    host = Host()
    async with host.run_test(size=SIZE) as pilot:
        await host.push_screen(SearchScreen(ask, read, lambda: Progress(3, 8)))
        await pilot.press(*"zoom")
        await wait_until(pilot, lambda: "3 of 8 pages" in screen_text(pilot), "the progress")
        may_answer.set()
        await wait_until(pilot, lambda: "the disk is full" in screen_text(pilot), "the reason")


async def test_a_search_from_the_prompt_opens_the_page_and_is_kept(
    make_app: MakeApp, tmp_path: Path
) -> None:
    folder = tmp_path / "notes"
    folder.mkdir()
    filler = "Filler.\n\n" * 60
    (folder / "Lens.md").write_text(PAGE.replace("Introduction.\n\n", filler) + filler)
    (folder / "[red]Bag.md").write_text("# Bag\n\nFor the zoom. [[Lens caps]]\n")
    app = make_app(wiki=folder)
    async with app.run_test(size=SIZE) as pilot:
        await pilot.press(*"/search zoom", "enter")
        await wait_until(pilot, lambda: isinstance(app.screen, SearchScreen), "the search")
        await wait_until(pilot, lambda: "[red]Bag" in screen_text(pilot), "both pages")
        await pilot.press("down", "down", "escape")
        prompt = app.screen.query_one(ChatPane).prompt
        assert app.focused is prompt
        await pilot.press("f7")
        await wait_until(pilot, lambda: isinstance(app.screen, SearchScreen), "the search again")
        await wait_until(pilot, lambda: "2 pages" in screen_text(pilot), "the same answer")
        assert isinstance(app.screen, SearchScreen)
        assert (app.screen.words, app.screen.place) == ("zoom", 1)
        await pilot.press("enter")
        await wait_until(pilot, lambda: "Lens.md · read-only" in screen_text(pilot), "the page")
        await wait_until(pilot, lambda: "The zoom is heavy" in screen_text(pilot), "the heading")
        await pilot.press("f7", *"caps")
        await wait_until(
            pilot, lambda: "+ Create Lens caps" in screen_text(pilot), "what is wanted"
        )
