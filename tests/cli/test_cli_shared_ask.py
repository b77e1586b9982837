"""`zib ask` while the app runs: its model answers, unless another one is named."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from tests.cli.conftest import COMMAND
from tests.engine.sharing_harness import sharing_host
from tests.engine.subjects import Subject, scripted_model, scripted_subject

Ask = Callable[..., Awaitable[tuple[int, bytes, bytes]]]


@pytest.fixture
def subject(tmp_path: Path) -> Subject:
    return scripted_subject(tmp_path / "app")


@pytest.fixture
def runtime_dir(home: Path) -> Path:
    return home / ".run" / "zibaldone"


@pytest.fixture
def ask(zib_environment: dict[str, str], tmp_path: Path) -> Ask:
    """Run `zib ask` beside the test's own event loop."""

    async def run(*arguments: str) -> tuple[int, bytes, bytes]:
        process = await asyncio.create_subprocess_exec(
            *(*COMMAND, "ask", *arguments),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            env=zib_environment,
            cwd=tmp_path,
        )
        output, errors = await process.communicate()
        assert process.returncode is not None
        return process.returncode, output, errors

    return run


async def test_the_apps_model_answers(
    subject: Subject, runtime_dir: Path, ask: Ask, tiny_model: Path
) -> None:
    async with sharing_host(subject.launch, str(tiny_model), runtime_dir):
        assert await ask("hello") == (0, b"You said: hello\n", b"")
        status, output, errors = await ask("--json", "hello")
        assert (status, errors) == (0, b"")
        assert json.loads(output)["answer"] == "You said: hello"
        assert await ask("--model", str(tiny_model), "hi") == (0, b"You said: hi\n", b"")
        status, output, errors = await ask("word " * 3000)
        assert (status, output) == (1, b"")
        assert b"context" in errors


async def test_a_model_that_is_named_is_loaded_beside_it(
    subject: Subject, runtime_dir: Path, ask: Ask, tiny_model: Path
) -> None:
    async with sharing_host(subject.launch, subject.model, runtime_dir) as shared:
        before = list(shared.watched.statuses)
        status, output, errors = await ask("--json", "--model", str(tiny_model), "hello")
        assert (status, errors) == (0, b"")
        assert json.loads(output)["model"] == "tiny-llama"
        assert shared.watched.statuses == before


async def test_an_app_without_a_model_is_no_help(
    subject: Subject, runtime_dir: Path, ask: Ask
) -> None:
    async with sharing_host(subject.launch, "", runtime_dir):
        status, output, _ = await ask("--json", "hello")
        assert status == 0
        assert json.loads(output)["model"] == "tiny-llama"


async def test_an_app_that_is_loading_is_waited_for(
    subject: Subject, runtime_dir: Path, ask: Ask, tmp_path: Path
) -> None:
    slow = scripted_model(tmp_path / "slow", load_seconds=3.0)
    async with sharing_host(subject.launch, "", runtime_dir) as shared:
        loading = asyncio.create_task(shared.watched.client.load(slow))
        assert await ask("hello") == (0, b"You said: hello\n", b"")
        await loading
