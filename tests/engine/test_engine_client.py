"""The client's own promises: models that change, answers that are dropped, orderly ends."""

import asyncio
import os
from pathlib import Path

import pytest

from engine.client import EngineClient
from engine.errors import EngineStopped, ProtocolError, RequestFailed
from engine.protocol import Finished, Message, ModelInfo, PromptProgress, TextDelta
from engine.status import EngineIdle, EngineLoading, EngineReady, EngineStarting
from engine.wanted_model import ModelReplaced
from tests.engine.subjects import SLOW, Subject, scripted_model, scripted_subject
from tests.engine.watched_client import WatchedClient, is_gone, watched_client


@pytest.fixture
def subject(tmp_path: Path) -> Subject:
    return scripted_subject(tmp_path)


async def test_statuses_come_in_order(subject: Subject) -> None:
    async with watched_client(subject.launch, subject.model) as watched:
        await asyncio.sleep(0)
        kinds = [type(status) for status in watched.statuses]
        assert kinds == [EngineStarting, EngineLoading, EngineLoading, EngineReady]
        await watched.client.unload()
        assert isinstance(watched.client.status, EngineIdle)
        with pytest.raises(RequestFailed, match="choose one first"):
            await watched.say("hello")


async def test_a_failed_load_leaves_a_usable_engine(subject: Subject, tmp_path: Path) -> None:
    async with watched_client(subject.launch) as watched:
        with pytest.raises(RequestFailed, match=r"config\.json"):
            await watched.client.load(str(tmp_path / "nothing"))
        assert isinstance(watched.client.status, EngineIdle)
        await watched.client.load(subject.model)
        assert (await watched.say("hello")).reason == "stop"


async def test_a_prompt_follows_the_model_that_is_chosen_last(
    subject: Subject, tmp_path: Path
) -> None:
    slow = scripted_model(tmp_path / "slow", load_seconds=0.4)
    async with watched_client(subject.launch) as watched:
        first = asyncio.create_task(watched.client.load(slow))
        prompt = asyncio.create_task(watched.say("hello"))
        await watched.until(EngineLoading)
        second = await watched.client.load(subject.model)
        assert second.path == subject.model
        with pytest.raises(ModelReplaced):
            await first
        assert (await prompt).reason == "stop"
        assert watched.client.status == EngineReady(second)


async def test_unloading_while_it_loads_ends_the_waiting(subject: Subject, tmp_path: Path) -> None:
    slow = scripted_model(tmp_path / "slow", load_seconds=0.3)
    async with watched_client(subject.launch) as watched:
        loading = asyncio.create_task(watched.client.load(slow))
        await watched.until(EngineLoading)
        await watched.client.unload()
        with pytest.raises(RequestFailed, match="unloaded"):
            await loading
        assert isinstance(watched.client.status, EngineIdle)


async def test_stopping_reaches_running_queued_and_waiting_answers(
    subject: Subject, tmp_path: Path
) -> None:
    slow = scripted_model(tmp_path / "slow", load_seconds=0.4)
    async with watched_client(subject.launch) as watched:
        loading = asyncio.create_task(watched.client.load(slow))
        waiting = asyncio.create_task(watched.say("hello"))
        await watched.until(EngineLoading)
        watched.client.stop_answers()
        assert (await waiting).reason == "cancelled"
        await loading
        running = asyncio.create_task(watched.say(SLOW))
        queued = asyncio.create_task(watched.say("hello"))
        counted = asyncio.create_task(watched.client.count_tokens(["a b c"]))
        await asyncio.sleep(0.3)
        watched.client.stop_answers()
        assert (await running).reason == (await queued).reason == "cancelled"
        assert await counted == (3,)
        watched.client.stop_answers()
        assert (await watched.say("hello")).reason == "stop"


async def test_a_dropped_answer_is_stopped_in_the_engine(subject: Subject) -> None:
    async with watched_client(subject.launch, subject.model) as watched:
        answer = watched.client.generate([Message("user", SLOW)], "chat")
        async for event in answer:
            if isinstance(event, PromptProgress):
                break
        await answer.aclose()
        task = asyncio.create_task(watched.say(SLOW))
        await asyncio.sleep(0.3)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert (await asyncio.wait_for(watched.say("hello"), 1)).reason == "stop"


async def test_two_answers_keep_their_texts_apart(subject: Subject) -> None:
    async with watched_client(subject.launch, subject.model) as watched:

        async def text(question: str) -> str:
            events = [e async for e in watched.client.generate([Message("user", question)])]
            assert isinstance(events[-1], Finished)
            return "".join(e.text for e in events if isinstance(e, TextDelta))

        texts = await asyncio.gather(*(text(f"number {n}") for n in range(20)))
        assert texts == [f"You said: number {n}" for n in range(20)]


async def test_text_too_long_to_send_is_refused_and_harmless(subject: Subject) -> None:
    async with watched_client(subject.launch, subject.model) as watched:
        with pytest.raises(ProtocolError, match="send less"):
            await watched.say("x" * 9_000_000)
        await watched.say("half a \ud83d character")
        assert watched.partial == "You said: half a \ufffd character"


async def test_a_fault_in_the_listener_does_not_stop_the_engine(subject: Subject) -> None:
    faults = []
    loop = asyncio.get_running_loop()
    loop.set_exception_handler(lambda _, context: faults.append(context["exception"]))

    def listen(_: object) -> None:
        raise ZeroDivisionError

    async with EngineClient(subject.launch, listen) as client:
        await client.load(subject.model)
        assert await client.count_tokens(["a b"]) == (2,)
    await asyncio.sleep(0)
    assert {type(fault) for fault in faults} == {ZeroDivisionError}


@pytest.mark.parametrize("wait", [0.0, 0.001, 0.02, 0.1, 0.3])
async def test_closing_at_any_moment_of_the_start(subject: Subject, wait: float) -> None:
    watched = WatchedClient(subject.launch)
    watched.client.start()
    loading = asyncio.create_task(watched.client.load(subject.model))
    await asyncio.sleep(wait)
    pid = watched.client.pid
    await watched.client.close()
    if pid is not None:
        assert await is_gone(pid, 0.1)
    (ended,) = await asyncio.gather(loading, return_exceptions=True)
    assert isinstance(ended, ModelInfo | EngineStopped)
    with pytest.raises(EngineStopped, match="closed"):
        await watched.client.load(subject.model)
    await watched.client.close()


async def test_closing_while_an_answer_runs_ends_it(subject: Subject) -> None:
    watched = WatchedClient(subject.launch)
    watched.client.start()
    await watched.client.load(subject.model)
    answer = asyncio.create_task(watched.say(SLOW))
    await asyncio.sleep(0.3)
    await watched.client.close()
    with pytest.raises(EngineStopped, match="closed"):
        await answer


async def test_forgetting_without_an_engine_is_nothing(subject: Subject) -> None:
    assert await EngineClient(subject.launch).forget("chat") == 0


async def test_the_engine_runs_apart_from_the_terminal(subject: Subject) -> None:
    async with watched_client(subject.launch, subject.model) as watched:
        assert watched.client.pid is not None
        assert os.getpgid(watched.client.pid) == watched.client.pid != os.getpgrp()
        assert os.getsid(watched.client.pid) == watched.client.pid
