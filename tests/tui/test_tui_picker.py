"""The model picker, driven by keys and mouse over the scripted engine."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from textual import events
from textual.pilot import Pilot
from textual.widgets import Input, Static

from engine.errors import ModelUnavailable
from engine.models.builtin_source import FetchProgress
from engine.models.entry import ModelEntry
from engine.plan.contract import MemoryPlan, PlanOptions
from engine.script import Reply
from engine.wanted_model import ModelChoice
from tests.tui.conftest import notices, screen_text, scripted_wiring, wait_until
from tests.tui.scripted_models import write_scripted_model
from tui.app import ZibApp
from tui.models.shelf import Offer
from tui.models.startup import ReportFetch
from tui.models.supply import Supply
from tui.screens.main import MainScreen
from tui.screens.models.adapter import AdapterScreen
from tui.screens.models.model_list import ModelList
from tui.screens.models.picker import ModelPicker
from tui.screens.models.stepper import Stepper
from tui.screens.question import QuestionScreen
from tui.wiring import Wiring

WIDE, NARROW, HUGE = (130, 40), (40, 12), (250, 80)
GIB = 1024**3
OFFER = Offer("org/Better-4bit", 4 * GIB, "apache-2.0", "to chat", "16 GiB")
HOSTILE = (
    "[red]markup[/] [/x]",
    "escape\x1b]52;c;aGk=\x07\x1b[2J\x9b31m",
    "\u202eleft to right\u2066",
    "line\nbreak\ttab",
    "記憶" * 30,
    "e" + "\u0301" * 60,
    "n" * 200,
)
Make = Callable[..., ZibApp]


@pytest.fixture
def make(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Make:
    """An app with the models `first` and others given by their wishes; `first` is loaded."""
    monkeypatch.setenv("HOME", str(tmp_path))

    def build(
        change: Callable[[Wiring], Wiring] = lambda wiring: wiring, **others: dict[str, object]
    ) -> ZibApp:
        for name, wishes in {"first": {}, **others}.items():
            write_model(tmp_path, name, **wishes)

        async def find(_: ReportFetch) -> ModelChoice:
            return ModelChoice(str(model_folder(tmp_path, "first")))

        replies = (Reply("", "fine"),)
        wiring = scripted_wiring(tmp_path, replies, tmp_path / "wiki", {}, find, (OFFER,))
        return ZibApp(change(wiring))

    return build


def model_folder(home: Path, name: str) -> Path:
    return home / "data" / "models" / name


def write_model(home: Path, name: str, **wishes: object) -> Path:
    return write_scripted_model(model_folder(home, name), **wishes)


def picker_of(pilot: Pilot[Any]) -> ModelPicker:
    screen = pilot.app.screen
    assert isinstance(screen, ModelPicker), screen
    return screen


def highlighted(pilot: Pilot[Any]) -> str:
    """The name of the highlighted model."""
    item = picker_of(pilot).query_one(ModelList).item
    return item.name if item is not None else ""


def detail(pilot: Pilot[Any]) -> str:
    """What stands beside the list."""
    return str(picker_of(pilot).query_one("#detail-text", Static).content)


async def open_picker(pilot: Pilot[Any]) -> ModelPicker:
    """Open it, and wait until everything is found and the highlighted model is planned."""
    app = pilot.app
    assert isinstance(app, ZibApp)
    await wait_until(pilot, lambda: loaded_name(app) == "first", "the first model")
    await pilot.press("f5")
    await wait_until(pilot, lambda: isinstance(pilot.app.screen, ModelPicker), "the picker")
    picker = picker_of(pilot)
    await wait_until(pilot, lambda: picker.query_one(ModelList).items, "the models")
    return picker


async def until_planned(pilot: Pilot[Any]) -> None:
    await wait_until(pilot, lambda: "safe context" in detail(pilot), "a plan")


def loaded_name(app: ZibApp) -> str:
    status = app.engine.status
    return getattr(getattr(status, "model", None), "name", "")


@pytest.mark.sampled(1)
@pytest.mark.parametrize("size", [NARROW, WIDE, HUGE])
async def test_choosing_by_keys_at_any_size(make: Make, size: tuple[int, int]) -> None:
    app = make(second={})
    async with app.run_test(size=size) as pilot:
        await open_picker(pilot)
        await until_planned(pilot)
        shown = screen_text(pilot)
        for words in ("first", "second", "Fits.", "of 16.0 GiB", "ctx", "Load", "Close"):
            assert words in shown
        assert highlighted(pilot) == "first"
        await pilot.press("down")
        assert highlighted(pilot) == "second"
        await pilot.press("enter")
        await wait_until(pilot, lambda: loaded_name(app) == "second", "the second model")
        assert isinstance(app.screen, MainScreen)


async def test_typing_filters(make: Make) -> None:
    app = make(second={}, third={}, **{"[x": {}})
    async with app.run_test(size=WIDE) as pilot:
        await open_picker(pilot)
        await pilot.press(*"SEC")
        await wait_until(pilot, lambda: highlighted(pilot) == "second", "the second model")
        assert "third" not in screen_text(pilot)
        await pilot.press(*"zzz")
        await wait_until(pilot, lambda: "Nothing matches." in screen_text(pilot), "nothing")
        await pilot.press("enter")
        assert isinstance(app.screen, ModelPicker)
        await pilot.press("ctrl+u", *"[x")
        await wait_until(pilot, lambda: highlighted(pilot) == "[x", "the one with a bracket")
        await pilot.press("ctrl+u", *"apache chat")
        await wait_until(pilot, lambda: highlighted(pilot) == OFFER.name, "the offer by its facts")
        await pilot.press("escape")
        await wait_until(pilot, lambda: isinstance(app.screen, MainScreen), "the main screen")
        assert loaded_name(app) == "first"


async def test_enter_means_what_was_typed_before_it(make: Make) -> None:
    app = make(second={}, third={})
    async with app.run_test(size=WIDE) as pilot:
        await open_picker(pilot)
        for key in (*"third", "enter"):
            app.post_message(events.Key(key, key if len(key) == 1 else None))
        await wait_until(pilot, lambda: loaded_name(app) == "third", "what was typed")


async def test_what_if_in_place(make: Make) -> None:
    app = make()
    async with app.run_test(size=WIDE) as pilot:
        picker = await open_picker(pilot)
        await until_planned(pilot)
        assert "KV plain at 4,096" in detail(pilot)
        await pilot.press("tab", "right")
        await wait_until(pilot, lambda: "KV plain at 1,024" in detail(pilot), "1,024 tokens")
        await pilot.press("right", "tab", "right", "right", "right")
        await wait_until(pilot, lambda: "KV 4-bit at 2,048" in detail(pilot), "4 bits")
        await pilot.press("right", "right", "right", "shift+tab", *["left"] * 9)
        assert picker.query_one("#picker-context", Stepper).value is None
        await wait_until(pilot, lambda: "KV 4-bit at 4,096" in detail(pilot), "as set")
        await pilot.click("#picker-context", offset=(13, 0))
        await wait_until(pilot, lambda: "KV 4-bit at 1,024" in detail(pilot), "more by mouse")
        await pilot.click("#picker-context", offset=(4, 0))
        await wait_until(pilot, lambda: "KV 4-bit at 4,096" in detail(pilot), "less by mouse")


async def test_badges_and_true_numbers(make: Make) -> None:
    app = make(huge={"weights_bytes": 40 * GIB}, odd={"context_window": "x"})
    (model_folder(Path.home(), "half")).mkdir()
    (model_folder(Path.home(), "half") / "config.json").write_text('{"model_type": "llama"}')
    async with app.run_test(size=WIDE, notifications=True) as pilot:
        await open_picker(pilot)
        await wait_until(pilot, lambda: "too big" in screen_text(pilot), "the badge")
        await wait_until(pilot, lambda: "no plan" in screen_text(pilot), "no made-up number")
        shown = screen_text(pilot)
        assert "SmolLM2-135M-Instruct" in shown
        assert " demo" in shown
        assert "broken" in shown
        await pilot.press(*"huge")
        await until_planned(pilot)
        assert "40.7 GiB of 16.0 GiB (254%)" in detail(pilot)
        assert "Does not fit." in detail(pilot)
        await pilot.press("ctrl+u", *"half")
        await wait_until(pilot, lambda: highlighted(pilot) == "half", "the broken one")
        assert "no weights" in detail(pilot)
        await pilot.press("enter")
        await wait_until(pilot, lambda: "no weights" in notices(pilot), "the problem")
        assert isinstance(app.screen, ModelPicker)


async def test_the_mouse_highlights_and_then_loads(make: Make) -> None:
    app = make(second={})
    async with app.run_test(size=WIDE) as pilot:
        await open_picker(pilot)
        await until_planned(pilot)
        rows = screen_text(pilot).split("\n")
        y = next(n for n, row in enumerate(rows) if row.startswith("│  second"))
        await pilot.click(offset=(6, y))
        await wait_until(pilot, lambda: highlighted(pilot) == "second", "the highlight")
        await asyncio.sleep(0.6)
        assert isinstance(app.screen, ModelPicker)
        assert isinstance(app.screen.focused, Input)
        await pilot.click(offset=(6, y))
        await wait_until(pilot, lambda: loaded_name(app) == "second", "the second model")


class Gated(Supply):
    """Plans arrive when the test lets them, in any order."""

    gates: dict[str, asyncio.Event] = {}  # noqa: RUF012  (one test, one dictionary)

    async def plan(self, entry: ModelEntry, options: PlanOptions) -> MemoryPlan:
        await self.gates.setdefault(entry.name, asyncio.Event()).wait()
        return await super().plan(entry, options)


async def test_a_late_plan_never_stands_beside_another_model(
    make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tui.app.Supply", Gated)
    Gated.gates = {}
    app = make(second={"weights_bytes": 2 * GIB}, third={})
    async with app.run_test(size=WIDE) as pilot:
        await open_picker(pilot)
        await wait_until(pilot, lambda: "first" in Gated.gates, "the first is being planned")
        await pilot.press("down")
        assert "planning" in detail(pilot)
        Gated.gates["first"].set()
        await wait_until(pilot, lambda: "second" in Gated.gates, "the second is being planned")
        for _ in range(5):
            await pilot.pause(0.05)
            assert "safe context" not in detail(pilot)
        Gated.gates["second"].set()
        await until_planned(pilot)
        assert "2.00 GiB" in detail(pilot)
        await pilot.press("down")
        assert "safe context" not in detail(pilot)
        await pilot.press("up")
        assert "2.00 GiB" in detail(pilot)


@pytest.mark.parametrize("size", [NARROW, WIDE])
async def test_hostile_names_are_only_drawn(make: Make, size: tuple[int, int]) -> None:
    app = make(**{name: {} for name in HOSTILE})
    async with app.run_test(size=size, notifications=True, tooltips=True) as pilot:
        await wait_until(pilot, lambda: loaded_name(app) == "first", "the first model")
        await pilot.press("f5")
        await wait_until(pilot, lambda: isinstance(app.screen, ModelPicker), "the picker")
        await wait_until(pilot, lambda: picker_of(pilot).query_one(ModelList).items, "the models")
        seen = set()
        await pilot.press("pageup")
        for _ in range(len(HOSTILE) + 1):
            await until_planned(pilot)
            shown = screen_text(pilot)
            assert not any(mark in shown for mark in "\x1b\x9b\x07\u202e\u2066\t")
            assert {len(line) for line in shown.split("\n")} <= set(range(size[0] + 1))
            seen.add(highlighted(pilot))
            await pilot.press("down")
        assert seen == {*HOSTILE, "first"}
        await pilot.press("ctrl+u", *"[red]")
        await wait_until(pilot, lambda: highlighted(pilot) == HOSTILE[0], "markup")
        await pilot.press("enter")
        # A name with a slash is a folder in a folder.
        await wait_until(pilot, lambda: loaded_name(app) == "x]", "it is loaded")


async def test_a_resize_keeps_the_highlight_and_the_lines_whole(make: Make) -> None:
    app = make(second={}, **{"long " * 30: {}})
    async with app.run_test(size=WIDE) as pilot:
        await open_picker(pilot)
        await pilot.press("down")
        before = highlighted(pilot)
        for width, height in ((40, 10), (250, 80), (1, 1), (79, 24), (80, 24), (130, 40)):
            await pilot.resize_terminal(width, height)
            await pilot.pause()
            assert highlighted(pilot) == before
        await until_planned(pilot)
        badges = [line for line in screen_text(pilot).split("\n") if "238 B" in line]
        assert len(badges) >= 3


async def test_an_adapter_is_chosen_shown_and_loaded(make: Make, tmp_path: Path) -> None:
    found = tmp_path / "data" / "adapters" / "haiku"
    found.mkdir(parents=True)
    for name in ("adapter_config.json", "adapters.safetensors"):
        (found / name).write_text("{}")
    app = make()
    async with app.run_test(size=WIDE) as pilot:
        await open_picker(pilot)
        await pilot.press("f6")
        await wait_until(pilot, lambda: isinstance(app.screen, AdapterScreen), "the question")
        await pilot.press(*"/nowhere", "enter")
        await wait_until(pilot, lambda: "is no adapter folder" in screen_text(pilot), "the reason")
        await wait_until(pilot, lambda: "│haiku" in screen_text(pilot), "the adapter")
        await pilot.press("down", "down", "enter")
        await wait_until(pilot, lambda: "LoRA haiku" in screen_text(pilot), "its name")
        await pilot.press("enter")
        await wait_until(pilot, lambda: "first + haiku ·" in screen_text(pilot), "it is loaded")
        await pilot.press("f5")
        await wait_until(pilot, lambda: "LoRA haiku" in screen_text(pilot), "still chosen")
        await pilot.press("f6")
        await wait_until(pilot, lambda: isinstance(app.screen, AdapterScreen), "the question")
        await pilot.press("ctrl+u", "ctrl+k", "enter")
        await wait_until(pilot, lambda: "LoRA none" in screen_text(pilot), "none")
        await pilot.press("enter")
        await wait_until(pilot, lambda: "first · scripted" in screen_text(pilot), "without it")


class Hub:
    """Stands for the hub: goes on when the test says so."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.go_on = asyncio.Event()
        self.problem = ""
        self.stops = 0

    async def fetch(self, repository: str, report: Callable[[FetchProgress], None]) -> Path:
        report(FetchProgress("downloading", GIB, 4 * GIB))
        try:
            await self.go_on.wait()
        except asyncio.CancelledError:
            self.stops += 1
            raise
        if self.problem:
            raise ModelUnavailable(self.problem)
        return write_model(self.home, repository.replace("/", "-"))


