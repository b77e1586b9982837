"""An engine may die in any way at any moment: the terminal says why and goes on."""

import asyncio
import json
import os
import signal
import sys
from pathlib import Path

import psutil
import pytest

import engine.restarts
from engine.config import EngineConfig, encode_config
from engine.errors import EngineStopped, RequestFailed
from engine.process import SCRIPTED_MODULE, EngineLaunch
from engine.protocol import PromptProgress, TextDelta
from engine.status import EngineDown, EngineReady, EngineRestarting
from engine.watchdog import Watchdog
from tests.engine.subjects import SLOW, Subject, mlx_launch, scripted_launch, scripted_model
from tests.engine.watched_client import is_gone, open_descriptors, watched_client

SAID = "one two three four five six"
FAULTS = {
    "crash": "memory error",
    "abort": "internal error",
    "kill": "memory ran out",
    "exit": "exit status 3",
    "leave": "exit status 3",
}
CYCLES = 50 if os.environ.get("ZIB_HARDEN") else 20


@pytest.fixture(autouse=True)
def short_delays(monkeypatch: pytest.MonkeyPatch) -> None:
    """The back-off itself has its own tests."""
    monkeypatch.setattr(engine.restarts, "FIRST_DELAY_SECONDS", 0.02)


def faulty(folder: Path, fault: str, fault_at: int = 3, **more: object) -> Subject:
    """An engine that fails while it answers 'fail', and answers anything else."""
    reply = {"match": "fail", "text": SAID, "fault": fault, "fault_at": fault_at, **more}
    slow = {
        "match": "slowly",
        "text": "word " * 40,
        "seconds_per_chunk": 0.05,
        "seconds_per_token": 0.02,
    }
    return Subject(
        "scripted", scripted_launch(folder, reply, slow), scripted_model(folder / "model")
    )


def odd(folder: Path, mode: str) -> EngineLaunch:
    return EngineLaunch(EngineConfig(str(folder / "cache"), script=mode), "tests.engine.odd_engine")


@pytest.mark.parametrize(("fault", "cause"), FAULTS.items())
async def test_death_in_an_answer(tmp_path: Path, fault: str, cause: str) -> None:
    subject = faulty(tmp_path, fault)
    async with watched_client(subject.launch, subject.model) as watched:
        with pytest.raises(EngineStopped) as caught:
            await watched.say("fail")
        message = str(caught.value)
        assert message.startswith("The engine stopped: ")
        assert cause in message
        assert message.count(".") == 1
        assert "Traceback" not in message
        assert watched.partial == "one two three "
        assert (await watched.say("hello")).reason == "stop"
        assert watched.partial == "You said: hello"


@pytest.mark.parametrize(
    ("fault", "word"), [("raise", "ValueError"), ("memory", "ran out of memory")]
)
async def test_an_exception_ends_only_its_request(tmp_path: Path, fault: str, word: str) -> None:
    subject = faulty(tmp_path, fault)
    async with watched_client(subject.launch, subject.model) as watched:
        pid = watched.client.pid
        with pytest.raises(RequestFailed, match=word) as caught:
            await watched.say("fail")
        assert "Traceback" not in str(caught.value)
        assert watched.partial == "one two three "
        assert (await watched.say("hello")).reason == "stop"
        assert watched.client.pid == pid
        async with asyncio.timeout(5):
            while watched.reports[-1].rows_running:
                await asyncio.sleep(0.01)


async def test_a_plan_that_fails_ends_only_its_request(tmp_path: Path) -> None:
    async with watched_client(odd(tmp_path, "cannot plan"), scripted_model(tmp_path / "m")) as it:
        with pytest.raises(RequestFailed, match="ZeroDivisionError"):
            await it.client.plan("anything")
        assert (await it.say("hello")).reason == "stop"


