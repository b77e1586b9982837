"""The prompt: commands offered, big pastes folded, what was sent remembered."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual import events

from engine.script import Reply
from tests.tui.conftest import MakeApp, screen_text, wait_until
from tui.widgets.chat.pastes import Pastes, is_big
from tui.widgets.chat.prompt import Prompt
from tui.widgets.chat.prompt_history import MOST_KEPT, PromptHistory
from tui.widgets.chat.slash_offers import slash_hint, slash_offers

LONG = "\n".join(f"line {number}" for number in range(40))


@given(st.lists(st.sampled_from(["a", LONG, "x" * 5000, "[pasted 40 lines]", "b\n"]), max_size=6))
def test_what_is_sent_is_what_was_pasted(pieces: list[str]) -> None:
    pastes = Pastes()
    shown = "".join(pastes.chip_for(piece) if is_big(piece) else piece for piece in pieces)
    if not any(piece.startswith("[pasted") for piece in pieces):
        assert pastes.expanded(shown) == "".join(pieces)
    assert all(len(shown[start:end]) < 40 for start, end in pastes.spans(shown))


def test_two_pastes_of_one_size_have_chips_of_their_own() -> None:
    pastes = Pastes()
    other = LONG.replace("line", "LINE")
    chips = [pastes.chip_for(text) for text in (LONG, other, LONG)]
    assert chips == ["[pasted 40 lines]", "[pasted 40 lines #2]", "[pasted 40 lines]"]
    assert pastes.expanded(" ".join(chips)) == f"{LONG} {other} {LONG}"


@pytest.mark.parametrize(
    ("typed", "first"),
    [("/mod", "/model"), ("/qui", "/quit"), ("/jmp", "/jump"), ("//", None), ("/model x", None)],
    ids=["prefix", "whole word", "letters", "escaped", "argument"],
)
def test_commands_that_fit(typed: str, first: str | None) -> None:
    offers = slash_offers(typed)
    assert (offers[0].verb.slash if offers else None) == first


def test_the_argument_of_a_command_is_named() -> None:
    hint = slash_hint("/model q")
    assert hint is not None
    assert hint.usage == "/model [NAME]"
    assert slash_hint("no /model q") is None


def test_what_was_sent_outlives_the_program(tmp_path: Path) -> None:
    folder = tmp_path / "state"
    history = PromptHistory(folder)
    for text in ("one", "two\nlines", "two\nlines", "ü \ud800"):
        history.add(text)
    history.add("secret", is_kept=False)
    (file,) = folder.iterdir()
    assert file.stat().st_mode & 0o777 == 0o600
    with file.open("ab") as stream:
        stream.write(b"\xff not json\n[1]\n")
    assert PromptHistory(folder).texts == ["one", "two\nlines", "ü \ud800"]
    assert history.texts[-1] == "secret"


def test_only_the_newest_are_kept(tmp_path: Path) -> None:
    history = PromptHistory(tmp_path)
    for number in range(MOST_KEPT + 600):
        history.add(str(number))
    assert PromptHistory(tmp_path).texts[0] == "600"
    (file,) = tmp_path.iterdir()
    assert len(file.read_bytes().splitlines()) == MOST_KEPT


def test_a_folder_that_cannot_be_written_keeps_nothing_and_says_nothing(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    history = PromptHistory(tmp_path / "file")
    history.add("one")
    assert history.texts == ["one"]


async def test_a_command_is_completed_and_run(make_app: MakeApp) -> None:
    app = make_app()
    async with app.run_test(size=(110, 34)) as pilot:
        await pilot.press(*"/hel")
        await wait_until(pilot, lambda: "/help" in screen_text(pilot), "the list")
        await pilot.press("enter")
        await wait_until(pilot, lambda: len(app.screen_stack) == 2, "the help")


async def test_escape_puts_the_list_away_and_keeps_the_text(make_app: MakeApp) -> None:
    app = make_app()
    async with app.run_test(size=(110, 34)) as pilot:
        await pilot.press(*"/go")
        await pilot.press("escape")
        assert app.screen.query_one(Prompt).text == "/go"
        await wait_until(
            pilot, lambda: not any(each.display for each in app.screen.query("#slash-list")), "none"
        )


async def test_a_big_paste_is_a_chip_and_is_sent_whole(make_app: MakeApp) -> None:
    app = make_app(Reply("", "fine"))
    async with app.run_test(size=(110, 34)) as pilot:
        prompt = app.screen.query_one(Prompt)
        await pilot.press(*"see ")
        app.post_message(events.Paste(LONG))
        await wait_until(pilot, lambda: prompt.text == "see [pasted 40 lines]", "the chip")
        await pilot.press("enter")
        await wait_until(pilot, lambda: "fine" in screen_text(pilot), "the answer")
        assert app.assistant.path[0].text == f"see {LONG}"


async def test_a_chip_opens_by_its_key_and_goes_in_one_stroke(make_app: MakeApp) -> None:
    app = make_app()
    async with app.run_test(size=(110, 34)) as pilot:
        prompt = app.screen.query_one(Prompt)
        prompt.insert_pasted(LONG)
        await pilot.press("backspace")
        assert prompt.text == ""
        prompt.insert_pasted(LONG)
        await pilot.press("ctrl+o")
        assert prompt.text == LONG


async def test_what_waits_comes_back_into_an_empty_prompt(make_app: MakeApp) -> None:
    app = make_app(Reply("one", "word " * 300, seconds_per_token=0.06), Reply("", "fine"))
    async with app.run_test(size=(110, 34)) as pilot:
        await pilot.press(*"one", "enter")
        await wait_until(pilot, lambda: "word" in screen_text(pilot), "the answer")
        await pilot.press(*"two", "enter")
        await wait_until(pilot, lambda: "next: two" in screen_text(pilot), "the queue")
        await pilot.press("up")
        assert app.screen.query_one(Prompt).text == "two"
        assert "next: two" not in screen_text(pilot)
        await pilot.press("escape")