async def start_download(pilot: Pilot[Any]) -> None:
    await open_picker(pilot)
    await pilot.press(*"better")
    await wait_until(pilot, lambda: highlighted(pilot) == OFFER.name, "the offer")
    assert "4.00 GiB to download · licence apache-2.0" in detail(pilot)
    await pilot.press("enter")
    await wait_until(pilot, lambda: isinstance(pilot.app.screen, QuestionScreen), "the question")
    assert "are free in" in screen_text(pilot)
    await pilot.press("enter")
    await wait_until(pilot, lambda: isinstance(pilot.app.screen, ModelPicker), "the picker")
    await wait_until(pilot, lambda: "1.00 GiB of 4.00 GiB (25%)" in detail(pilot), "progress")
    assert " 25%" in screen_text(pilot)


async def test_a_download_goes_on_without_the_picker(make: Make, tmp_path: Path) -> None:
    hub = Hub(tmp_path)
    app = make(lambda wiring: replace(wiring, shop=replace(wiring.shop, fetch=hub.fetch)))
    async with app.run_test(size=WIDE, notifications=True) as pilot:
        await start_download(pilot)
        await pilot.press("escape")
        await wait_until(pilot, lambda: isinstance(app.screen, MainScreen), "the main screen")
        hub.go_on.set()
        await wait_until(pilot, lambda: "is on this machine now" in notices(pilot), "the notice")
        await pilot.press("f5")
        await wait_until(pilot, lambda: "org-Better-4bit" in screen_text(pilot), "the model")


