"""What little room there is: a notice below 40×10, and messages that leave the prompt alone."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.widgets._toast import Toast

from engine.script import Reply
from tests.tui.conftest import MakeApp, notices, screen_text, wait_until
from tui.app import ZibApp
from tui.screens.consent import ConsentScreen
from tui.screens.help import HelpScreen
from tui.screens.question import Choice, QuestionScreen
from tui.widgets.chat.prompt import Prompt

NOTICE = "too small for zib"


@pytest.mark.sampled(2)
@pytest.mark.parametrize("size", [(39, 20), (80, 9), (20, 5), (8, 3)])
async def test_no_room_is_said_and_nothing_else(make_app: MakeApp, size: tuple[int, int]) -> None:
    app = make_app()
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press(*"typed ")
        for screen_key in ("", "f1", "f5"):
            if screen_key:
                await pilot.press(screen_key)
                await pilot.pause()
            await pilot.resize_terminal(*size)
            await wait_until(pilot, lambda: shows_only_notice(screen_text(pilot)), "the notice")
            await pilot.resize_terminal(80, 24)
            await wait_until(pilot, lambda: NOTICE not in screen_text(pilot), "the screen again")
            if screen_key:
                await pilot.press("escape")
        await pilot.press(*"on")
        assert app.screen.query_one(Prompt).text == "typed on"


def shows_only_notice(text: str) -> bool:
    """Whether every word on the screen is one of the notice's, as far as they fit."""
    notice = "This window is too small for zib. It takes 40 × 10."
    return bool(text.split()) and set(text.split()) <= set(notice.split())


@pytest.mark.sampled(1)
@pytest.mark.parametrize("size", [(40, 10), (40, 30), (200, 10)])
async def test_the_smallest_windows_are_used(make_app: MakeApp, size: tuple[int, int]) -> None:
    app = make_app(Reply("", "answered"))
    async with app.run_test(size=size) as pilot:
        await pilot.press(*"hello", "enter")
        await wait_until(pilot, lambda: "written" in screen_text(pilot), "the answer's last line")
        assert NOTICE not in screen_text(pilot)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("size", [(40, 10), (80, 24), (130, 40)])
async def test_messages_never_cover_the_prompt(make_app: MakeApp, size: tuple[int, int]) -> None:
    app = make_app()
    async with app.run_test(size=size, notifications=True) as pilot:
        app.notify("A message that is quite long. " * 4)
        await wait_until(pilot, lambda: app.screen.query(Toast), "the message")
        await pilot.press(*"typed")
        await wait_until(pilot, lambda: "typed" in screen_text(pilot), "what is typed")
        prompt = app.screen.query_one(Prompt).region
        for toast in app.screen.query(Toast):
            assert not toast.region.overlaps(prompt)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("size", [(40, 10), (40, 30), (80, 12), (130, 40)])
async def test_no_text_pushes_an_answer_off_the_screen(
    make_app: MakeApp, size: tuple[int, int]
) -> None:
    app = make_app()
    labels = ("Choose another", "Load anyway", "Cancel")
    choices = tuple(Choice(f"c{n}", label) for n, label in enumerate(labels))
    text = "\n".join(f"line {n}" for n in range(40))
    async with app.run_test(size=size) as pilot:
        app.push_screen(QuestionScreen(text, choices))
        await wait_until(pilot, lambda: "line 1" in screen_text(pilot), "the question")
        assert all(label in screen_text(pilot) for label in labels)
        await pilot.press(*["down"] * 40)
        await wait_until(pilot, lambda: "line 39" in screen_text(pilot), "the end of the text")
        await pilot.press("right", "right")
        focused = app.screen.focused
        assert focused is not None
        assert focused.id == "c2"


async def test_themes_are_listed_alike(make_app: MakeApp) -> None:
    app = make_app(theme="no-such [/x]")
    async with app.run_test(size=(100, 30), notifications=True) as pilot:
        await wait_until(
            pilot, lambda: "no theme called no-such [/x]" in notices(pilot), "at start"
        )
        await pilot.press(*"/theme nope", "enter")
        await wait_until(pilot, lambda: "no theme called nope" in notices(pilot), "a wrong name")
        await pilot.press(*"/theme", "enter")
        await wait_until(pilot, lambda: len(app._notifications) == 3, "the bare command")
        lists = {notice.partition("Themes: ")[2] for notice in notices(pilot).split("\n")}
        assert len(lists) == 1
        assert "zibaldone-light" in lists.pop()


async def test_help_still_opens_in_the_smallest_window(make_app: MakeApp) -> None:
    app: ZibApp = make_app()
    async with app.run_test(size=(40, 10)) as pilot:
        await pilot.press("f1")
        await wait_until(pilot, lambda: isinstance(app.screen, HelpScreen), "the help page")
        assert "Writing" in screen_text(pilot)


async def test_consent_is_asked_for_in_the_smallest_window(make_app: MakeApp) -> None:
    app = make_app()
    answers: list[str | None] = []
    async with app.run_test(size=(40, 10)) as pilot:
        app.push_screen(ConsentScreen(Path("/home/somebody/notes")), answers.append)
        await wait_until(pilot, lambda: "Allow" in screen_text(pilot), "the question")
        assert "Only read" in screen_text(pilot)
        await pilot.press(*"|", "enter")
        await wait_until(pilot, lambda: "cannot be the name" in screen_text(pilot), "the problem")
        assert {"Allow", "Only"} <= set(screen_text(pilot).split())
        await pilot.press("down", "down", "down", "down", "down", "down", "down")
        await wait_until(pilot, lambda: "changed." in screen_text(pilot), "the end of the question")
        await pilot.press("backspace", *"My_zib", "enter")
        await wait_until(pilot, lambda: answers == ["My_zib"], "the answer")
