"""The prompt: commands, big pastes, history and the user's own editor."""

from __future__ import annotations

import contextlib
import json
import stat
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual import events

from engine.script import Reply
from tests.chat_window.chats_kept import hardened
from tests.tui.conftest import MakeApp, screen_text, wait_until
from tui.widgets.chat.pane import ChatPane
from tui.widgets.chat.pastes import Pastes, is_big
from tui.widgets.chat.prompt import Prompt
from tui.widgets.chat.prompt_history import MOST_KEPT, PromptHistory
from tui.widgets.chat.slash_offers import slash_hint, slash_offers
from tui.widgets.chat.slash_popup import SlashPopup

SIZE = (100, 30)
BIG = "\n".join(f"line {number}" for number in range(312))


@pytest.mark.parametrize(
    ("typed", "first"),
    [
        ("/he", "/help"),
        ("/mod", "/model"),
        ("/mdl", "/model"),
        ("/THE", "/theme"),
        ("/gauge", "/gauge"),
        ("/kv bits", None),
        ("//", None),
        ("/zzzz", None),
        ("model", None),
        ("", None),
        ("/[red]", None),
    ],
)
def test_the_best_command_is_offered_first(typed: str, first: str | None) -> None:
    offers = slash_offers(typed)
    assert (offers[0].verb.slash if offers else None) == first


def test_the_help_texts_are_looked_in_last() -> None:
    assert "/history" in {
        offer.verb.slash for offer in slash_offers("/versions") + slash_offers("/changed")
    }


@pytest.mark.parametrize(
    ("text", "usage"),
    [("/model Smol", "/model [NAME]"), ("/gauge now", None), ("/no such", None), ("/model", None)],
)
def test_what_a_command_takes_is_told_while_it_is_typed(text: str, usage: str | None) -> None:
    hint = slash_hint(text)
    assert (hint.usage if hint else None) == usage


@hardened
async def test_a_command_is_offered_completed_and_run(make_app: MakeApp) -> None:
    app = make_app()
    async with app.run_test(size=SIZE) as pilot:
        prompt = app.screen.query_one(Prompt)
        await pilot.press(*"/mod")
        await wait_until(pilot, lambda: "/model [NAME]" in screen_text(pilot), "the list")
        await pilot.press("tab")
        assert prompt.text == "/model "
        await pilot.press(*"x")
        await wait_until(pilot, lambda: "/model [NAME]" in screen_text(pilot), "the hint")
        await pilot.press("ctrl+u", *"/them", "escape")
        await pilot.pause()
        assert not app.screen.query_one(SlashPopup).display
        assert prompt.text == "/them"
        await pilot.press("ctrl+u", *"/hel", "enter")
        await wait_until(pilot, lambda: "Everywhere" in screen_text(pilot), "the help")
        assert prompt.text == ""


async def test_a_command_is_chosen_by_arrows_and_by_the_mouse(make_app: MakeApp) -> None:
    app = make_app()
    async with app.run_test(size=SIZE) as pilot:
        prompt = app.screen.query_one(Prompt)
        await pilot.press(*"/th")
        await wait_until(pilot, lambda: "/thinking" in screen_text(pilot), "the list")
        offers = slash_offers("/th")
        names = [offer.verb.slash for offer in offers]
        await pilot.press("down", "tab")
        assert prompt.text.strip() == names[1]
        await pilot.press("ctrl+u", *"/mod")
        popup = app.screen.query_one(SlashPopup)
        await wait_until(pilot, lambda: popup.display, "the list again")
        await pilot.click(SlashPopup, offset=(3, 0))
        await wait_until(pilot, lambda: prompt.text == "/model ", "the clicked command")


async def test_a_big_paste_is_a_chip_that_opens_and_is_sent_in_full(make_app: MakeApp) -> None:
    app = make_app(Reply("line 311", "All of it."))
    async with app.run_test(size=SIZE) as pilot:
        prompt = app.screen.query_one(Prompt)
        await pilot.press(*"see ")
        app.post_message(events.Paste(BIG.replace("\n", "\r\n")))
        await wait_until(pilot, lambda: prompt.text == "see [pasted 312 lines]", "the chip")
        await pilot.press("ctrl+o")
        assert prompt.text == f"see {BIG}"
        await pilot.press("ctrl+z")
        await wait_until(pilot, lambda: prompt.text == "see [pasted 312 lines]", "the chip back")
        await pilot.press("ctrl+shift+z")
        assert prompt.text == f"see {BIG}"
        prompt.set_text("")
        app.post_message(events.Paste(BIG))
        await wait_until(pilot, lambda: prompt.text == "[pasted 312 lines]", "the chip again")
        await pilot.press("enter")
        await wait_until(pilot, lambda: "All of it." in screen_text(pilot), "the answer")
        (question, _) = app.assistant.path
        assert question.text == BIG


@hardened
async def test_a_paste_posted_to_the_prompt_is_put_in_once(make_app: MakeApp) -> None:
    app = make_app()
    async with app.run_test(size=SIZE) as pilot:
        prompt = app.screen.query_one(Prompt)
        prompt.post_message(events.Paste("once"))
        await wait_until(pilot, lambda: prompt.text, "the paste")
        await pilot.pause()
        assert prompt.text == "once"