async def test_a_download_can_be_stopped_and_may_fail(make: Make, tmp_path: Path) -> None:
    hub = Hub(tmp_path)
    app = make(lambda wiring: replace(wiring, shop=replace(wiring.shop, fetch=hub.fetch)))
    async with app.run_test(size=WIDE, notifications=True) as pilot:
        await start_download(pilot)
        await pilot.press("enter")
        await wait_until(pilot, lambda: "Stop the download" in screen_text(pilot), "the question")
        await pilot.click("#stop")
        await wait_until(pilot, lambda: hub.stops == 1, "the stop")
        await wait_until(pilot, lambda: "Enter downloads it" in detail(pilot), "the offer again")
        hub.problem = "The disk is full [/x]: free some."
        hub.go_on.set()
        await pilot.press("enter")
        await wait_until(pilot, lambda: isinstance(app.screen, QuestionScreen), "the question")
        await pilot.press("enter")
        await wait_until(pilot, lambda: "The disk is full [/x]" in notices(pilot), "the reason")
        await wait_until(pilot, lambda: "Enter downloads it" in detail(pilot), "the offer again")


async def test_leaving_stops_downloads(make: Make, tmp_path: Path) -> None:
    hub = Hub(tmp_path)
    app = make(lambda wiring: replace(wiring, shop=replace(wiring.shop, fetch=hub.fetch)))
    async with app.run_test(size=WIDE) as pilot:
        await start_download(pilot)
        await pilot.press("escape")
    assert hub.stops == 1