async def test_noise_on_the_standard_output_harms_nothing(tmp_path: Path) -> None:
    subject = faulty(tmp_path, "print")
    async with watched_client(subject.launch, subject.model) as watched:
        assert (await watched.say("fail")).reason == "stop"
        assert watched.partial == SAID
        await asyncio.sleep(0.05)
        assert "noise" in watched.client.log
        assert len(watched.client.log) < 100_000


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSEGV, signal.SIGABRT, signal.SIGTERM])
@pytest.mark.parametrize("moment", [PromptProgress, TextDelta])
async def test_killed_from_outside(
    tmp_path: Path, number: signal.Signals, moment: type[PromptProgress] | type[TextDelta]
) -> None:
    subject = faulty(tmp_path, "none")
    async with watched_client(subject.launch, subject.model) as watched:
        with pytest.raises(EngineStopped, match=number.name):
            await watched.say(SLOW, on_event=watched.kill_at(moment, number))
        assert (watched.partial != "") == (moment is TextDelta)
        assert (await watched.say("hello")).reason == "stop"


async def test_killed_while_idle(tmp_path: Path) -> None:
    subject = faulty(tmp_path, "none")
    async with watched_client(subject.launch, subject.model) as watched:
        old = watched.kill()
        await watched.new_pid(old)
        await watched.until(EngineReady)
        assert any(isinstance(status, EngineRestarting) for status in watched.statuses)
        assert (await watched.say("hello")).reason == "stop"
        assert await watched.client.count_tokens(["a b"]) == (2,)


@pytest.mark.parametrize("wait", [0.0, 0.01, 0.05, 0.1])
async def test_killed_while_it_starts(tmp_path: Path, wait: float) -> None:
    subject = faulty(tmp_path, "none")
    async with watched_client(subject.launch) as watched:
        loading = asyncio.create_task(watched.client.load(subject.model))
        pid = await watched.new_pid()
        await asyncio.sleep(wait)
        os.kill(pid, signal.SIGKILL)
        await watched.new_pid(pid)
        await loading
        assert (await watched.say("hello")).reason == "stop"


async def test_death_at_every_load_gives_up_and_a_new_request_tries_again(tmp_path: Path) -> None:
    subject = faulty(tmp_path, "none")
    scripted_model(tmp_path / "model", load_fault="kill")
    async with watched_client(subject.launch) as watched:
        with pytest.raises(EngineStopped, match="smaller model"):
            await watched.client.load(subject.model)
        down = await watched.until(EngineDown)
        assert isinstance(down, EngineDown)
        assert "memory ran out" in down.reason
        assert sum(isinstance(s, EngineRestarting) for s in watched.statuses) == 3
        with pytest.raises(EngineStopped, match="memory ran out"):
            await watched.client.count_tokens(["typing"])
        scripted_model(tmp_path / "model")
        assert (await watched.say("hello")).reason == "stop"


async def test_a_request_is_never_sent_again(tmp_path: Path) -> None:
    subject = faulty(tmp_path, "kill", fault_at=0)
    async with watched_client(subject.launch, subject.model) as watched:
        with pytest.raises(EngineStopped):
            await watched.say("fail")
        pid = await watched.new_pid()
        await watched.until(EngineReady)
        await asyncio.sleep(0.3)
        assert watched.client.pid == pid
        assert watched.reports[-1].prompt_cache_entries == 0


@pytest.mark.parametrize("moment", [PromptProgress, TextDelta, None])
async def test_a_hanging_engine_is_replaced(
    tmp_path: Path, moment: type[PromptProgress] | type[TextDelta] | None
) -> None:
    subject = faulty(tmp_path, "none")
    watchdog = Watchdog(silence_limit=0.6)
    async with watched_client(subject.launch, subject.model, watchdog) as watched:
        if moment is None:
            old = watched.kill(signal.SIGSTOP)
            await watched.new_pid(old)
        else:
            with pytest.raises(EngineStopped, match="stopped answering"):
                await watched.say(SLOW, on_event=watched.kill_at(moment, signal.SIGSTOP))
        assert (await watched.say("hello")).reason == "stop"


ODDITIES = {
    "other version": "restart `zib`",
    "garbage": "unreadable",
    "unknown event": "unreadable",
    "deaf": "closed its channel",
    "import error": "exit status 1",
    "silent": "stopped answering",
}


