"""Pictures of the switcher and the search, at four widths, in a dark and a light theme."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from textual.pilot import Pilot

from tests.tui.conftest import screen_text, wait_until
from tests.wiki_window.browse_wikis import Host
from tui.screens.wiki.search import SearchScreen
from tui.screens.wiki.switcher import Offered, Switcher
from tui.screens.wiki.switcher_rows import NewPageOffer, PageOffer
from vault.search.result import Hit, Part, Passage, Results, Suggestion

SnapCompare = Callable[..., bool]

OFFERS = (
    PageOffer("articles/Photography/Lens_tests.md", "Lens tests", ((0, 4),)),
    PageOffer("articles/Photography/50mm.md", "Standard lens", ((9, 13),), "50mm f-1.8"),
    PageOffer("articles/[red]/[bold]lens.md", "[bold]lens", ((6, 10),)),
    PageOffer("Talk/镜头.md", "镜头 lens 测试", ((3, 7),)),
    NewPageOffer("lens"),
)
TEXT = (
    "I settled on the 50 mm lens for the trip: it is light, it is fast, and the zoom lens stays at"
    " home with the tripod, which nobody wants to carry up a mountain in March."
)
HITS = (
    Hit(
        "articles/Photography/Trip_2026.md",
        "Trip 2026",
        "2026-03-01",
        8.4,
        (
            Part("words", 6.1, ("lens",)),
            Part("name", 2.0, ("Lens for the trip",)),
            Part("proximity", 0.3, ("trip lens",)),
        ),
        (
            Passage(("Trip 2026", "Packing", "Lenses"), "lenses", 9, TEXT, ((23, 27), (80, 84))),
            Passage(("Trip 2026", "Costs"), "costs", 30, "A lens is rented for 9 €.", ((2, 6),)),
        ),
    ),
    Hit(
        "Talk/镜头.md",
        "镜头",
        "",
        2.0,
        (),
        (Passage((), "", 1, "镜头 lens 测试。" * 9, ((3, 7),)),),
    ),
)
RESULTS = Results(HITS, 34, (Suggestion("Lens caps", links=3),), (("lense", ("lens",)),))
PAGE = f"# Trip 2026\n\nTo go.\n\n## Packing\n\n- tent\n\n### Lenses\n\n{TEXT}\n\n## Costs\n"


@pytest.mark.parametrize(
    ("theme", "width"),
    [
        ("zibaldone-dark", 40),
        ("zibaldone-light", 80),
        ("zibaldone-dark", 120),
        ("zibaldone-light", 200),
    ],
)
def test_the_switcher(snap_compare: SnapCompare, theme: str, width: int) -> None:
    async def ask(_: str) -> Offered:
        return Offered(OFFERS, 1234, "Other names of the pages are still being read.")

    async def open_it(pilot: Pilot[None]) -> None:
        await pilot.app.push_screen(Switcher(ask, "lens"))
        await wait_until(pilot, lambda: "+ Create" in screen_text(pilot), "the offers")
        await pilot.press("down")

    assert snap_compare(Host(theme=theme), terminal_size=(width, 24), run_before=open_it)


@pytest.mark.parametrize(
    ("theme", "width"),
    [
        ("zibaldone-dark", 40),
        ("zibaldone-light", 80),
        ("zibaldone-dark", 120),
        ("zibaldone-light", 200),
    ],
)
def test_the_search(snap_compare: SnapCompare, theme: str, width: int) -> None:
    async def ask(_: str, _most: int) -> Results:
        return RESULTS

    async def read(_: str) -> str:
        return PAGE

    async def open_it(pilot: Pilot[None]) -> None:
        await pilot.app.push_screen(SearchScreen(ask, read, lambda: None, "lens"))
        await wait_until(pilot, lambda: "34 pages" in screen_text(pilot) or width < 80, "an answer")
        await pilot.press("tab")
        if width != 40:
            await wait_until(pilot, lambda: "points in all" in screen_text(pilot), "the reasons")
        await wait_until(pilot, lambda: "Lens caps" in screen_text(pilot) or width, "it all")

    assert snap_compare(Host(theme=theme), terminal_size=(width, 24), run_before=open_it)
