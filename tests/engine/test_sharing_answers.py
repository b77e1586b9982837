"""Several programs on one engine: answers stay apart, and everybody knows the model."""

import asyncio
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

from engine.errors import OverBudget, RequestFailed
from engine.protocol import Message, TextDelta
from engine.sharing.attach import attach
from engine.status import (
    EngineAsleep,
    EngineIdle,
    EngineLoading,
    EngineReady,
    EngineStatus,
)
from tests.engine.sharing_harness import company, guest_of, sharing_host
from tests.engine.subjects import SLOW, SLOW_REPLY, Subject, scripted_model, scripted_subject
from tests.engine.watched_client import WatchedClient


@pytest.fixture
def subject(tmp_path: Path) -> Subject:
    return scripted_subject(tmp_path)


async def text(client: WatchedClient, question: str) -> str:
    events = [e async for e in client.client.generate([Message("user", question)], "chat")]
    return "".join(event.text for event in events if isinstance(event, TextDelta))


async def becomes(watched: WatchedClient, status: EngineStatus) -> None:
    """Wait until a client knows this."""
    async with asyncio.timeout(10):
        while watched.client.status != status:
            await asyncio.sleep(0.01)


async def test_a_guest_knows_the_state_at_once(subject: Subject) -> None:
    async with sharing_host(subject.launch, subject.model) as shared:
        while not shared.watched.reports:
            await asyncio.sleep(0.01)
        async with guest_of(shared.place.folder) as guest:
            assert guest.client.status == shared.watched.client.status
            assert guest.client.pid == shared.watched.client.pid
            await asyncio.sleep(0)
            assert isinstance(guest.statuses[-1], EngineReady)
            assert guest.reports


async def test_nobody_shares_where_no_app_runs(tmp_path: Path) -> None:
    assert await attach(tmp_path) is None
    assert await attach(tmp_path / "nothing") is None


async def test_two_guests_and_the_host_get_their_own_answers(subject: Subject) -> None:
    async with company(subject.launch, subject.model) as (host, first, second):
        people = {"first": first, "second": second, "host": host}
        jobs = [
            (f"You said: {name} {n}", text(watched, f"{name} {n}"))
            for n in range(8)
            for name, watched in people.items()
        ]
        answers = await asyncio.gather(*(job for _, job in jobs))
        assert answers == [expected for expected, _ in jobs]
        assert await first.client.count_tokens(["a b", "c"]) == (2, 1)
        assert (await second.client.plan(subject.model)).fits


async def test_a_cancel_reaches_only_its_own_answer(subject: Subject) -> None:
    async with company(subject.launch, subject.model) as (_, first, second):
        running = asyncio.create_task(first.say(SLOW))
        while not first.partial:
            await asyncio.sleep(0.01)
        queued = asyncio.create_task(second.say(SLOW))
        await asyncio.sleep(0.05)
        first.client.stop_answers()
        assert (await running).reason == "cancelled"
        assert (await queued).reason == "stop"
        assert second.partial == SLOW_REPLY


async def test_conversations_of_the_same_name_have_their_own_caches(subject: Subject) -> None:
    words = "the same words for all of us"
    async with sharing_host(subject.launch, subject.model) as shared:
        host, folder = shared.watched, shared.place.folder
        async with guest_of(folder) as first, guest_of(folder) as second:
            for watched in (host, first, second):
                await watched.say(words, "chat")
            assert await first.client.forget("chat") == 1
            for watched, is_held in ((first, False), (second, True), (host, True)):
                usage = (await watched.say(words, "chat")).usage
                assert bool(usage.reused_tokens) is is_held
        async with asyncio.timeout(5):
            # The guests have left, and their caches with them.
            while host.reports[-1].prompt_cache_entries > 1:
                await asyncio.sleep(0.01)
        assert await host.client.forget("chat") == 1


