"""Killed, limited and cut off from power: what was acknowledged is there, and nothing is torn."""

from __future__ import annotations

import multiprocessing
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from multiprocessing.context import BaseContext
from pathlib import Path

import psutil
import pytest

from tests.disk.disk_tools import entry_of, files_in, opened, restored
from tests.disk.kept_writer import tokens_of, write_under_a_size_limit, write_until_killed

ROUNDS = 100 if os.environ.get("ZIB_HARDEN") else 10
REPOSITORY = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def processes() -> Iterator[BaseContext]:
    """Real processes, but MLX is imported once for all of them."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["tests.disk.kept_writer"])
    yield context
    # Its servers would stay, and other tests count the processes they leave.
    for child in psutil.Process().children():
        if "multiprocessing" in " ".join(child.cmdline()):
            child.kill()
            child.wait()


def check(root: Path, acknowledged: list[int]) -> None:
    """Everything acknowledged comes back whole, and no unfinished file is left."""
    tier = opened(root)
    for number in acknowledged:
        assert restored(tier, [*tokens_of(number), 0]) == tokens_of(number)
    assert tier.usage.failures == 0
    assert all(file.suffix == ".zibkv" for file in files_in(root))


def test_a_kill_during_a_write_loses_that_entry_alone(
    processes: BaseContext, tmp_path: Path
) -> None:
    seed = random.randrange(1 << 32)
    sys.stdout.write(f"seed {seed}\n")
    delays = random.Random(seed)
    begun = 0
    for _ in range(ROUNDS):
        receiving, sending = processes.Pipe(duplex=False)
        writer = processes.Process(  # type: ignore[attr-defined]  # each kind of context has one
            target=write_until_killed, args=(str(tmp_path), begun, sending)
        )
        writer.start()
        sending.close()
        acknowledged = [receiving.recv()]
        time.sleep(delays.uniform(0, 0.06))
        writer.kill()
        writer.join()
        assert writer.exitcode == -signal.SIGKILL
        while receiving.poll():
            try:
                acknowledged.append(receiving.recv())
            except EOFError:
                break
        check(tmp_path, acknowledged)
        begun = acknowledged[-1] + 1
        shutil.rmtree(tmp_path)
    assert begun >= ROUNDS


def test_files_that_may_not_grow_end_the_writing_with_one_reason(
    processes: BaseContext, tmp_path: Path
) -> None:
    receiving, sending = processes.Pipe(duplex=False)
    arguments = (str(tmp_path), 200_000, sending)
    writer = processes.Process(  # type: ignore[attr-defined]  # each kind of context has one
        target=write_under_a_size_limit, args=arguments
    )
    writer.start()
    assert receiving.recv() == (False, "File too large", 1)
    assert receiving.recv() == (None, None)
    writer.join()
    assert writer.exitcode == 0
    assert not files_in(tmp_path)


def test_a_folder_that_cannot_be_made_ends_the_writing(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    tier = opened(tmp_path / "file" / "kept")
    entry = entry_of(tokens_of(1))
    tier.offer(entry)
    assert not tier.flush(5).is_durable
    assert tier.usage.fault in ("File exists", "Not a directory")
    tier.offer(entry)
    assert tier.upkeep(99) is None
    assert tier.longest(entry.key, [*entry.tokens, 1], 0) is None
    assert tier.forget("chat") == 0


@pytest.mark.harden
@pytest.mark.skipif(
    not os.environ.get("ZIB_HARDEN") or os.geteuid() != 0 or not shutil.which("mkfs.ext4"),
    reason="takes minutes, and needs root to mount a file system of its own",
)
@pytest.mark.parametrize("mode", ["power", "full"])
def test_a_disk_that_fails_loses_nothing_acknowledged(mode: str, tmp_path: Path) -> None:
    command = ["unshare", "-m", sys.executable, "-m", "tests.disk.failing_disk", mode, "15"]
    ended = subprocess.run(
        [*command, str(tmp_path)], cwd=REPOSITORY, capture_output=True, text=True, check=False
    )
    if "not permitted" in ended.stderr or "failed to setup loop" in ended.stderr:
        pytest.skip(ended.stderr)
    assert ended.returncode == 0, ended.stdout + ended.stderr
