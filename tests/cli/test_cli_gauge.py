"""`zib gauge` in pipes: the running app's figures as lines and as a document that agree."""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import msgspec
import pytest

from engine.config import EngineConfig
from engine.process import SCRIPTED_MODULE, EngineLaunch
from engine.protocol import MemoryReport, Message
from engine.script import Reply
from engine.sharing.window import WindowEngine
from engine.status import EngineStatus
from tests.cli.conftest import COMMAND, RunZib
from tui.paths import find_paths
from tui.widgets.gauge.figures import figures_of
from tui.widgets.gauge.history import History
from tui.widgets.gauge.line import line_text
from tui.widgets.gauge.views import full_lines

PLAIN = {"NO_COLOR": "", "TERM": "xterm-256color", "LC_ALL": "C.UTF-8", "COLUMNS": "100"}


class SharedEngine:
    """A scripted engine that a window shares, with the newest report."""

    def __init__(self, window: WindowEngine) -> None:
        self.client = window.client
        self.report: MemoryReport | None = None


@asynccontextmanager
async def shared_engine(folder: Path) -> AsyncIterator[SharedEngine]:
    """What a running app offers; the scripted model is loaded."""
    script, model = folder / "script.json", folder / "scripted [model]"
    script.write_bytes(msgspec.json.encode([Reply("", "one two three", seconds_per_token=0.01)]))
    model.mkdir()
    (model / "config.json").write_text("{}")

    def hear(news: EngineStatus | MemoryReport) -> None:
        if isinstance(news, MemoryReport):
            shared.report = news

    launch = EngineLaunch(EngineConfig(str(folder / "cache"), script=str(script)), SCRIPTED_MODULE)
    window = WindowEngine(launch, find_paths().runtime_dir, hear, lambda role, sentence: None)
    shared = SharedEngine(window)
    async with window.client:
        await window.client.load(str(model))
        yield shared


async def zib(environment: dict[str, str], *arguments: str) -> tuple[int, bytes, bytes]:
    """Run a command while this loop goes on serving."""
    process = await asyncio.create_subprocess_exec(
        *COMMAND,
        *arguments,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env=environment,
    )
    output, errors = await process.communicate()
    return process.returncode or 0, output, errors


async def test_lines_and_document_say_what_the_app_says(
    zib_environment: dict[str, str], tmp_path: Path
) -> None:
    environment = zib_environment | PLAIN
    del environment["NO_COLOR"]
    async with shared_engine(tmp_path) as shared:
        async for _ in shared.client.generate([Message("user", "hello there")], "chat"):
            pass
        async with asyncio.timeout(10):
            while shared.report is None or shared.report.prompt_cache_entries == 0:
                await asyncio.sleep(0.01)
        status, output, errors = await zib(environment, "gauge", "--json")
        assert (status, errors) == (0, b"")
        document = json.loads(output)
        known = json.loads(msgspec.json.encode(shared.report))
        plan = known["model"].pop("plan")
        model = known.pop("model")
        assert document["plan"] == plan
        assert document["gauge"]["model"] == {**model, "plan": None}
        assert document["report"] == {**known, "model": None}
        assert document["schema_version"] == 1

        status, output, errors = await zib(environment, "gauge", "--once")
        assert (status, errors) == (0, b"")
        lines = full_lines(figures_of(shared.report), History(), 100, 1000)
        assert output.decode().splitlines() == [line_text(line).rstrip() for line in lines]
        memory, text = document["gauge"]["memory"], output.decode()
        assert sum(memory["bar"]) == memory["usable_bytes"]
        assert f"{document['gauge']['context']['tokens']} of 2,048" in text
        assert "scripted [model]" in text
        both = await zib(environment, "gauge", "--once", "--json")
        assert json.loads(both[1])["gauge"] == document["gauge"]


async def test_fit_asks_the_running_app(zib_environment: dict[str, str], tmp_path: Path) -> None:
    async with shared_engine(tmp_path):
        model = str(tmp_path / "scripted [model]")
        status, output, errors = await zib(zib_environment, "fit", model, "--ctx", "1000", "--json")
        assert (status, errors) == (0, b"")
        document = json.loads(output)
        assert document["planned_by"] == "running zib"
        assert document["plan"]["context_tokens"] == 1000


@pytest.mark.parametrize("options", [("--once",), ("--json",), ("--once", "--json")])
def test_without_an_app_there_is_a_sentence(run_zib: RunZib, options: tuple[str, ...]) -> None:
    done = run_zib("gauge", *options)
    assert (done.returncode, done.stdout) == (1, b"")
    (line,) = done.stderr.decode().splitlines()
    assert line.startswith("zib: No zib is running")
    assert "zib fit" in line


def test_without_a_terminal_it_points_at_once(run_zib: RunZib) -> None:
    done = run_zib("gauge")
    assert (done.returncode, done.stdout) == (2, b"")
    assert b"zib gauge --once" in done.stderr


def test_a_socket_that_nobody_serves_is_no_app(
    run_zib: RunZib, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = find_paths().runtime_dir
    folder.mkdir(mode=0o700, parents=True)
    with socket.socket(socket.AF_UNIX) as dead:
        # The whole path may be longer than a socket's may be.
        monkeypatch.chdir(folder)
        dead.bind("engine.sock")
    done = run_zib("gauge", "--once")
    assert (done.returncode, done.stdout) == (1, b"")
