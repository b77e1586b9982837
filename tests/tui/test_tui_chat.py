"""The chat pane, driven by keys."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from textual.widgets import Static

from engine.script import Reply
from engine.status import EngineReady
from tests.exchanges import exchanges, said
from tests.tui.conftest import MakeApp, screen_text, wait_until
from tui.app import ZibApp
from tui.verbs import VERBS
from tui.widgets.chat.answer import Answer
from tui.widgets.chat.pane import ChatPane
from tui.widgets.chat.prompt import Prompt
from tui.widgets.chat.transcript import Transcript

SIZE = (130, 40)


def _answers(app: ZibApp) -> list[Answer]:
    return list(app.screen.query(Answer))


def _is_idle(app: ZibApp) -> Callable[[], bool]:
    return lambda: not app.screen.query_one(ChatPane).is_answering


async def test_an_answer_streams_and_says_what_it_cost(make_app: MakeApp) -> None:
    app = make_app(Reply("capital", "The capital is **Paris**."))
    async with app.run_test(size=SIZE) as pilot:
        await pilot.press(*"capital?", "enter")
        await wait_until(pilot, lambda: "31 tok/s" in screen_text(pilot), "the closing line")
        shown = screen_text(pilot)
        assert "The capital is Paris." in shown
        assert "capital?" in shown
        assert "5/2,048" in shown  # one word asked, four said


async def test_typing_is_possible_before_the_model_is_there(make_app: MakeApp) -> None:
    app = make_app(Reply("early", "Here I am."))
    async with app.run_test(size=SIZE) as pilot:
        assert not isinstance(app.engine.status, EngineReady)
        await pilot.press(*"early", "enter")
        await wait_until(pilot, lambda: "Here I am." in screen_text(pilot), "the answer")


async def test_a_question_sent_before_the_first_frame_waits_for_the_model(
    make_app: MakeApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = make_app(Reply("early", "Here I am."))
    begin = app._begin
    monkeypatch.setattr(app, "_begin", lambda: None)
    async with app.run_test(size=SIZE) as pilot:
        await pilot.press(*"early", "enter")
        await wait_until(pilot, lambda: app.screen.query_one(ChatPane).is_answering, "the question")
        begin()
        await wait_until(pilot, lambda: "Here I am." in screen_text(pilot), "the answer")


async def test_the_second_turn_reuses_the_cache(make_app: MakeApp) -> None:
    app = make_app(Reply("", "yes indeed"))
    async with app.run_test(size=SIZE) as pilot:
        for _ in range(2):
            await pilot.press(*"again", "enter")
            await wait_until(pilot, _is_idle(app), "the end of the answer")
        await wait_until(pilot, lambda: "3 reused + 1 new" in screen_text(pilot), "reused tokens")


async def test_escape_stops_and_keeps_what_was_said(make_app: MakeApp) -> None:
    slow = Reply("slow", " ".join(str(n) for n in range(500)), seconds_per_token=0.02)
    app = make_app(slow, Reply("next", "fine"))
    async with app.run_test(size=SIZE) as pilot:
        await pilot.press(*"slow", "enter")
        await wait_until(pilot, lambda: "0 1 2 3" in screen_text(pilot), "the beginning")
        await pilot.press("escape")
        await wait_until(pilot, lambda: "stopped" in screen_text(pilot), "the stop")
        await wait_until(pilot, lambda: exchanges(app.assistant), "the exchange")
        kept = exchanges(app.assistant)[0]
        assert kept.state == "stopped"
        assert kept.answer.startswith("0 1 2 3")
        assert not kept.answer.endswith("499")
        assert _answers(app)[0].source == kept.answer
        await pilot.press(*"next", "enter")
        await wait_until(pilot, lambda: "fine" in screen_text(pilot), "the next answer")


async def test_escape_works_before_the_first_token(make_app: MakeApp) -> None:
    app = make_app(Reply("slow", "late", seconds_per_chunk=1.5))
    async with app.run_test(size=SIZE) as pilot:
        await pilot.press(*"slow", "enter")
        await wait_until(pilot, lambda: _answers(app), "the answer's place")
        await pilot.press("escape")
        await wait_until(pilot, _is_idle(app), "the stop")
        await wait_until(pilot, lambda: exchanges(app.assistant), "the exchange")
        assert exchanges(app.assistant)[0].state == "stopped"


async def test_what_is_sent_while_busy_waits_its_turn(make_app: MakeApp) -> None:
    app = make_app(
        Reply("one", "first answer " * 40, seconds_per_token=0.08), Reply("two", "second answer")
    )
    async with app.run_test(size=SIZE) as pilot:
        await pilot.press(*"one", "enter")
        await wait_until(pilot, lambda: _answers(app), "the first answer")
        await pilot.press(*"two", "enter")
        await wait_until(pilot, lambda: "next: two" in screen_text(pilot), "the queue")
        await wait_until(pilot, lambda: "second answer" in screen_text(pilot), "the second answer")
        await wait_until(pilot, _is_idle(app), "the end")
        assert [turn.question for turn in exchanges(app.assistant)] == ["one", "two"]


async def test_stopping_gives_queued_prompts_back(make_app: MakeApp) -> None:
    app = make_app(Reply("one", "word " * 400, seconds_per_token=0.02))
    async with app.run_test(size=SIZE) as pilot:
        await pilot.press(*"one", "enter")
        await wait_until(pilot, lambda: _answers(app), "the first answer")
        await pilot.press(*"two", "enter")
        await pilot.press("escape")
        await wait_until(pilot, _is_idle(app), "the stop")
        assert app.screen.query_one(Prompt).text == "two"


@pytest.mark.parametrize("fault", ["crash", "exit"])
async def test_a_dead_engine_keeps_the_partial_answer(make_app: MakeApp, fault: str) -> None:
    broken = Reply("die", "some words before", fault=fault, fault_at=2)  # type: ignore[arg-type]  # parametrised
    app = make_app(broken, Reply("again", "back again"))
    async with app.run_test(size=SIZE) as pilot:
        await pilot.press(*"die", "enter")
        await wait_until(pilot, lambda: "The engine stopped" in screen_text(pilot), "the reason")
        assert "some words" in screen_text(pilot)
        await wait_until(pilot, _is_idle(app), "the end")
        await wait_until(pilot, lambda: exchanges(app.assistant), "the exchange")
        assert exchanges(app.assistant)[0].state == "failed"
        await pilot.press(*"again", "enter")
        await wait_until(pilot, lambda: "back again" in screen_text(pilot), "the next answer")


@pytest.mark.parametrize("key", ["shift+enter", "ctrl+j"])
async def test_keys_that_break_the_line(make_app: MakeApp, key: str) -> None:
    app = make_app()
    async with app.run_test(size=SIZE) as pilot:
        await pilot.press("a", key, "b")
        assert app.screen.query_one(Prompt).text == "a\nb"
        assert not _answers(app)


async def test_a_backslash_before_enter_breaks_the_line(make_app: MakeApp) -> None:
    app = make_app()
    async with app.run_test(size=SIZE) as pilot:
        await pilot.press("a", "\\", "enter", "b")
        assert app.screen.query_one(Prompt).text == "a\nb"


async def test_arrows_bring_back_earlier_prompts_and_the_draft(make_app: MakeApp) -> None:
    app = make_app(Reply("", "ok"))
    async with app.run_test(size=SIZE) as pilot:
        prompt = app.screen.query_one(Prompt)
        for text in ("first", "second"):
            await pilot.press(*text, "enter")
            await wait_until(pilot, _is_idle(app), "the answer")
        await pilot.press(*"draft", "up")
        assert prompt.text == "second"
        await pilot.press("up", "up")
        assert prompt.text == "first"
        await pilot.press("down", "down")
        assert prompt.text == "draft"


async def test_a_new_chat_is_empty_and_reuses_nothing(make_app: MakeApp) -> None:
    app = make_app(Reply("", "answered"))
    async with app.run_test(size=SIZE) as pilot:
        await pilot.press(*"hello", "enter")
        await wait_until(pilot, lambda: "answered" in screen_text(pilot), "the answer")
        await pilot.press("ctrl+n")
        await wait_until(pilot, lambda: not _answers(app), "an empty page")
        assert exchanges(app.assistant) == ()
        await pilot.press(*"hello", "enter")
        await wait_until(pilot, lambda: "0 reused" in screen_text(pilot), "no reuse")


async def test_ctrl_c_clears_then_stops_then_quits_at_the_second_time(make_app: MakeApp) -> None:
    app = make_app(Reply("slow", "word " * 400, seconds_per_token=0.02))
    async with app.run_test(size=SIZE) as pilot:
        prompt = app.screen.query_one(Prompt)
        await pilot.press(*"slow", "enter")
        await wait_until(pilot, lambda: _answers(app), "the answer")
        await pilot.press(*"text", "ctrl+c")
        assert prompt.text == ""
        assert app.screen.query_one(ChatPane).is_answering
        await pilot.press("ctrl+c")
        await wait_until(pilot, _is_idle(app), "the stop")
        await pilot.press("ctrl+c")
        assert app.is_running
        await pilot.press("ctrl+c")
        await wait_until(pilot, lambda: not app.is_running or app._exit, "the end")


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    "text",
    [
        "[/red] [red]x[/red] [@click=app.quit]press[/] [/",
        "\x1b]52;c;aGk=\x07 \x1b[2J \x9b31m",
        "List<int> <answer>42</answer> <div>\n\nhello\n\n</div>",
        "```4x|bash\n# [/mnt/data]\n```\n\n| a |\n|---|\n| [/mnt/x] |\n",
        "a\u2028b\u202egnp.md \ufeff \U000e0041 e\u0301\u0301\u0301\u0301\u0301\u0301",
        "[x](javascript:alert(1)) ![img](http://evil/?q=1) [[Wanted page]]",
    ],
)
async def test_hostile_answers_are_only_drawn(make_app: MakeApp, text: str) -> None:
    app = make_app(Reply("", f"{text} END"))
    async with app.run_test(size=SIZE, notifications=True, tooltips=True) as pilot:
        await pilot.press(*"go", "enter")
        await wait_until(pilot, lambda: "tok/s · first" in screen_text(pilot), "the closing line")
        shown = screen_text(pilot)
        assert "END" in shown
        assert not any(character in shown for character in "\x1b\x9b\x07\u202e\u2028")
        await wait_until(pilot, lambda: exchanges(app.assistant), "the exchange")
        assert exchanges(app.assistant)[0].answer == f"{text} END"


async def test_reading_further_up_is_not_disturbed(make_app: MakeApp) -> None:
    text = "\n\n".join(f"paragraph {n}" for n in range(120))
    app = make_app(Reply("", text, seconds_per_token=0.005))
    async with app.run_test(size=(100, 24)) as pilot:
        transcript = app.screen.query_one(Transcript)
        await pilot.press(*"go", "enter")
        await wait_until(pilot, lambda: transcript.max_scroll_y > 20, "a long answer")
        transcript.scroll_to(y=5, animate=False)
        transcript.release_anchor()
        await wait_until(pilot, _is_idle(app), "the end")
        await pilot.pause()
        assert transcript.scroll_y == 5
        transcript.scroll_end(animate=False)
        await wait_until(
            pilot, lambda: "paragraph 119" in screen_text(pilot), "the end of the text"
        )
        assert transcript.is_following


async def test_thinking_is_shown_apart_and_left_out_of_the_next_prompt(make_app: MakeApp) -> None:
    app = make_app(Reply("", "the answer", thinking="let me see"))
    async with app.run_test(size=SIZE) as pilot:
        await pilot.press(*"go", "enter")
        await wait_until(pilot, lambda: "the answer" in screen_text(pilot), "the answer")
        await wait_until(pilot, _is_idle(app), "the end")
        assert "thought" in screen_text(pilot)
        assert "let me see" not in screen_text(pilot)
        await pilot.press("ctrl+o")
        await wait_until(pilot, lambda: "let me see" in screen_text(pilot), "the thinking unfolded")
        contents = said(app.assistant)
        assert contents == ["go", "the answer"]


async def test_a_refused_question_comes_back_and_harms_no_later_one(make_app: MakeApp) -> None:
    app = make_app(Reply("", "fine"))
    async with app.run_test(size=SIZE) as pilot:
        prompt = app.screen.query_one(Prompt)
        too_long = "word " * 3000
        prompt.set_text(too_long)
        await pilot.press("enter")
        await wait_until(pilot, lambda: prompt.full_text == too_long, "the question to mend")
        (footer,) = app.screen.query(".answer-footer").results(Static)
        assert "start a new chat" in str(footer.content)
        prompt.set_text("short")
        await pilot.press("enter")
        await wait_until(pilot, lambda: "fine" in screen_text(pilot), "the answer")


async def test_the_palette_offers_every_verb_that_needs_no_argument(make_app: MakeApp) -> None:
    app = make_app()
    async with app.run_test(size=SIZE):
        titles = [command.title for command in app.get_system_commands(app.screen)]
        assert {verb.label for verb in VERBS if not verb.needs_argument} <= set(titles)
        assert "Theme" in titles


async def test_unknown_slash_commands_are_named(make_app: MakeApp) -> None:
    app = make_app()
    async with app.run_test(size=SIZE, notifications=True) as pilot:
        await pilot.press(*"/nonsense [/x]", "enter")
        await wait_until(
            pilot, lambda: "No such command: /nonsense [/x]" in screen_text(pilot), "the notice"
        )
        assert not _answers(app)
