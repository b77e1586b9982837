"""Plans, budgets and sleep, as the client tells them."""

import asyncio
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

from engine.errors import EngineStopped, OverBudget, RequestFailed
from engine.plan.contract import PlanOptions
from engine.status import EngineAsleep, EngineDown, EngineIdle, EngineLoading, EngineReady
from tests.engine.subjects import Subject, scripted_model, scripted_subject
from tests.engine.watched_client import watched_client

GIB = 1024**3


@pytest.fixture
def subject(tmp_path: Path) -> Subject:
    return scripted_subject(tmp_path)


@pytest.fixture
def big(tmp_path: Path) -> str:
    """A model beyond the scripted machine."""
    return scripted_model(tmp_path / "big", weights_bytes=64 * GIB)


async def test_a_plan_needs_no_loaded_model(subject: Subject, big: str, tmp_path: Path) -> None:
    async with watched_client(subject.launch) as watched:
        assert not (await watched.client.plan(big)).fits
        plan = await watched.client.plan(subject.model, PlanOptions(context_tokens=512))
        assert plan.fits
        assert plan.context_tokens == 512
        with pytest.raises(RequestFailed, match=r"config\.json"):
            await watched.client.plan(str(tmp_path / "nothing"))
        with pytest.raises(RequestFailed, match="No model"):
            await watched.client.plan("")
        await watched.client.load(subject.model)
        assert (await watched.client.plan("")).weights_bytes == plan.weights_bytes


async def test_a_plan_without_an_engine_says_why(subject: Subject) -> None:
    async with watched_client(subject.launch) as watched:
        await watched.until(EngineIdle)
    with pytest.raises(EngineStopped, match="closed"):
        await watched.client.plan(subject.model)


async def test_a_plan_does_not_wait_for_an_engine_that_gave_up(
    tmp_path: Path, subject: Subject, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.restarts.FIRST_DELAY_SECONDS", 0.01)
    launch = replace(subject.launch, module="no_such_module")
    async with watched_client(launch) as watched:
        planned = asyncio.create_task(watched.client.plan(subject.model))
        await watched.until(EngineDown)
        with pytest.raises(EngineStopped, match="exit status"):
            await planned


async def test_what_does_not_fit_can_be_forced_and_stays_so(subject: Subject, big: str) -> None:
    async with watched_client(subject.launch) as watched:
        with pytest.raises(OverBudget, match="does not fit"):
            await watched.client.load(big)
        assert isinstance(watched.client.status, EngineIdle)
        model = await watched.client.load(big, adapter="/adapters/mine", is_forced=True)
        old = watched.kill()
        await watched.new_pid(old)
        assert await watched.until(EngineReady) == EngineReady(model)
        assert model.adapter == "/adapters/mine"


async def test_an_idle_model_sleeps_and_wakes_with_the_next_question(subject: Subject) -> None:
    config = msgspec.structs.replace(subject.launch.config, idle_unload_seconds=0.2)
    async with watched_client(replace(subject.launch, config=config)) as watched:
        model = await watched.client.load(subject.model)
        assert await watched.until(EngineAsleep) == EngineAsleep(model)
        assert (await watched.say("hello")).reason == "stop"
        kinds = [type(status) for status in watched.statuses]
        after = kinds[kinds.index(EngineAsleep) + 1 :]
        assert after[:2] == [EngineLoading, EngineReady]
        await watched.until(EngineAsleep)
        await watched.client.unload()
        assert isinstance(watched.client.status, EngineIdle)
