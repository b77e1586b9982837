"""Choosing a message of the chat, and everything that can be done with it."""

from __future__ import annotations

from typing import Any

import pytest
from textual.pilot import Pilot
from textual.widgets import OptionList

from engine.script import Reply
from tests.chat_window.chats_kept import MOMENT
from tests.exchanges import exchanges, said
from tests.tui.conftest import MakeApp, make_app, notices, screen_text, terminal, wait_until
from tui.app import ZibApp
from tui.assistant.memory_tools.steps import AnswerSteps
from tui.widgets.chat.message_keys import key_line
from tui.widgets.chat.message_view import BranchLine, MessageView
from tui.widgets.chat.pane import ChatPane
from tui.widgets.chat.transcript import Transcript
from vault.conversations.values import Branch, MessageNode

__all__ = ["make_app", "terminal"]
SIZE = (130, 40)
CODE = "Two:\n\n```python\nanswer = 42\n```\n\nand\n\n```sh\nls -l\n```\n"


async def ask(pilot: Pilot[Any], text: str) -> None:
    """Send a question and wait for the end of its answer."""
    app = pilot.app
    assert isinstance(app, ZibApp)
    pane = app.screen.query_one(ChatPane)
    pane.prompt.set_text(text)
    await pilot.press("enter")

    def is_answered() -> bool:
        asked = [node.text for node in app.assistant.path if node.role == "user"]
        return asked[-1:] == [text] and not pane.is_answering

    await wait_until(pilot, is_answered, f"{text} answered")


def chosen(pilot: Pilot[Any]) -> str:
    """The text of the chosen message."""
    views = [each for each in pilot.app.screen.query(MessageView) if each.has_class("-selected")]
    return views[0].text if len(views) == 1 else f"{len(views)} are chosen"


async def until_chosen(pilot: Pilot[Any], text: str) -> None:
    await wait_until(pilot, lambda: chosen(pilot) == text, f"{text!r} is chosen")


def shown(pilot: Pilot[Any]) -> list[str]:
    return [each.text for each in pilot.app.screen.query(MessageView)]


def test_the_keys_are_those_of_the_whole_answer() -> None:
    first, last = (
        MessageNode(str(each), "", "assistant", text, MOMENT, thinking=thinking)
        for each, (text, thinking) in enumerate((("said", "thought"), ("", "")))
    )
    told = key_line(AnswerSteps((first, last), {}), Branch(1, ("0",)), False, 200)
    assert "t thinking" in told
    assert ". continue" not in told
    assert ". continue" in key_line(last, Branch(1, ("1",)), False, 200)


async def test_messages_are_chosen_and_left_by_keys(make_app: MakeApp) -> None:
    app = make_app(Reply("one", "first"), Reply("two", "second"))
    async with app.run_test(size=SIZE) as pilot:
        await ask(pilot, "one")
        await ask(pilot, "two")
        await pilot.press("alt+up")
        await wait_until(pilot, lambda: chosen(pilot) == "second", "the last")
        assert "y copy" in screen_text(pilot)
        for key, text in (("k", "two"), ("alt+up", "first"), ("g", "one"), ("j", "first")):
            await pilot.press(key)
            await until_chosen(pilot, text)
        await pilot.press("G", "escape")
        assert app.screen.query_one(ChatPane).prompt.has_focus
        assert chosen(pilot) == "0 are chosen"
        await pilot.press("escape")
        await wait_until(pilot, lambda: chosen(pilot) == "second", "the last from an empty prompt")
        await pilot.press("escape", "x", "escape")
        assert app.screen.query_one(ChatPane).prompt.text == "x"
        assert chosen(pilot) == "0 are chosen"


async def test_a_message_and_its_code_are_copied(make_app: MakeApp) -> None:
    app = make_app(Reply("code", CODE))
    async with app.run_test(size=SIZE, notifications=True) as pilot:
        await ask(pilot, "code")
        await pilot.press("alt+up", "y")
        await wait_until(pilot, lambda: app.clipboard == CODE, "the message")
        await pilot.press("b")
        await wait_until(pilot, lambda: isinstance(app.focused, OptionList), "which code")
        await pilot.press("down", "enter")
        await wait_until(pilot, lambda: app.clipboard == "ls -l\n", "the second block")
        await pilot.press("k", "b")
        await wait_until(pilot, lambda: "no block of code" in notices(pilot), "that there is none")


async def test_a_question_is_edited_into_a_branch_and_versions_are_switched(
    make_app: MakeApp,
) -> None:
    app = make_app(Reply("three", "third"), Reply("one", "first"), Reply("two", "second"))
    async with app.run_test(size=SIZE) as pilot:
        await ask(pilot, "one")
        await ask(pilot, "two")
        await pilot.press("alt+up", "g", "e")
        pane = app.screen.query_one(ChatPane)
        await wait_until(pilot, lambda: pane.prompt.text == "one", "the question to edit")
        assert "Enter sends a branch" in screen_text(pilot)
        await ask(pilot, "three")
        await wait_until(pilot, lambda: shown(pilot) == ["three", "third"], "the branch alone")
        assert "‹ 2/2 ›" in screen_text(pilot)
        assert said(app.assistant) == ["three", "third"]
        await pilot.press("alt+up", "k", "left")
        await wait_until(pilot, lambda: shown(pilot) == ["one", "first", "two", "second"], "before")
        assert chosen(pilot) == "one"
        await pilot.press("right")
        await wait_until(pilot, lambda: shown(pilot) == ["three", "third"], "after")
        line = next(each for each in app.screen.query(BranchLine) if each.display)
        await pilot.click(line, offset=(1, 0))
        await wait_until(pilot, lambda: len(shown(pilot)) == 4, "by the mouse")


