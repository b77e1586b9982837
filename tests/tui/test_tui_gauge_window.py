"""`zib gauge` in a window of its own: follows the app, outlives it, finds the next one."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import pytest

from engine.client import EngineClient
from engine.protocol import Message
from engine.script import Reply
from engine.sharing.window import WindowEngine
from tests.tui.conftest import screen_text, scripted_wiring, wait_until
from tui.cli.gauge import NO_APP
from tui.cli.gauge_app import GaugeApp
from tui.wiring import Wiring

SLOW = Reply("", "word " * 60, seconds_per_token=0.05)


@pytest.fixture
def wiring(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Wiring:
    """The same runtime folder for the app and the gauge."""
    monkeypatch.setenv("HOME", str(tmp_path))
    return scripted_wiring(tmp_path, (SLOW,), tmp_path / "wiki", {})


@asynccontextmanager
async def running_app(wiring: Wiring) -> AsyncIterator[EngineClient]:
    """What the app offers, with its model loaded."""
    window = WindowEngine(
        wiring.launch, wiring.paths.runtime_dir, lambda news: None, lambda role, sentence: None
    )
    async with window.client as client:
        await client.load(str((await wiring.find_choice(lambda _: None)).path))
        yield client


async def test_it_follows_an_answer_within_a_second(wiring: Wiring) -> None:
    async with running_app(wiring) as client:
        app = GaugeApp(wiring)
        async with app.run_test(size=(120, 40)) as pilot:
            await wait_until(pilot, lambda: "scripted-model" in screen_text(pilot), "the gauge")
            assert "no row runs" in screen_text(pilot)
            stream = client.generate([Message("user", "go")])
            await anext(stream)
            await wait_until(
                pilot, lambda: "full 30×16" in screen_text(pilot), "the running row", seconds=1.0
            )
            await stream.aclose()
            await wait_until(pilot, lambda: "no row runs" in screen_text(pilot), "the end")
            await pilot.press("q")
        assert (app.return_code, app.problem) == (0, "")


async def test_it_outlives_the_app_and_finds_the_next_one(wiring: Wiring) -> None:
    app = GaugeApp(wiring)
    async with AsyncExitStack() as apps:
        await apps.enter_async_context(running_app(wiring))
        async with app.run_test(size=(60, 20)) as pilot:
            await wait_until(pilot, lambda: "scripted-model" in screen_text(pilot), "the gauge")
            await apps.aclose()
            await wait_until(pilot, lambda: "has ended" in screen_text(pilot), "the sentence")
            assert "goes on when it is back" in screen_text(pilot)
            assert "scripted-model" not in screen_text(pilot)
            await apps.enter_async_context(running_app(wiring))
            await wait_until(pilot, lambda: "scripted-model" in screen_text(pilot), "the next one")
            await pilot.press("q")
    assert app.return_code == 0


async def test_without_an_app_it_says_so_and_leaves(wiring: Wiring) -> None:
    app = GaugeApp(wiring)
    async with app.run_test(size=(60, 20)) as pilot:
        async with asyncio.timeout(10):
            while app.is_running:
                await pilot.pause()
    assert (app.return_code, app.problem) == (1, NO_APP)


async def test_its_what_if_is_answered_by_the_running_engine(wiring: Wiring) -> None:
    async with running_app(wiring):
        app = GaugeApp(wiring)
        async with app.run_test(size=(40, 20)) as pilot:
            await wait_until(pilot, lambda: "scripted-model" in screen_text(pilot), "the gauge")
            await pilot.press("w", "down", "right")
            await wait_until(pilot, lambda: "922 MiB" in screen_text(pilot), "the asked plan")
            await pilot.press("escape")
            assert app.is_running
            await wait_until(pilot, lambda: "ctx" in screen_text(pilot), "the gauge again")
            await pilot.press("escape")
        assert app.return_code == 0
