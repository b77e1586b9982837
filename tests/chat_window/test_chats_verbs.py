"""The verbs of the open chat: persona, instructions, sampling, title, summary, attention."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot
from textual.widgets import Input

from engine.script import Reply
from tests.chat_window.chats_kept import hardened
from tests.tui.conftest import MakeApp, notices, screen_text, wait_until
from tui.app import ZibApp
from tui.assistant.chat_messages import plain_text
from tui.assistant.sampling_choice import kept_sampling
from tui.attention import Attention
from tui.widgets.chat.pane import ChatPane

SIZE = (130, 40)
YES = Reply("", "yes indeed it is")


async def ask(pilot: Pilot[Any], text: str) -> None:
    """Send it and wait for the end of the answer."""
    app = pilot.app
    assert isinstance(app, ZibApp)
    pane, before = app.screen.query_one(ChatPane), len(app.assistant.path)
    pane.prompt.set_text(text)
    pane.prompt.submit()
    await wait_until(
        pilot,
        lambda: len(app.assistant.path) >= before + 2 and not pane.is_answering,
        "the answer",
    )


def thinking_now(app: ZibApp) -> bool | None:
    """Whether the model is to think."""
    return app.assistant.thinking


async def say(pilot: Pilot[Any], command: str, told: str) -> None:
    """Give a command and wait for what is told."""
    pane = pilot.app.screen.query_one(ChatPane)
    pane.prompt.set_text(command)
    pane.prompt.submit()
    await wait_until(pilot, lambda: told in notices(pilot), told)


async def test_a_persona_of_the_user_answers_and_stays_with_the_chat(
    make_app: MakeApp, tmp_path: Path
) -> None:
    folder = tmp_path / "config" / "personas"
    folder.mkdir(parents=True)
    (folder / "pirate.toml").write_text(
        'name = "Pirate"\nsystem_prompt = "Arr."\nthinking = false\n[sampling]\ntemperature = 0.1\n'
    )
    (folder / "bad.toml").write_text("sytem_prompt = 1")
    app = make_app(YES)
    async with app.run_test(size=SIZE) as pilot:
        await say(pilot, "/persona pirate", "Pirate answers this chat")
        assert "bad.toml: It has an unknown key 'sytem_prompt'" in notices(pilot)
        assert thinking_now(app) is False
        await ask(pilot, "one")
        chat = app.assistant.chat
        assert chat is not None
        assert (chat.chat.options.persona, chat.chat.options.system_prompt) == ("Pirate", "Arr.")
        assert "Pirate" in screen_text(pilot)
        await pilot.press("ctrl+n")
        await wait_until(pilot, lambda: not app.assistant.options.persona, "a plain chat")
        assert thinking_now(app) is None
        await app.screen.query_one(ChatPane).open_chat(chat.id)
        assert kept_sampling(app.assistant.options.sampling).values == {"temperature": 0.1}
        await say(pilot, "/persona priate", "Did you mean Pirate?")


@hardened
async def test_a_persona_is_picked_from_the_list(make_app: MakeApp) -> None:
    app = make_app(YES)
    async with app.run_test(size=SIZE) as pilot:
        await pilot.press(*"/persona", "enter")
        await wait_until(pilot, lambda: "Who answers this chat?" in screen_text(pilot), "the list")
        await pilot.press("down", "enter")
        await wait_until(pilot, lambda: app.assistant.options.persona == "Brief", "the choice")


@hardened
async def test_instructions_of_a_chat_are_set_edited_and_taken_back(make_app: MakeApp) -> None:
    app = make_app(YES)
    async with app.run_test(size=SIZE) as pilot:
        await say(pilot, "/system Be [b]brief[/]", "its own instructions")
        assert app.assistant.options.system_prompt == "Be [b]brief[/]"
        await pilot.press(*"/system", "enter")
        await wait_until(pilot, lambda: "Instructions for this chat" in screen_text(pilot), "it")
        await pilot.press(*"X", "ctrl+s")
        await wait_until(
            pilot, lambda: app.assistant.options.system_prompt == "XBe [b]brief[/]", "the edit"
        )


async def test_sampling_is_typed_or_filled_in_and_checked(make_app: MakeApp) -> None:
    app = make_app(YES, **{"chat.top_k": 33})
    async with app.run_test(size=SIZE) as pilot:
        await say(pilot, "/sampling temperature 0.25", "temperature 0.25")
        await say(pilot, "/sampling temperature hot", "must be a number from 0 to 5")
        await pilot.press(*"/sampling", "enter")
        await wait_until(pilot, lambda: "Temperature" in screen_text(pilot), "the form")
        form = app.screen
        assert form.query_one("#sampling-temperature", Input).value == "0.25"
        assert form.query_one("#sampling-top_k", Input).placeholder == "33"
        await pilot.press("ctrl+u", *"9", "enter")
        await wait_until(
            pilot, lambda: "temperature must be a number from 0 to 5" in screen_text(pilot), "why"
        )
        await pilot.press("ctrl+u", *"auto", "down", *"0.9", "enter")
        await wait_until(pilot, lambda: app.screen is not form, "the form to close")
        values = kept_sampling(app.assistant.options.sampling).values
        assert values == {"temperature": None, "top_p": 0.9}
        style = app.assistant.style.of_chat(app.assistant.options)
        assert (style.sampling.top_p, style.sampling.top_k) == (0.9, 33)
        await say(pilot, "/sampling reset", "again as your settings say")
        assert app.assistant.options.sampling == ""


async def test_a_chat_gets_a_title_after_its_first_answer(make_app: MakeApp) -> None:
    title = Reply("Name its topic", 'Title: "[red]Lens[/] for the trip."')
    app = make_app(title, YES, **{"chat.auto_title": True})
    async with app.run_test(size=SIZE) as pilot:
        await ask(pilot, "Which lens for the trip?")
        await wait_until(pilot, lambda: "Chat: [red]Lens[/]" in _flat(pilot), "the title")
        chat = app.assistant.chat
        assert chat is not None
        assert (chat.chat.title, chat.chat.titled_by) == ("red]Lens[/] for the trip", "model")


def _is_done(app: ZibApp, group: str) -> bool:
    return all(each.is_finished for each in app.workers if each.group == group)


def _flat(pilot: Pilot[Any]) -> str:
    return screen_text(pilot).replace("Chat: red]", "Chat: [red]")


async def test_no_title_replaces_the_users_and_temporary_chats_get_none(make_app: MakeApp) -> None:
    app = make_app(Reply("Name its topic", "The first other"), YES, **{"chat.auto_title": True})
    async with app.run_test(size=SIZE) as pilot:
        pane = app.screen.query_one(ChatPane)
        await pane.start_new_chat(is_temporary=True)
        await ask(pilot, "secret?")
        await wait_until(pilot, lambda: _is_done(app, "chat-title"), "no title")
        assert app.assistant.chat is not None
        assert app.assistant.chat.chat.title == ""
        await pane.start_new_chat()
        await ask(pilot, "first?")
        await wait_until(
            pilot,
            lambda: app.assistant.chat and app.assistant.chat.chat.title == "The first other",
            "one",
        )
        chat = app.assistant.chat
        await chat.run(lambda store: store.chats.rename(chat.id, "Mine"))
        await chat.run(lambda store: store.chats.rename(chat.id, "Theirs", "model"))
        assert chat.chat.title == "Mine"


async def test_the_beginning_is_summed_up_and_had_back(make_app: MakeApp) -> None:
    app = make_app(Reply("Sum up", "IN [/x] SHORT"), YES)
    async with app.run_test(size=SIZE) as pilot:
        await say(pilot, "/compact", "Ask first.")
        for number in range(3):
            await ask(pilot, f"question {number}")
        pane = app.screen.query_one(ChatPane)
        pane.prompt.set_text("/compact")
        pane.prompt.submit()
        await wait_until(pilot, lambda: "summed up from here on" in screen_text(pilot), "the seam")
        chat = app.assistant.chat
        assert chat is not None
        messages = chat.messages("", plain_text)
        assert messages[0].role == "system"
        assert messages[0].content.endswith("IN [/x] SHORT")
        assert [each.content for each in messages[1:]][::2] == ["question 1", "question 2"]
        assert "question 0" in screen_text(pilot)
        await pilot.press("alt+up", "t")
        await wait_until(pilot, lambda: "IN [/x] SHORT" in screen_text(pilot), "the summary")
        await pilot.press("e")
        await wait_until(pilot, lambda: "This is a summary" in notices(pilot), "no edit")
        await pilot.press("d")
        await wait_until(pilot, lambda: "summed up" not in screen_text(pilot), "no seam")
        assert [each.content for each in chat.messages("", plain_text)][::2] == [
            f"question {number}" for number in range(3)
        ]


async def test_a_full_context_is_told_once_or_summed_up_by_itself(make_app: MakeApp) -> None:
    long = "word " * 150
    for how in ("ask", "auto"):
        app = make_app(
            Reply("Sum up", "SHORT"), YES, **{"chat.compact": how, "chat.compact_at": 20}
        )
        async with app.run_test(size=SIZE) as pilot:
            for _ in range(3):
                await ask(pilot, long)
            if how == "ask":
                await wait_until(pilot, lambda: "/compact sums up" in notices(pilot), "the offer")
                assert notices(pilot).count("/compact sums up") == 1
            else:
                await wait_until(
                    pilot, lambda: "summed up from here on" in screen_text(pilot), "the seam"
                )


@pytest.mark.parametrize(
    ("how", "is_focused", "written"),
    [
        ("off", False, ""),
        ("bell", True, ""),
        ("bell", False, "bell|\x1b[22;2t\x1b]2;● Zibaldone: the answer is there\x07|\x1b[23;2t"),
        (
            "terminal",
            False,
            "\x1b]9;Zibaldone: the answer is there\x07"
            "|\x1b[22;2t\x1b]2;● Zibaldone: the answer is there\x07|\x1b[23;2t",
        ),
    ],
)
async def test_who_looks_elsewhere_is_told(
    make_app: MakeApp, monkeypatch: pytest.MonkeyPatch, how: Any, is_focused: bool, written: str
) -> None:
    app = make_app(YES)
    done: list[str] = []
    async with app.run_test(size=SIZE):
        attention = Attention(app, how)
        monkeypatch.setattr(attention, "_write", done.append)
        monkeypatch.setattr(app, "bell", lambda: done.append("bell"))
        app.app_focus = is_focused
        attention.ask_for_it()
        attention.user_is_back()
        attention.user_is_back()
    assert "|".join(done) == written