async def test_editing_is_given_up_by_escape(make_app: MakeApp) -> None:
    app = make_app(Reply("", "fine"))
    async with app.run_test(size=SIZE) as pilot:
        await ask(pilot, "one")
        await pilot.press("alt+up", "e")
        pane = app.screen.query_one(ChatPane)
        await wait_until(pilot, lambda: pane.prompt.text == "one", "the question to edit")
        await pilot.press("escape")
        assert not pane.prompt.text
        await ask(pilot, "two")
        assert shown(pilot) == ["one", "fine", "two", "fine"]


async def test_an_answer_is_regenerated_beside_the_first(make_app: MakeApp) -> None:
    app = make_app(Reply("one", "first"))
    async with app.run_test(size=SIZE) as pilot:
        await ask(pilot, "one")
        first = app.assistant.path[-1]
        await pilot.press("alt+up", "r")
        await wait_until(pilot, lambda: "‹ 2/2 ›" in screen_text(pilot), "the other answer")
        chat = app.assistant.chat
        assert chat is not None
        assert chat.tree.branch(chat.path[-1].id).ids == (first.id, chat.path[-1].id)
        assert shown(pilot) == ["one", "first"]


async def test_an_answer_that_was_cut_goes_on(make_app: MakeApp) -> None:
    app = make_app(
        Reply("one", "and so on"), Reply("count", "one two three"), **{"chat.max_tokens": 1}
    )
    async with app.run_test(size=SIZE) as pilot:
        await ask(pilot, "count")
        await wait_until(pilot, lambda: exchanges(app.assistant), "the exchange")
        assert exchanges(app.assistant)[0].state == "cut"
        await pilot.press("alt+up", "full_stop")
        await wait_until(pilot, lambda: app.assistant.path[-1].text == "one and ", "the rest")
        assert len(app.assistant.path) == 2
        await wait_until(pilot, lambda: "one and" in screen_text(pilot), "both on the screen")


async def test_a_fork_is_a_chat_of_its_own(make_app: MakeApp) -> None:
    app = make_app(Reply("", "fine"))
    async with app.run_test(size=SIZE, notifications=True) as pilot:
        await ask(pilot, "one")
        await ask(pilot, "two")
        old = app.assistant.chat
        await pilot.press("alt+up", "g", "j", "f")
        await wait_until(pilot, lambda: shown(pilot) == ["one", "fine"], "the fork")
        assert app.assistant.chat is not None
        assert old is not None
        assert app.assistant.chat.id != old.id
        assert [each.text for each in (await app.assistant.chats.open(old.id)).path][2] == "two"


async def test_a_message_is_deleted_and_had_back(make_app: MakeApp) -> None:
    app = make_app(Reply("", "fine"))
    async with app.run_test(size=SIZE, notifications=True) as pilot:
        await ask(pilot, "one")
        await ask(pilot, "two")
        await pilot.press("alt+up", "k", "k", "d")
        await wait_until(pilot, lambda: shown(pilot) == ["one", "two", "fine"], "one less")
        await pilot.press("u")
        await wait_until(pilot, lambda: shown(pilot) == ["one", "fine", "two", "fine"], "all again")
        await pilot.press("g", "d")
        await wait_until(pilot, lambda: shown(pilot) == ["two", "fine"], "question and answer gone")
        await pilot.press("u")
        await wait_until(pilot, lambda: shown(pilot) == ["one", "fine", "two", "fine"], "both back")


async def test_a_message_is_quoted(make_app: MakeApp) -> None:
    app = make_app(Reply("", "a\n\nb"))
    async with app.run_test(size=SIZE) as pilot:
        await ask(pilot, "one")
        await pilot.press("alt+up", "greater_than_sign")
        pane = app.screen.query_one(ChatPane)
        await wait_until(pilot, lambda: pane.prompt.text == "> a\n>\n> b\n\n", "the quotation")
        assert pane.prompt.has_focus


async def test_nothing_is_changed_while_an_answer_is_written(make_app: MakeApp) -> None:
    app = make_app(Reply("slow", "word " * 300, seconds_per_token=0.02), Reply("", "fine"))
    async with app.run_test(size=SIZE, notifications=True) as pilot:
        await ask(pilot, "one")
        pane = app.screen.query_one(ChatPane)
        pane.prompt.set_text("slow")
        await pilot.press("enter")
        await wait_until(pilot, lambda: "word word" in screen_text(pilot), "the beginning")
        await pilot.press("alt+up", "g", "r")
        await wait_until(pilot, lambda: "is being written" in notices(pilot), "why not")
        await pilot.press("y")
        await wait_until(pilot, lambda: app.clipboard == "one", "copying goes on")
        pane.stop()
        await wait_until(pilot, lambda: not pane.is_answering, "the stop")


@pytest.mark.parametrize("size", [(40, 10), (80, 24), (120, 40)])
async def test_the_keys_fit_the_window(make_app: MakeApp, size: tuple[int, int]) -> None:
    app = make_app(Reply("", "[/x] `a`"))
    async with app.run_test(size=size) as pilot:
        await ask(pilot, "[red]?[/]")
        await pilot.press("alt+up")
        await wait_until(pilot, lambda: "y copy" in screen_text(pilot), "the keys")
        assert app.screen.query_one(Transcript).has_focus