async def test_a_guests_choice_of_model_is_everybodys(subject: Subject, tmp_path: Path) -> None:
    other = scripted_model(tmp_path / "other", load_seconds=0.2)
    async with company(subject.launch, subject.model) as (host, first, second):
        model = await first.client.load(other, "/lora", "/draft")
        assert (model.path, model.adapter, model.draft) == (other, "/lora", "/draft")
        for watched in (host, first, second):
            await becomes(watched, EngineReady(model))
            assert any(isinstance(status, EngineLoading) for status in watched.statuses)
        await second.client.unload()
        for watched in (host, first, second):
            await becomes(watched, EngineIdle())
            with pytest.raises(RequestFailed, match="choose one first"):
                await watched.say("hello")
        back = await host.client.load(subject.model)
        for watched in (first, second):
            await becomes(watched, EngineReady(back))
            assert (await watched.say("hello")).reason == "stop"


async def test_the_model_that_is_there_is_not_loaded_twice(
    subject: Subject, tmp_path: Path
) -> None:
    slow = scripted_model(tmp_path / "slow", load_seconds=0.5)
    async with company(subject.launch) as (host, first, second):
        models = [*await asyncio.gather(first.client.load(slow), second.client.load(slow))]
        before = len(host.statuses)
        models.append(await second.client.load(slow))
        assert models == 3 * [await host.client.model()]
        assert len(host.statuses) == before
        loads = [s for s in host.statuses if s == EngineLoading(slow, "waiting its turn")]
        assert len(loads) == 1


async def test_the_last_choice_wins_and_the_first_learns_it(
    subject: Subject, tmp_path: Path
) -> None:
    slow = scripted_model(tmp_path / "slow", load_seconds=0.4)
    async with company(subject.launch) as (host, first, second):
        replaced = asyncio.create_task(first.client.load(slow))
        await first.until(EngineLoading)
        model = await second.client.load(subject.model)
        with pytest.raises(RequestFailed, match="Another model was chosen"):
            await replaced
        for watched in (host, first, second):
            await becomes(watched, EngineReady(model))


async def test_a_load_that_fails_leaves_everybody_without_a_model(
    subject: Subject, tmp_path: Path
) -> None:
    big = scripted_model(tmp_path / "big", weights_bytes=2**40)
    async with company(subject.launch, subject.model) as (host, first, second):
        with pytest.raises(OverBudget):
            await first.client.load(big)
        for watched in (host, first, second):
            await becomes(watched, EngineIdle())
        model = await first.client.load(big, is_forced=True)
        await becomes(second, EngineReady(model))


async def test_guests_wait_for_the_model_the_host_is_looking_for(subject: Subject) -> None:
    async with company(subject.launch) as (host, first, _):
        await host.until(EngineIdle)
        host.client.expect_model()
        await first.until(EngineLoading)
        missed = asyncio.create_task(first.client.model())
        await asyncio.sleep(0.1)
        host.client.abandon_model("Nothing was found.")
        with pytest.raises(RequestFailed, match=r"Nothing was found\."):
            await missed
        host.client.expect_model()
        await first.until(EngineLoading)
        asked = asyncio.create_task(first.say("hello"))
        await host.client.load(subject.model)
        assert (await asked).reason == "stop"


async def test_a_sleeping_model_is_asleep_for_everybody(subject: Subject) -> None:
    config = msgspec.structs.replace(subject.launch.config, idle_unload_seconds=0.2)
    launch = replace(subject.launch, config=config)
    async with sharing_host(launch, subject.model) as shared:
        await shared.watched.until(EngineAsleep)
        async with guest_of(shared.place.folder) as guest:
            assert isinstance(guest.client.status, EngineAsleep)
            assert (await guest.say("hello")).reason == "stop"
            kinds = [type(status) for status in guest.statuses]
            after = kinds[kinds.index(EngineAsleep) + 1 :]
            assert after[:2] == [EngineLoading, EngineReady]