async def test_a_chip_opens_by_a_click_and_goes_by_one_backspace(make_app: MakeApp) -> None:
    app = make_app()
    async with app.run_test(size=SIZE) as pilot:
        prompt = app.screen.query_one(Prompt)
        prompt.insert_pasted("x" * 5000)
        assert prompt.text == "[pasted 5,000 characters]"
        await pilot.press("backspace")
        assert prompt.text == ""
        prompt.insert_pasted("x" * 5000)
        await pilot.pause()
        await pilot.click(Prompt, offset=(4, 1))
        await wait_until(pilot, lambda: prompt.text == "x" * 5000, "the text")


async def test_chips_can_be_turned_off(make_app: MakeApp) -> None:
    app = make_app(**{"chat.collapse_paste": False})
    async with app.run_test(size=SIZE) as pilot:
        prompt = app.screen.query_one(Prompt)
        await wait_until(pilot, lambda: not prompt.has_chips, "the setting")
        prompt.insert_pasted(BIG)
        assert prompt.text == BIG


@given(st.lists(st.text(max_size=40), max_size=6))
def test_chips_always_stand_for_their_texts(texts: list[str]) -> None:
    pastes = Pastes()
    big = [f"{text}{'y' * 4001}" for text in texts]
    chips = [pastes.chip_for(text) for text in big]
    assert pastes.expanded(" ".join(chips)) == " ".join(big)
    for chip, text in zip(chips, big, strict=True):
        assert pastes.spans(f"a {chip} b") == ((2, 2 + len(chip)),)
        assert pastes.text_of(chip) == text


@pytest.mark.parametrize(
    ("text", "expected"),
    [("a\n" * 19, False), ("a\n" * 20, True), ("a" * 4000, False), ("a" * 4001, True)],
)
def test_what_is_big(text: str, expected: bool) -> None:
    assert is_big(text) is expected


def test_history_is_kept_for_the_user_alone_and_read_by_the_next_run(tmp_path: Path) -> None:
    history = PromptHistory(tmp_path / "state")
    for text in ("first", "second\nline", "second\nline", "\ud800 \x1b[31m"):
        history.add(text)
    history.add("secret", is_kept=False)
    assert PromptHistory(tmp_path / "state").texts == ["first", "second\nline", "\ud800 \x1b[31m"]
    file = tmp_path / "state" / "prompts.jsonl"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert "secret" not in file.read_text()


def test_history_survives_damage_and_stays_short(tmp_path: Path) -> None:
    file = tmp_path / "prompts.jsonl"
    lines = [json.dumps(f"prompt {number}") for number in range(2000)]
    file.write_text("\n".join([*lines[:1000], "{", "[1]", "\x00", *lines[1000:]]) + "\n")
    assert PromptHistory(tmp_path).texts == [f"prompt {number}" for number in range(1000, 2000)]
    assert len(file.read_text().splitlines()) == MOST_KEPT


@pytest.mark.parametrize("kind", ["folder", "link"])
def test_history_goes_on_where_it_cannot_be_kept(tmp_path: Path, kind: str) -> None:
    file = tmp_path / "prompts.jsonl"
    if kind == "folder":
        file.mkdir()
    else:
        file.symlink_to(tmp_path / "elsewhere")
    history = PromptHistory(tmp_path)
    history.add("one")
    history.add("two")
    assert history.texts == ["one", "two"]
    assert not (tmp_path / "elsewhere").exists()


@hardened
async def test_what_was_sent_comes_back_in_another_run(make_app: MakeApp) -> None:
    for run in range(2):
        app = make_app(Reply("", "Yes."))
        async with app.run_test(size=SIZE) as pilot:
            chat = app.screen.query_one(ChatPane)
            if run:
                await wait_until(pilot, partial(_has_history, chat.prompt), "the history")
                await pilot.press(*"dr", "up")
                assert chat.prompt.text == "kept question"
                await pilot.press("down")
                assert chat.prompt.text == "dr"
                continue
            await pilot.press(*"kept question", "enter")
            await wait_until(pilot, lambda: "Yes." in screen_text(pilot), "the answer")
            await chat.start_new_chat(is_temporary=True)
            await pilot.press(*"secret question", "enter")
            await wait_until(pilot, lambda: "Yes." in screen_text(pilot), "the other answer")


async def test_the_prompt_is_written_in_the_users_editor(
    make_app: MakeApp, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = tmp_path / "editor"
    script.write_text('#!/bin/sh\necho and more >> "$1"\n')
    script.chmod(0o755)
    monkeypatch.setenv("VISUAL", str(script))
    app = make_app()
    async with app.run_test(size=SIZE) as pilot:
        prompt = app.screen.query_one(Prompt)
        monkeypatch.setattr(type(app), "suspend", _nothing)
        await pilot.press(*"draft ", "ctrl+g")
        await wait_until(pilot, lambda: prompt.text == "draft and more", "what was written")


def _has_history(prompt: Prompt) -> bool:
    return bool(prompt.history_of_prompts.texts)


def _nothing(_: object) -> contextlib.AbstractContextManager[None]:
    """Nobody's terminal is handed over in a test."""
    return contextlib.nullcontext()
