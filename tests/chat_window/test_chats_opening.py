"""The list of chats in the whole window: back to an earlier chat, and on with it."""

from __future__ import annotations

from engine.script import Reply
from tests.tui.conftest import MakeApp, notices, screen_text, wait_until
from tui.screens.chats.screen import ChatsScreen
from tui.widgets.chat.prompt import Prompt


async def test_an_earlier_chat_is_found_by_its_words_and_gone_on_with(make_app: MakeApp) -> None:
    app = make_app(
        Reply("bread", "it rises for two hours"), Reply("lens", "the 35mm"), Reply("", "more")
    )
    async with app.run_test(size=(120, 36)) as pilot:
        await pilot.press(*"bread", "enter")
        await wait_until(pilot, lambda: "two hours" in screen_text(pilot), "an answer")
        await wait_until(pilot, lambda: not app.assistant.is_answering, "its end")
        first = app.assistant.chat
        await pilot.press("ctrl+n", *"lens", "enter")
        await wait_until(pilot, lambda: "the 35mm" in screen_text(pilot), "another answer")
        await wait_until(pilot, lambda: not app.assistant.is_answering, "its end")
        await pilot.press("ctrl+s")
        await wait_until(pilot, lambda: isinstance(app.screen, ChatsScreen), "the list")
        await pilot.press(*"hours")
        await wait_until(pilot, lambda: "1 chat" in screen_text(pilot), "what was found")
        await pilot.press("enter")
        await wait_until(pilot, lambda: "it rises" in screen_text(pilot), "the chat")
        chat = app.assistant.chat
        assert chat is not None
        assert first is not None
        assert chat.id == first.id
        await pilot.press(*"go on", "enter")
        await wait_until(pilot, lambda: len(app.assistant.path) == 4, "the chat going on")


async def test_the_open_chat_is_not_deleted_under_its_user(make_app: MakeApp) -> None:
    app = make_app(Reply("", "fine"))
    async with app.run_test(size=(120, 36), notifications=True) as pilot:
        await pilot.press(*"one", "enter")
        await wait_until(pilot, lambda: "fine" in screen_text(pilot), "an answer")
        await wait_until(pilot, lambda: not app.assistant.is_answering, "its end")
        await pilot.press("ctrl+s")
        await wait_until(pilot, lambda: "1 chat" in screen_text(pilot), "the list")
        await pilot.press("f8")
        await wait_until(pilot, lambda: "This chat is open" in notices(pilot), "the reason")
        await pilot.press("escape")
        await wait_until(pilot, lambda: app.screen.query(Prompt), "the chat")
        assert app.screen.query_one(Prompt).has_focus
