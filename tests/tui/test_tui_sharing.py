"""Two windows of one user: one engine, one model, and nobody is left without."""

from __future__ import annotations

from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from engine.script import Reply
from engine.sharing.attach import attach
from engine.status import EngineReady
from tests.engine.sharing_harness import guest_of, sharing_host
from tests.engine.subjects import Subject, scripted_model, scripted_subject
from tests.tui.conftest import MakeApp, screen_text, wait_until

SIZE = (130, 40)


@pytest.fixture
def subject(tmp_path: Path) -> Subject:
    return scripted_subject(tmp_path / "other window")


@pytest.fixture
def runtime_dir(tmp_path: Path) -> Path:
    return tmp_path / "run"


async def test_the_second_window_uses_the_first_ones_engine_and_takes_over(
    make_app: MakeApp, subject: Subject, runtime_dir: Path
) -> None:
    app = make_app(Reply("", "from an engine of its own"))
    async with AsyncExitStack() as first_window:
        shared = await first_window.enter_async_context(
            sharing_host(subject.launch, subject.model, runtime_dir)
        )
        async with app.run_test(size=SIZE, notifications=True) as pilot:
            await wait_until(
                pilot, lambda: isinstance(app.engine.status, EngineReady), "the model is there"
            )
            assert app.engine.pid == shared.watched.client.pid
            await pilot.press(*"hello", "enter")
            await wait_until(pilot, lambda: "You said: hello" in screen_text(pilot), "the answer")
            await first_window.aclose()
            await wait_until(pilot, lambda: "this one runs" in screen_text(pilot), "the news")
            await pilot.press(*"again", "enter")
            await wait_until(pilot, lambda: "of its own" in screen_text(pilot), "the next answer")
            assert isinstance(app.engine.status, EngineReady)
            assert app.engine.status.model.path == subject.model
            async with guest_of(runtime_dir) as guest:
                assert guest.client.status == app.engine.status


async def test_a_window_beside_one_without_a_model_brings_it_up_for_both(
    make_app: MakeApp, subject: Subject, runtime_dir: Path
) -> None:
    app = make_app()
    async with (
        sharing_host(subject.launch, "", runtime_dir) as shared,
        app.run_test(size=SIZE) as pilot,
    ):
        await wait_until(
            pilot, lambda: isinstance(app.engine.status, EngineReady), "the model is there"
        )
        assert shared.watched.client.status == app.engine.status


async def test_a_guests_model_is_shown_in_the_window(
    make_app: MakeApp, tmp_path: Path, runtime_dir: Path
) -> None:
    other = scripted_model(tmp_path / "another-model")
    app = make_app()
    async with app.run_test(size=SIZE) as pilot:
        await wait_until(pilot, lambda: "scripted-model" in screen_text(pilot), "its own model")
        guest = await attach(runtime_dir)
        assert guest is not None
        async with guest:
            await guest.load(other)
            await wait_until(pilot, lambda: "another-model" in screen_text(pilot), "the new model")
    assert not (runtime_dir / "engine.sock").exists()


async def test_an_unsafe_folder_is_told_and_harms_nothing(
    make_app: MakeApp, runtime_dir: Path
) -> None:
    runtime_dir.mkdir()
    runtime_dir.chmod(0o755)
    app = make_app(Reply("", "answered all the same"))
    async with app.run_test(size=SIZE, notifications=True) as pilot:
        await wait_until(pilot, lambda: "chmod 700" in screen_text(pilot), "what is wrong")
        await pilot.press(*"hello", "enter")
        await wait_until(pilot, lambda: "answered all" in screen_text(pilot), "the answer")