@pytest.mark.parametrize(("mode", "cause"), ODDITIES.items())
async def test_a_process_that_is_no_engine_is_given_up(
    tmp_path: Path, mode: str, cause: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Short only where waiting is the point: a slow start must not look like another fault.
    monkeypatch.setattr("engine.supervisor.SHUTDOWN_SECONDS", 0.2 if mode == "deaf" else 10.0)
    patience = 0.4 if mode == "silent" else 30.0
    watchdog = Watchdog(silence_limit=patience, start_limit=patience)
    async with watched_client(odd(tmp_path, mode), watchdog=watchdog) as watched:
        with pytest.raises(EngineStopped, match=cause):
            await watched.client.load("/somewhere")
        if mode == "import error":
            assert "no module named" in watched.client.log


@pytest.mark.parametrize("script", ["/nowhere/script.json", "{broken"])
async def test_an_engine_that_cannot_start_says_why(tmp_path: Path, script: str) -> None:
    launch = EngineLaunch(EngineConfig(str(tmp_path / "c"), script=script), SCRIPTED_MODULE)
    async with watched_client(launch) as watched:
        with pytest.raises(EngineStopped, match=r"could not start .*FileNotFoundError"):
            await watched.client.load("/somewhere")


async def test_a_cache_folder_that_is_a_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("in the way")
    launch = EngineLaunch(EngineConfig(str(tmp_path / "cache")), SCRIPTED_MODULE)
    async with watched_client(launch) as watched:
        with pytest.raises(EngineStopped, match=rf"could not be started.*{tmp_path.name}"):
            await watched.client.load("/somewhere")


@pytest.mark.parametrize("mode", ["helper", "detached helper"])
async def test_helpers_do_not_hold_the_channel(tmp_path: Path, mode: str) -> None:
    model = scripted_model(tmp_path / "model")
    async with watched_client(odd(tmp_path, mode), model) as watched:
        helper = int((tmp_path / "model" / "helper").read_text())
        try:
            with pytest.raises(EngineStopped, match="SIGKILL"):
                await asyncio.wait_for(
                    watched.say("hello " * 900, on_event=lambda _: watched.kill()), 5
                )
            if mode == "helper":
                assert await is_gone(helper)
            assert (await watched.say("hello")).reason == "stop"
        finally:
            if psutil.pid_exists(helper):
                os.kill(helper, signal.SIGKILL)


async def test_foreign_modules_on_the_path_are_not_imported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    subject = faulty(tmp_path, "none")
    trap = tmp_path / "trap"
    trap.mkdir()
    for name in ("json", "msgspec", "struct", "engine", "psutil"):
        (trap / f"{name}.py").write_text("raise SystemExit('trapped')")
    monkeypatch.setenv("PYTHONPATH", str(trap))
    monkeypatch.chdir(trap)
    async with watched_client(subject.launch, subject.model) as watched:
        assert (await watched.say("hello")).reason == "stop"


async def test_restarts_leak_nothing(tmp_path: Path) -> None:
    subject = faulty(tmp_path, "none")
    async with watched_client(subject.launch, subject.model) as watched:
        await watched.say("hello")
        before = open_descriptors()
        for _ in range(CYCLES):
            old = watched.kill()
            await watched.new_pid(old)
            await watched.say("hello")
        assert open_descriptors() == before
        children = psutil.Process().children(recursive=True)
        assert [child.status() for child in children].count("zombie") == 0
        assert len(children) == 1
        pid = watched.client.pid
        assert pid is not None
    assert await is_gone(pid, 0.1)
    assert not psutil.Process().children()


class Terminal:
    """A terminal process of its own, to be killed."""

    def __init__(self, launch: EngineLaunch, model: str) -> None:
        self._arguments = (launch.module, encode_config(launch.config), model)
        self._lines: list[str] = []

    async def start(self) -> None:
        self.process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "tests.engine.terminal",
            *self._arguments,
            stdout=asyncio.subprocess.PIPE,
        )

    async def until(self, start: str) -> list[str]:
        """Read lines until one begins so; returns its words."""
        assert self.process.stdout is not None
        async with asyncio.timeout(60):
            while True:
                line = (await self.process.stdout.readline()).decode().strip()
                assert line, f"the terminal ended after {self._lines}"
                self._lines.append(line)
                if line.startswith(start):
                    return line.split()


