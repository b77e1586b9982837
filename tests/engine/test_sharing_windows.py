"""Windows that are killed in any way at any moment: the others say why and go on."""

from __future__ import annotations

import asyncio
import signal
import sys
import time
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from pathlib import Path

import pytest

from engine.errors import EngineStopped
from engine.protocol import TextDelta
from engine.sharing.attach import attach
from engine.sharing.guest_link import HOST_ENDED
from engine.sharing.place import SharingPlace
from engine.sharing.window import WindowEngine
from engine.status import EngineDown, EngineReady, EngineRestarting
from engine.watchdog import Watchdog
from tests.engine.harness import PATIENCE
from tests.engine.sharing_harness import company, guest_of, raw_guest, sharing_host
from tests.engine.subjects import (
    REPOSITORY,
    SLOW,
    Subject,
    scripted_launch,
    scripted_model,
    scripted_subject,
)
from tests.engine.watched_client import WatchedClient, is_gone, open_descriptors


@pytest.fixture(autouse=True)
def short_delays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.restarts.FIRST_DELAY_SECONDS", 0.02)


@pytest.fixture
def subject(tmp_path: Path) -> Subject:
    return scripted_subject(tmp_path)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "run"


class Window:
    """A window in a process of its own."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process
        self.lines: list[str] = []

    async def hear(self, word: str) -> str:
        """Wait for the next line that begins with this word; returns what follows it."""
        assert self.process.stdout is not None
        async with asyncio.timeout(PATIENCE):
            while line := (await self.process.stdout.readline()).decode():
                self.lines.append(line)
                first, _, rest = line.rstrip("\n").partition(" ")
                if first == word:
                    return rest
        pytest.fail(f"never said {word}: {self.lines}")

    def ask(self, question: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(f"{question}\n".encode())

    def kill(self) -> float:
        """End it without a warning; returns when."""
        self.process.kill()
        return time.monotonic()


@asynccontextmanager
async def window(subject: Subject, folder: Path) -> AsyncIterator[Window]:
    config = subject.launch.config
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "tests.engine.sharing_window"),
        *(str(folder), subject.model, config.script, config.cache_dir),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        cwd=REPOSITORY,
    )
    try:
        yield Window(process)
    finally:
        if process.returncode is None:
            process.kill()
        await process.communicate()


async def until(is_true: Callable[[], bool], seconds: float = 10.0) -> None:
    async with asyncio.timeout(seconds):
        while not is_true():
            await asyncio.sleep(0.01)


async def test_guests_end_soon_when_their_host_is_killed(subject: Subject, folder: Path) -> None:
    async with window(subject, folder) as host:
        await host.hear("engine")
        async with guest_of(folder) as first, guest_of(folder) as second:
            asked = asyncio.create_task(first.say(SLOW))
            await until(lambda: first.partial != "")
            killed = host.kill()
            with pytest.raises(EngineStopped, match=HOST_ENDED):
                await asked
            for guest in (first, second):
                assert await guest.until(EngineDown) == EngineDown(HOST_ENDED)
            assert time.monotonic() - killed < 2
            assert first.partial
            with pytest.raises(EngineStopped, match=HOST_ENDED):
                await second.say("hello")
            assert await attach(folder) is None


async def test_the_second_window_takes_over(subject: Subject, folder: Path) -> None:
    async with window(subject, folder) as first, AsyncExitStack() as stack:
        await first.hear("host")
        engine = await first.hear("engine")
        second = await stack.enter_async_context(window(subject, folder))
        assert await second.hear("guest") == ""
        assert await second.hear("engine") == engine
        third = await stack.enter_async_context(window(subject, folder))
        assert await third.hear("engine") == engine
        second.ask(SLOW)
        await second.hear("said")
        first.kill()
        assert await second.hear("failed") == HOST_ENDED
        assert await is_gone(int(engine))
        for other in (second, third):
            other.ask("hello again")
            await other.hear("answered")
        roles = {line for other in (second, third) for line in other.lines if " window " in line}
        assert roles == {
            "host The window that ran the engine has ended; this one runs it now.\n",
            "guest The window that ran the engine has ended; another one runs it now.\n",
        }


async def test_a_window_that_leaves_orderly_frees_its_engine_first(
    subject: Subject, folder: Path
) -> None:
    async with window(subject, folder) as first, window(subject, folder) as second:
        engines = {int(await first.hear("engine")), int(await second.hear("engine"))}
        assert len(engines) == 1
        role = next(line for line in first.lines if line.split()[0] in {"host", "guest"})
        host, guest = (first, second) if role.startswith("host") else (second, first)
        assert host.process.stdin is not None
        host.process.stdin.close()
        assert await host.process.wait() == 0
        assert await is_gone(engines.pop(), 0)
        guest.ask("hello")
        await guest.hear("answered")


async def test_a_worker_killed_under_a_guest_comes_back(subject: Subject) -> None:
    async with company(subject.launch, subject.model) as (host, first, second):
        with pytest.raises(EngineStopped, match="SIGKILL") as caught:
            await first.say(SLOW, on_event=lambda event: kill_at_text(host, event))
        assert str(caught.value).startswith("The engine stopped: ")
        assert first.partial
        for guest in (first, second):
            assert (await guest.say("hello")).reason == "stop"
            assert any(isinstance(status, EngineRestarting) for status in guest.statuses)
            assert guest.client.status == host.client.status
            assert guest.client.pid == host.client.pid


def kill_at_text(host: WatchedClient, event: object) -> None:
    if isinstance(event, TextDelta):
        host.kill()


async def test_a_guest_revives_an_engine_that_gave_up(subject: Subject, tmp_path: Path) -> None:
    async with company(subject.launch, subject.model) as (host, first, second):
        scripted_model(Path(subject.model), load_fault="kill")
        host.kill()
        for watched in (host, first, second):
            await watched.until(EngineDown)
        scripted_model(Path(subject.model))
        assert (await first.say("hello")).reason == "stop"
        await second.until(EngineReady)
        model = await second.client.load(scripted_model(tmp_path / "other"))
        assert host.client.status == EngineReady(model)


async def test_a_guest_killed_in_an_answer_is_cancelled(tmp_path: Path, folder: Path) -> None:
    endless = {"match": "endless", "text": "word " * 400, "seconds_per_token": 0.05}
    launch = scripted_launch(tmp_path / "scripted", endless)
    subject = Subject("scripted", launch, scripted_model(tmp_path / "model"))
    async with sharing_host(subject.launch, subject.model, folder) as shared:
        async with window(subject, folder) as guest:
            await guest.hear("engine")
            guest.ask("endless")
            await guest.hear("said")
            await until(lambda: shared.watched.reports[-1].rows_running == 1)
            guest.kill()
            await until(lambda: not shared.watched.reports[-1].rows_running, 2)
        assert (await asyncio.wait_for(shared.watched.say("hello"), 2)).reason == "stop"


async def test_a_window_beside_one_that_hangs_runs_its_own_engine(
    subject: Subject, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.sharing.connection.WELCOME_SECONDS", 0.1)
    monkeypatch.setattr("engine.sharing.window.SEARCH_SECONDS", 0.2)
    news: list[tuple[str, str]] = []
    async with window(subject, folder) as first:
        await first.hear("engine")
        first.process.send_signal(signal.SIGSTOP)
        other = WindowEngine(
            subject.launch, folder, lambda _: None, lambda *role: news.append(role)
        )
        async with other.client as client:
            assert not await other.is_guest()
            assert (await client.load(subject.model)).path == subject.model
        ((role, sentence),) = news
        assert role == "alone"
        assert "does not answer" in sentence


async def test_a_guest_gives_a_silent_host_up(
    subject: Subject, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    impatient = partial(Watchdog, silence_limit=0.5)
    monkeypatch.setattr("engine.sharing.guest_link.Watchdog", impatient)
    async with window(subject, folder) as host:
        await host.hear("engine")
        async with guest_of(folder) as guest:
            host.process.send_signal(signal.SIGSTOP)
            down = await guest.until(EngineDown)
            assert down == EngineDown("The app that shared its engine does not answer.")


async def test_a_socket_left_behind_is_replaced(subject: Subject, folder: Path) -> None:
    async with window(subject, folder) as dead:
        await dead.hear("engine")
        dead.kill()
        await dead.process.wait()
    assert SharingPlace(folder).socket_file.exists()
    assert await attach(folder) is None
    async with sharing_host(subject.launch, subject.model, folder), guest_of(folder) as guest:
        assert (await guest.say("hello")).reason == "stop"
    assert not SharingPlace(folder).socket_file.exists()


@pytest.mark.parametrize("wait", [0.0, 0.001, 0.02, 0.2])
async def test_closing_a_window_at_any_moment_of_its_start(
    subject: Subject, folder: Path, wait: float
) -> None:
    before = open_descriptors()
    opened = WindowEngine(subject.launch, folder, lambda _: None, lambda *_: None)
    opened.client.start()
    await asyncio.sleep(wait)
    await opened.client.close()
    with pytest.raises(EngineStopped, match="closed"):
        opened.client.start()
    assert open_descriptors() == before
    lock = SharingPlace(folder).lock() if folder.exists() else None
    if lock is not None:
        lock.release()
    assert lock is not None or wait == 0


async def test_two_hundred_guests_leave_no_descriptor(subject: Subject) -> None:
    async with sharing_host(subject.launch, subject.model) as shared:
        folder = shared.place.folder
        async with guest_of(folder) as guest:
            await guest.say("hello")
        await asyncio.sleep(0.05)
        before = open_descriptors()
        for _ in range(100):
            async with guest_of(folder), raw_guest(folder):
                pass
        await until(lambda: open_descriptors() == before, 5)
