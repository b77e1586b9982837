"""Before there is a model: fetching it, failing to, and trying again."""

from __future__ import annotations

import asyncio
from pathlib import Path

from engine.errors import ModelUnavailable
from engine.models.builtin_source import FetchProgress
from engine.script import Reply
from engine.wanted_model import ModelChoice
from tests.exchanges import exchanges
from tests.tui.conftest import screen_text, scripted_wiring, wait_until
from tui.app import ZibApp
from tui.models.startup import ReportFetch

SIZE = (130, 40)


async def test_a_question_asked_during_the_fetch_is_answered(tmp_path: Path) -> None:
    may_go_on = asyncio.Event()

    async def find(report: ReportFetch) -> ModelChoice:
        report(FetchProgress("downloading", 40_000_000, 93_000_000))
        await may_go_on.wait()
        return ModelChoice(str(tmp_path / "scripted-model"))

    replies = (Reply("", "fetched and answered"),)
    app = ZibApp(scripted_wiring(tmp_path, replies, tmp_path / "wiki", {}, find))
    async with app.run_test(size=SIZE) as pilot:
        await wait_until(pilot, lambda: "40 of 93 MB (43%)" in screen_text(pilot), "the progress")
        await pilot.press(*"early", "enter")
        await wait_until(pilot, lambda: "go on typing" in screen_text(pilot), "what it waits for")
        may_go_on.set()
        await wait_until(pilot, lambda: "fetched and answered" in screen_text(pilot), "the answer")


async def test_without_a_model_the_reason_is_shown_and_the_next_question_tries_again(
    tmp_path: Path,
) -> None:
    is_online = False

    async def find(_: ReportFetch) -> ModelChoice:
        if not is_online:
            raise ModelUnavailable("The index cannot be reached [/x]: connect once.")
        return ModelChoice(str(tmp_path / "scripted-model"))

    replies = (Reply("", "online again"),)
    app = ZibApp(scripted_wiring(tmp_path, replies, tmp_path / "wiki", {}, find))
    async with app.run_test(size=SIZE, notifications=True) as pilot:
        await wait_until(pilot, lambda: "connect once" in screen_text(pilot), "the reason")
        await pilot.press(*"first", "enter")
        await wait_until(pilot, lambda: exchanges(app.assistant), "the failure of the question")
        assert exchanges(app.assistant)[0].state == "failed"
        is_online = True
        await pilot.press(*"second", "enter")
        await wait_until(pilot, lambda: "online again" in screen_text(pilot), "the answer")