MOMENTS = ["pid", "status EngineLoading", "prefill", "decode", "finished"]


async def check_death_of_both(terminal: Terminal, moment: str) -> None:
    """Kill the terminal process at `moment`; its engine must be gone soon after."""
    await terminal.start()
    pid = int((await terminal.until("pid"))[1])
    if moment != "pid":
        await terminal.until(moment)
    terminal.process.kill()
    assert await is_gone(pid)
    await terminal.process.wait()


@pytest.mark.parametrize("moment", MOMENTS)
async def test_the_engine_dies_with_its_terminal(tmp_path: Path, moment: str) -> None:
    subject = faulty(tmp_path, "none")
    scripted_model(tmp_path / "model", load_seconds=0.3)
    terminal = Terminal(subject.launch, subject.model)
    await check_death_of_both(terminal, moment)


async def test_helpers_die_with_the_terminal_too(tmp_path: Path) -> None:
    terminal = Terminal(odd(tmp_path, "helper"), scripted_model(tmp_path / "model"))
    await terminal.start()
    pid = int((await terminal.until("pid"))[1])
    await terminal.until("finished")
    helper = int((tmp_path / "model" / "helper").read_text())
    terminal.process.kill()
    assert await is_gone(pid)
    assert await is_gone(helper)
    await terminal.process.wait()


async def test_a_frozen_terminal_goes_on(tmp_path: Path) -> None:
    words = 30_000
    (tmp_path / "script.json").write_text(
        json.dumps([{"match": "slowly", "text": "word " * words}])
    )
    config = EngineConfig(str(tmp_path / "cache"), script=str(tmp_path / "script.json"))
    model = scripted_model(tmp_path / "model", context_window=1_000_000)
    terminal = Terminal(EngineLaunch(config, SCRIPTED_MODULE), model)
    await terminal.start()
    pid = (await terminal.until("pid"))[1]
    await terminal.until("decode")
    terminal.process.send_signal(signal.SIGSTOP)
    await asyncio.sleep(5)
    blocked = psutil.Process(int(pid)).memory_info().rss
    terminal.process.send_signal(signal.SIGCONT)
    assert await terminal.until("finished") == ["finished", str(words), pid]
    assert psutil.Process(int(pid)).memory_info().rss < blocked + 50_000_000
    terminal.process.kill()
    await terminal.process.wait()


# The MLX worker itself, with a tiny model.


@pytest.fixture
def mlx(tiny_model: Path) -> Subject:
    return Subject("tiny", mlx_launch(), str(tiny_model))


@pytest.mark.xdist_group("engine-tiny")
async def test_mlx_worker_killed_at_every_moment(mlx: Subject) -> None:
    async with watched_client(mlx.launch) as watched:
        loading = asyncio.create_task(watched.client.load(mlx.model))
        pid = await watched.new_pid()
        await asyncio.sleep(0.3)  # while it imports
        os.kill(pid, signal.SIGKILL)
        await watched.new_pid(pid)
        await loading
        for moment, number in (
            (PromptProgress, signal.SIGKILL),
            (TextDelta, signal.SIGSEGV),
            (TextDelta, signal.SIGABRT),
        ):
            with pytest.raises(EngineStopped, match=number.name):
                await watched.say(SLOW, on_event=watched.kill_at(moment, number))
        assert (await watched.say("hello", max_tokens=4)).reason == "length"


@pytest.mark.sampled(1)
@pytest.mark.xdist_group("engine-tiny")
@pytest.mark.parametrize("moment", MOMENTS)
async def test_mlx_worker_dies_with_its_terminal(mlx: Subject, moment: str) -> None:
    terminal = Terminal(mlx.launch, mlx.model)
    await check_death_of_both(terminal, moment)
