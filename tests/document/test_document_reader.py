"""Reading an article by keys and mouse."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from textual import events
from textual.pilot import Pilot

from tests.document.pages import PageApp
from tests.tui.conftest import screen_text, wait_until
from tui.document.targets import LinkTarget, NoteMark, NoteReturn, TaskBox
from tui.markdown.address import wiki_address
from tui.messages import LinkFollowed
from tui.widgets.document.place import PlaceChanged

LONG = "\n\n".join(f"Paragraph {number}." for number in range(60))
PAGE = f"""\
# Title

First [[Known]] and [[Nowhere]][^1] and [away](https://example.invalid/x).

> [!note]- Folded
> Hidden words.

- [ ] a task

```py
answer = 42
```

## Middle

{LONG}

## Last

The needle, and [[#Middle]].

[^1]: The note.
"""


class Listening(PageApp):
    """Remembers what was said."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.followed: list[str] = []
        self.places: list[str] = []

    def on_link_followed(self, event: LinkFollowed) -> None:
        """A link."""
        self.followed.append(event.href)

    def on_place_changed(self, event: PlaceChanged) -> None:
        """A place."""
        self.places.append(event.anchor)


@asynccontextmanager
async def reading(
    text: str = PAGE, size: tuple[int, int] = (60, 24)
) -> AsyncIterator[tuple[Listening, Pilot[Any]]]:
    """A page on the screen."""
    app = Listening(text)
    async with app.run_test(size=size) as pilot:
        await wait_until(pilot, lambda: app.view.reader.flow, "the page")
        await pilot.pause()
        yield app, pilot


def chosen(app: PageApp) -> object:
    """What Enter would follow."""
    reader = app.view.reader
    return reader.target(reader.chosen) if reader.chosen else None


@pytest.fixture(autouse=True)
def terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """A terminal with colours."""
    monkeypatch.delenv("NO_COLOR", raising=False)


async def test_tab_goes_from_link_to_link_and_enter_follows() -> None:
    async with reading() as (app, pilot):
        await pilot.press("tab")
        assert chosen(app) == LinkTarget(wiki_address("Known"), "Page.md")
        await pilot.press("tab", "tab", "tab", "shift+tab", "shift+tab")
        assert chosen(app) == LinkTarget(wiki_address("Nowhere"), "Page.md")
        await pilot.press("enter")
        await pilot.pause()
        assert app.followed == [wiki_address("Nowhere")]


async def test_letters_on_the_links_follow_them() -> None:
    async with reading() as (app, pilot):
        before = screen_text(pilot)
        await pilot.press("f")
        assert screen_text(pilot) != before
        await pilot.press("a")
        await pilot.pause()
        assert app.followed == [wiki_address("Known")]
        await pilot.press("f", "escape")
        assert app.view.reader.hints is None
        assert app.followed == [wiki_address("Known")]


async def test_a_click_follows_a_link() -> None:
    async with reading() as (app, pilot):
        lines = screen_text(pilot).splitlines()
        row = next(n for n, line in enumerate(lines) if "away" in line)
        await pilot.click(offset=(lines[row].index("away") + 1, row))
        await pilot.pause()
        assert app.followed == ["https://example.invalid/x"]


async def test_selecting_up_to_a_link_does_not_follow_it() -> None:
    async with reading() as (app, pilot):
        lines = screen_text(pilot).splitlines()
        row = next(n for n, line in enumerate(lines) if "away" in line)
        end = lines[row].index("away") + 2
        for kind, column in (
            (events.MouseDown, 4),
            (events.MouseMove, end),
            (events.MouseUp, end),
        ):
            # As the terminal tells it: the app then makes a click of it.
            await app.on_event(kind(None, column, row, 0, 0, 1, False, False, False, column, row))
            await pilot.pause()
        assert app.followed == []
        assert "Known" in (app.screen.get_selected_text() or "")


async def test_a_footnote_is_shown_where_it_is_cited_and_leads_there_and_back() -> None:
    async with reading() as (app, pilot):
        await pilot.press("tab", "tab", "tab")
        assert chosen(app) == NoteMark("1")
        assert "The note." in screen_text(pilot)
        await pilot.press("enter")
        assert chosen(app) == NoteReturn("1")
        assert app.view.reader.scroll_offset.y > 20
        await pilot.press("enter")
        assert app.view.reader.scroll_offset.y == 0
        assert chosen(app) == NoteMark("1")


async def test_the_mouse_over_a_mark_shows_its_note() -> None:
    async with reading() as (app, pilot):
        lines = screen_text(pilot).splitlines()
        row = next(n for n, line in enumerate(lines) if "Nowhere⁺¹" in line)
        await pilot.hover(offset=(lines[row].index("⁺¹") + 1, row))
        await wait_until(pilot, lambda: "The note." in screen_text(pilot), "the note")
        assert app.view.reader.size.height == 24
        await pilot.hover(offset=(5, row + 1))
        await wait_until(pilot, lambda: "The note." not in screen_text(pilot), "no note")


async def test_a_callout_unfolds_and_folds() -> None:
    async with reading() as (app, pilot):
        assert "Hidden words" not in screen_text(pilot)
        await pilot.press("tab", "tab", "tab", "tab", "tab", "enter")
        assert "Hidden words" in screen_text(pilot)
        await pilot.press("enter")
        assert "Hidden words" not in screen_text(pilot)
        assert app.followed == []


async def test_finding_counts_goes_round_and_unfolds() -> None:
    async with reading() as (app, pilot):
        await pilot.press("slash", *"paragraph")
        await wait_until(pilot, lambda: "1/60" in screen_text(pilot), "the count")
        await pilot.press("enter", "n", "n")
        await wait_until(pilot, lambda: "3/60" in screen_text(pilot), "the third")
        await pilot.press("N", "N", "N")
        await wait_until(pilot, lambda: "60/60" in screen_text(pilot), "the last")
        assert "Paragraph 59." in screen_text(pilot)
        await pilot.press("escape")
        await pilot.pause()
        assert app.view.reader.finding is None
        await pilot.press("home", "slash", *"hidden  WORDS", "enter")
        await wait_until(pilot, lambda: "Hidden words" in screen_text(pilot), "what was folded")


async def test_finding_nothing_says_so() -> None:
    async with reading() as (_, pilot):
        await pilot.press("slash", *"zzz")
        await wait_until(pilot, lambda: "nothing found" in screen_text(pilot), "the answer")


async def test_brackets_go_from_section_to_section() -> None:
    async with reading() as (app, pilot):
        await pilot.press("right_square_bracket")
        assert screen_text(pilot).splitlines()[0].strip(" ▾") == "Middle"
        await wait_until(pilot, lambda: app.places[-1:] == ["middle"], "the place")
        await pilot.press("right_square_bracket")
        assert "The needle" in screen_text(pilot)
        await pilot.press("left_square_bracket", "left_square_bracket")
        assert screen_text(pilot).splitlines()[0].strip(" ▾") == "Title"


async def test_sections_fold() -> None:
    async with reading() as (app, pilot):
        await pilot.press("right_square_bracket", "z")
        lines = screen_text(pilot)
        assert "Paragraph 1." not in lines
        assert "The needle" in lines
        await pilot.press("z")
        assert "Paragraph 1." in screen_text(pilot)
        await pilot.press("Z")
        assert "The needle" not in screen_text(pilot)
        assert app.view.go_to_anchor("last")
        await pilot.pause()
        assert "The needle" in screen_text(pilot)


async def test_a_link_within_the_page_goes_there() -> None:
    async with reading() as (app, pilot):
        await pilot.press("end", "tab", "enter")
        await pilot.pause()
        assert app.followed == []
        assert screen_text(pilot).splitlines()[0].strip(" ▾") == "Middle"


@pytest.mark.parametrize("fragment", ["last", "Last", "LAST", "Title#Last"])
async def test_anchors_are_those_of_links(fragment: str) -> None:
    async with reading() as (app, pilot):
        assert app.view.go_to_anchor(fragment)
        await pilot.pause()
        assert "The needle" in screen_text(pilot)
        assert not app.view.go_to_anchor("nowhere")


async def test_headings_are_offered() -> None:
    async with reading() as (app, _):
        found = [(each.level, each.text, each.anchor, each.line) for each in app.view.headings]
        assert found[:2] == [(1, "Title", "title", 0), (2, "Middle", "middle", 13)]


async def test_code_is_copied_as_it_is() -> None:
    async with reading() as (app, pilot):
        await pilot.press("y")
        await pilot.pause()
        assert app.clipboard == "answer = 42"


async def test_selected_text_is_copied_without_decoration() -> None:
    text = "- one two three four five six seven eight nine ten\n- eleven\n\n> quoted\n"
    async with reading(text, (30, 12)) as (app, pilot):
        await pilot.mouse_down(app.view.reader, offset=(3, 0))
        await pilot.hover(app.view.reader, offset=(12, 5))
        await pilot.mouse_up(app.view.reader, offset=(12, 5))
        await pilot.pause()
        copied = app.screen.get_selected_text()
        assert copied is not None
        assert copied.startswith("- one two three four five six seven eight nine ten\n- eleven")
        assert "▎" not in copied
        assert "•" not in copied


async def test_a_task_asks_whoever_shows_the_page() -> None:
    async with reading() as (app, pilot):
        reader = app.view.reader
        asked: list[TaskBox] = []
        original = reader.post_message

        def note(message: object) -> bool:
            if isinstance(message, reader.TaskAsked):
                asked.append(message.box)
            return original(message)  # type: ignore[arg-type]  # any message

        reader.post_message = note  # type: ignore[method-assign]  # listens only
        await pilot.press("x")
        assert asked == [TaskBox(7, "Page.md")]


async def test_another_width_keeps_the_place() -> None:
    async with reading() as (_, pilot):
        await pilot.press("right_square_bracket", "pagedown")
        first = screen_text(pilot).splitlines()[0].strip()
        await pilot.resize_terminal(100, 30)
        await pilot.pause()
        assert first in "\n".join(screen_text(pilot).splitlines()[:4])
        await pilot.resize_terminal(8, 5)
        await pilot.resize_terminal(1, 1)
        await pilot.resize_terminal(60, 24)
        await pilot.pause()
        assert "Paragraph" in screen_text(pilot)


async def test_a_page_of_nothing_and_keys_on_it() -> None:
    async with reading("") as (app, pilot):
        keys = ("f", "n", "N", "z", "Z", "x", "y", "end", "home", "pagedown", "enter", "escape")
        await pilot.press(*keys, "left_square_bracket", "right_square_bracket", "tab")
        assert app.is_running
