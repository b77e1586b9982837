"""Jumping to a page by its name: from the prompt, by letters, to a page that is new."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from tests.tui.conftest import MakeApp, screen_text, wait_until
from tests.wiki_window.browse_wikis import FORBIDDEN, HOSTILE, Host, note, session
from tui.screens.wiki.finding import Finding
from tui.screens.wiki.found import CreatePage, Found, LookElsewhere, OpenPage
from tui.screens.wiki.switcher import Offered, Switcher
from tui.screens.wiki.switcher_rows import (
    MOST_OFFERS,
    NewPageOffer,
    Offer,
    PageOffer,
    count_words,
    offer_text,
    offers_of,
    other_title,
    short_folder,
)
from tui.widgets.chat.pane import ChatPane
from tui.widgets.wiki.page import ArticlePage
from vault.search.jump import listed_names, without_weak

SIZE = (100, 30)
NAMES = listed_names(
    [
        note("articles/Photo/Lens_test.md"),
        note("articles/Photo/Camera_bag.md"),
        note("articles/Zettelkasten.md"),
        note("Talk/镜头.md"),
    ]
)


@pytest.mark.parametrize(
    ("typed", "titles"),
    [
        ("lens", ["Lens test"]),
        ("LT", ["Lens test", "Zettelkasten"]),
        ("cambag", ["Camera bag"]),
        ("镜", ["镜头"]),
        ("photo/l", ["Lens test"]),
        ("photo cam", ["Camera bag"]),
        ("zzz", []),
        ("", []),
    ],
)
def test_letters_of_names_and_paths_find_pages(typed: str, titles: list[str]) -> None:
    assert [each.title for each in NAMES.find(typed, 10)] == titles


def test_pages_with_scattered_letters_give_way_to_better_ones() -> None:
    names = listed_names([note("Recursion.md"), note("Articles of the culture and arts.md")])
    found = names.find("recurs", 10)
    assert len(found) == 2
    assert [each.title for each in without_weak(found, "recurs")] == ["Recursion"]
    assert len(without_weak(found[1:], "recurs")) == 1


@pytest.mark.parametrize(
    ("typed", "offer"),
    [
        ("Lens tes", NewPageOffer("Lens tes")),
        ("lens TEST", None),
        ("  ", None),
        ("a/b", NewPageOffer("a/b", "“a/b” cannot be an article name: it contains “/”, which a")),
    ],
)
def test_a_new_page_is_offered_when_none_is_called_so(
    typed: str, offer: NewPageOffer | None
) -> None:
    last = (*offers_of(NAMES.find(typed, 10), typed, keeps_spaces=False), None)[-2:][0]
    if offer is None:
        assert not isinstance(last, NewPageOffer)
    else:
        assert isinstance(last, NewPageOffer)
        assert last.title == offer.title
        assert last.problem.startswith(offer.problem)
        assert bool(last.problem) == bool(offer.problem)


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("width", [1, 20, 60])
def test_an_offer_is_one_line_whatever_the_name(name: str, width: int) -> None:
    offers: tuple[Offer, ...] = (
        PageOffer(f"a/{name}.md", name, ((0, 2),), name),
        NewPageOffer(name),
        NewPageOffer(name, name),
    )
    for offer in offers:
        for is_lit in (False, True):
            line = offer_text(offer, width, is_lit)
            assert line.cell_length <= width
            assert not any(sign in line.plain for sign in FORBIDDEN)


def test_the_count_is_honest() -> None:
    page = PageOffer("a.md", "a")
    assert count_words((), 1234, " ") == "1,234 pages"
    assert count_words((page, NewPageOffer("x")), 1234, "x") == "1 of 1,234 pages"
    assert count_words((page,) * MOST_OFFERS, 1234, "x") == "best 100 of 1,234 pages"


@pytest.mark.parametrize(
    ("cells", "shown"),
    [
        (40, "Spaces/3-Resource/效率工具"),
        (24, "…/3-Resource/效率工具"),
        (12, "…/效率工具"),
        (8, "…/效率…"),
    ],
)
def test_of_a_long_way_the_last_folders_are_shown(cells: int, shown: str) -> None:
    assert short_folder("Spaces/3-Resource/效率工具", cells) == shown


async def test_titles_are_found_before_the_index_is_there(tmp_path: Path) -> None:
    (tmp_path / "wiki").mkdir()
    text = "---\naliases: [Objective]\n---\n# Any\n"
    (tmp_path / "wiki" / "Lens_test.md").write_text(text)
    wiki = session(tmp_path)
    finding = Finding(wiki, ignore, ignore_title, tuple, list)
    assert await finding.named("lens", 5) == ()
    await wiki.open()
    assert [wiki.is_index_ready] == [False]
    assert [each.path for each in await finding.named("lens", 5)] == ["Lens_test.md"]
    async with asyncio.timeout(20):
        while not wiki.is_index_ready:
            await asyncio.sleep(0.02)
    (found,) = await finding.named("object", 5)
    assert (found.name, other_title(found)) == ("Objective", "Lens test")
    await wiki.close()


async def ignore(_path: str, _anchor: str) -> None:
    """Nothing is opened."""


async def ignore_title(_title: str) -> None:
    """Nothing is created."""


async def test_keys_choose() -> None:
    async def ask(words: str) -> Offered:
        return Offered(offers_of(NAMES.find(words or "e", 10), words, False), 4)

    cases: list[tuple[str, list[str], Found | None]] = [
        ("lens", ["enter"], OpenPage("articles/Photo/Lens_test.md")),
        ("", ["down", "down", "up", "up", "enter"], OpenPage("articles/Photo/Lens_test.md")),
        ("", ["end", "enter"], OpenPage(NAMES.find("e", 10)[-1].path)),
        ("New one", ["enter"], CreatePage("New one")),
        ("lens", ["up", "enter"], CreatePage("lens")),
        ("q/b", ["enter", "escape"], None),
        ("two words", ["f7"], LookElsewhere("two words")),
        ("", ["escape"], None),
        ("", ["f6"], None),
    ]
    host = Host()
    async with host.run_test(size=SIZE) as pilot:
        for words, keys, expected in cases:
            answers: list[Found | None] = []
            await host.push_screen(Switcher(ask, words), answers.append)
            await pilot.press(*keys)
            await pilot.pause()
            assert answers == [expected], (words, keys)


async def test_what_comes_later_is_shown_without_another_key() -> None:
    is_open = False

    async def ask(words: str) -> Offered:
        if not is_open:
            return Offered((), 0, "The wiki is still being opened.", is_whole=False)
        return Offered(offers_of(NAMES.find(words, 10), words, False), 4)

    host = Host()
    async with host.run_test(size=SIZE) as pilot:
        await host.push_screen(Switcher(ask, "lens"))
        await wait_until(pilot, lambda: "still being opened" in screen_text(pilot), "the reason")
        is_open = True
        await wait_until(pilot, lambda: "Lens test" in screen_text(pilot), "the page")
        assert "still being opened" not in screen_text(pilot)


async def test_it_works_from_inside_the_prompt_and_esc_leaves_everything_as_it_was(
    make_app: MakeApp, tmp_path: Path
) -> None:
    app = make_app(**{"ui.show_wiki": False})
    async with app.run_test(size=SIZE) as pilot:
        prompt = app.screen.query_one(ChatPane).prompt
        await pilot.press(*"half", "f6")
        await wait_until(pilot, lambda: isinstance(app.screen, Switcher), "the switcher")
        await wait_until(pilot, lambda: "Welcome" in screen_text(pilot), "recent pages")
        await pilot.press(*"usi", "escape")
        await pilot.pause()
        assert app.focused is prompt
        assert prompt.text == "half"
        assert not app.screen.query_one("#wiki").display
        # What was not found yet is still there, and is overwritten by typing.
        await pilot.press("f6")
        await wait_until(pilot, lambda: isinstance(app.screen, Switcher), "the switcher")
        assert isinstance(app.screen, Switcher)
        assert app.screen.words == "usi"
        await pilot.press(*"using", "enter")
        await wait_until(pilot, lambda: "Reference/Using" in screen_text(pilot), "the page")
        assert app.screen.query_one("#wiki").display
        assert app.focused is not None
        assert app.focused in app.screen.query_one(ArticlePage).query("*")
        await pilot.press("escape")
        assert app.focused is prompt
        await pilot.press("ctrl+a", "ctrl+k", *"/jump Xy", "enter")
        await wait_until(pilot, lambda: "+ Create" in screen_text(pilot), "the offer")
        await pilot.press("enter")
        await wait_until(pilot, lambda: "Xy.md ✎" in screen_text(pilot), "the editor")
    assert (tmp_path / "wiki" / "articles" / "Xy.md").is_file()
