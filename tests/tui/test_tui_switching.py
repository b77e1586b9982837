"""Changing the model in the middle of a chat: nothing is lost, and what worked comes back."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from engine.script import Reply
from engine.status import EngineAsleep, EngineReady
from engine.wanted_model import ModelChoice
from tests.exchanges import exchanges, said
from tests.tui.conftest import notices, screen_text, scripted_wiring, wait_until
from tests.tui.scripted_models import write_scripted_model
from tui.app import ZibApp
from tui.models.startup import ReportFetch
from tui.screens.main import MainScreen
from tui.screens.models.picker import ModelPicker
from tui.screens.question import QuestionScreen
from tui.widgets.chat.meter import Meter
from tui.widgets.chat.pane import ChatPane
from tui.widgets.chat.prompt import Prompt
from tui.widgets.chat.transcript import Transcript

SIZE = (130, 40)
TOO_BIG = 40 * 1024**3
Make = Callable[..., ZibApp]


@pytest.fixture
def make(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Make:
    """An app that starts with the model `first`; further models are given by their wishes."""
    monkeypatch.setenv("HOME", str(tmp_path))
    models = tmp_path / "data" / "models"
    first = write_scripted_model(models / "first")

    def build(*replies: Reply, flags: dict[str, object] | None = None, **others: Any) -> ZibApp:
        for name, wishes in others.items():
            write_scripted_model(models / name, **wishes)

        async def find(_: ReportFetch) -> ModelChoice:
            return ModelChoice(str(first))

        return ZibApp(scripted_wiring(tmp_path, replies, tmp_path / "wiki", flags or {}, find))

    return build


def loaded_name(app: ZibApp) -> str:
    """The name of the model that answers, or empty."""
    status = app.engine.status
    return status.model.name if isinstance(status, EngineReady) else ""


async def until_loaded(pilot: Pilot[Any], name: str) -> None:
    app = pilot.app
    assert isinstance(app, ZibApp)
    await wait_until(pilot, lambda: loaded_name(app) == name, f"{name} is loaded")


async def say(pilot: Pilot[Any], text: str) -> None:
    """Type into the prompt and send."""
    pilot.app.screen.query_one(Prompt).set_text(text)
    await pilot.press("enter")


async def until_dialog(pilot: Pilot[Any], words: str) -> None:
    await wait_until(
        pilot,
        lambda: isinstance(pilot.app.screen, QuestionScreen) and words in flat(pilot),
        f"a question with {words}",
    )


def flat(pilot: Pilot[Any]) -> str:
    """The screen without its line breaks and frames."""
    return " ".join(screen_text(pilot).replace("│", " ").split())


def is_idle(app: ZibApp) -> bool:
    return not app.screen_stack[0].query_one(ChatPane).is_answering


async def test_the_chat_goes_on_with_the_new_model(make: Make) -> None:
    app = make(Reply("", "an answer"), second={})
    async with app.run_test(size=SIZE, notifications=True) as pilot:
        await until_loaded(pilot, "first")
        await say(pilot, "one")
        await wait_until(pilot, lambda: "tok/s · first" in screen_text(pilot), "the answer")
        await say(pilot, "/model sec")
        await until_loaded(pilot, "second")
        await wait_until(pilot, lambda: "second answers from here on" in flat(pilot), "the line")
        # What the meter said was counted by the model before, of its own window.
        assert not str(app.screen.query_one(Meter).render())
        await say(pilot, "two")
        await wait_until(pilot, lambda: len(exchanges(app.assistant)) == 2, "both")
        contents = said(app.assistant)
        assert contents == ["one", "an answer", "two", "an answer"]
        kinds = [
            " ".join(sorted(child.classes)) for child in app.screen.query_one(Transcript).children
        ]
        assert kinds == ["question", "answer", "model-note", "question", "answer"]


async def test_an_empty_chat_needs_no_line(make: Make) -> None:
    app = make(second={})
    async with app.run_test(size=SIZE) as pilot:
        await until_loaded(pilot, "first")
        await say(pilot, "/model second")
        await until_loaded(pilot, "second")
        await pilot.pause()
        assert "from here on" not in screen_text(pilot)


@pytest.mark.parametrize("fault", ["raise", "memory"])
async def test_a_failed_load_goes_back_to_what_worked(make: Make, fault: str) -> None:
    app = make(Reply("", "still here"), broken={"load_fault": fault})
    async with app.run_test(size=SIZE, notifications=True) as pilot:
        await until_loaded(pilot, "first")
        await say(pilot, "/model broken")
        await wait_until(pilot, lambda: "first answers again" in notices(pilot), "the sentence")
        await until_loaded(pilot, "first")
        await say(pilot, "one")
        await wait_until(pilot, lambda: "still here" in screen_text(pilot), "the answer")


async def test_a_load_that_kills_the_engine_goes_back_too(make: Make) -> None:
    app = make(Reply("", "still here"), deadly={"load_fault": "kill"})
    async with app.run_test(size=SIZE, notifications=True) as pilot:
        await until_loaded(pilot, "first")
        await say(pilot, "/model deadly")
        await wait_until(
            pilot, lambda: "first answers again" in notices(pilot), "the sentence", seconds=40
        )
        await say(pilot, "one")
        await wait_until(pilot, lambda: "still here" in screen_text(pilot), "the answer")


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("button", "name"), [("#cancel", "first"), ("#anyway", "huge"), ("#another", "first")]
)
async def test_a_model_that_does_not_fit_is_asked_about(make: Make, button: str, name: str) -> None:
    app = make(Reply("", "fine"), huge={"weights_bytes": TOO_BIG})
    async with app.run_test(size=SIZE, notifications=True) as pilot:
        await until_loaded(pilot, "first")
        await say(pilot, "/model huge")
        await until_dialog(pilot, "40.0 GiB")
        assert "of 16.0 GiB" in flat(pilot)
        assert loaded_name(app) == "first"
        await pilot.click(button)
        if button == "#another":
            await wait_until(pilot, lambda: isinstance(app.screen, ModelPicker), "the picker")
            await pilot.press("escape")
        await wait_until(pilot, lambda: isinstance(app.screen, MainScreen), "the main screen")
        await until_loaded(pilot, name)
        await say(pilot, "one")
        await wait_until(pilot, lambda: "fine" in screen_text(pilot), "the answer")


async def test_a_declined_model_is_not_explained_twice(make: Make) -> None:
    app = make(flags={"engine.memory_limit": 0.5})
    async with app.run_test(size=SIZE, notifications=True) as pilot:
        await until_dialog(pilot, "of 512 MiB")
        await pilot.click("#cancel")
        await wait_until(pilot, lambda: "/model shows what else" in notices(pilot), "the notice")
        assert "can be used" not in notices(pilot)


async def test_a_first_model_that_does_not_fit_is_asked_about(make: Make) -> None:
    app = make(Reply("", "fine"), flags={"engine.memory_limit": 0.5})
    async with app.run_test(size=SIZE, notifications=True) as pilot:
        await until_dialog(pilot, "of 512 MiB")
        await pilot.click("#anyway")
        await until_loaded(pilot, "first")
        await say(pilot, "one")
        await wait_until(pilot, lambda: "fine" in screen_text(pilot), "the answer")


@pytest.mark.sampled(1)
@pytest.mark.parametrize("button", ["#wait", "#stop", "#cancel"])
async def test_an_answer_under_way_is_not_lost(make: Make, button: str) -> None:
    text = " ".join(str(n) for n in range(400 if button == "#stop" else 80))
    app = make(Reply("slow", text, seconds_per_token=0.05), Reply("", "quick"), second={})
    async with app.run_test(size=SIZE, notifications=True) as pilot:
        await until_loaded(pilot, "first")
        await say(pilot, "slow")
        await wait_until(pilot, lambda: "0 1 2" in screen_text(pilot), "the beginning")
        await say(pilot, "queued")
        await say(pilot, "/model second")
        await until_dialog(pilot, "An answer is being written")
        await pilot.click(button)
        await until_loaded(pilot, "first" if button == "#cancel" else "second")
        await wait_until(pilot, lambda: len(exchanges(app.assistant)) == 2, "both")
        slow, queued = exchanges(app.assistant)
        assert queued.answer == "quick"
        assert slow.answer.startswith("0 1 2")
        assert slow.state == ("stopped" if button == "#stop" else "complete")
        assert (slow.answer == text) == (button != "#stop")


async def test_an_unloaded_model_returns_with_the_next_question(make: Make) -> None:
    app = make(Reply("", "back again"))
    async with app.run_test(size=SIZE, notifications=True) as pilot:
        await until_loaded(pilot, "first")
        await say(pilot, "/unload")
        await wait_until(pilot, lambda: "first is unloaded" in notices(pilot), "the sentence")
        await wait_until(pilot, lambda: "no model" in screen_text(pilot), "the status line")
        await say(pilot, "/unload")
        await wait_until(pilot, lambda: "No model is loaded." in notices(pilot), "nothing to free")
        await say(pilot, "one")
        await wait_until(pilot, lambda: "back again" in screen_text(pilot), "the answer")
        assert loaded_name(app) == "first"


async def test_a_sleeping_model_says_so_and_wakes(make: Make) -> None:
    app = make(Reply("", "awake"), flags={"engine.idle_unload": 0.01})
    async with app.run_test(size=SIZE) as pilot:
        await wait_until(pilot, lambda: isinstance(app.engine.status, EngineAsleep), "sleep")
        await wait_until(pilot, lambda: "first · asleep" in screen_text(pilot), "the status line")
        await say(pilot, "one")
        await wait_until(pilot, lambda: "awake" in screen_text(pilot), "the answer")


async def test_an_unclear_name_opens_the_picker_with_the_candidates(make: Make) -> None:
    app = make(second={}, seconds={}, third={})
    async with app.run_test(size=SIZE) as pilot:
        await until_loaded(pilot, "first")
        await say(pilot, "/model eco")
        await wait_until(pilot, lambda: "may mean second, seconds" in flat(pilot), "the sentence")
        assert isinstance(app.screen, ModelPicker)
        await wait_until(pilot, lambda: "tok/s" in screen_text(pilot), "a plan")
        assert "third" not in screen_text(pilot)
        await pilot.press("down", "enter")
        await until_loaded(pilot, "seconds")


async def test_a_name_of_nothing_shows_everything(make: Make) -> None:
    app = make(second={})
    async with app.run_test(size=SIZE) as pilot:
        await until_loaded(pilot, "first")
        await say(pilot, "/model [/x] \x1b[31m")
        await wait_until(pilot, lambda: "No model called" in flat(pilot), "the sentence")
        await wait_until(pilot, lambda: "second" in screen_text(pilot), "the list")
        assert "\x1b" not in screen_text(pilot)


async def test_the_choice_is_kept_but_the_setting_wins(make: Make, tmp_path: Path) -> None:
    app = make(second={}, flags={"model": "first"})
    async with app.run_test(size=SIZE, notifications=True) as pilot:
        await until_loaded(pilot, "first")
        await say(pilot, "/model second")
        await wait_until(
            pilot, lambda: "The next start uses first" in notices(pilot), "the sentence"
        )
    kept = (tmp_path / "state" / "last-model").read_text()
    assert str(tmp_path / "data" / "models" / "second") in kept
