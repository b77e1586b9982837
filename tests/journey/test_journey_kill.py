"""`kill -9` at random moments: nothing is left running and nothing is half written."""

from __future__ import annotations

import asyncio
import os
import random
import signal
import subprocess

import psutil
import pytest

from tests.journey.conftest import OpenSession, Session

pytestmark = [pytest.mark.model, pytest.mark.xdist_group("model")]

IS_HARDENING = os.environ.get("ZIB_HARDEN") == "1"
ROUNDS = 20 if IS_HARDENING else 4
LONGEST_SECONDS = 8.0
ORPHAN_SECONDS = 2.0


async def test_nothing_outlives_a_killed_app(open_zib: OpenSession, home: object) -> None:
    seed = random.randrange(2**32)
    print(f"seed {seed}")  # noqa: T201  (pytest shows it when a round fails)
    moments = random.Random(seed)
    for _ in range(ROUNDS):
        zib = await open_zib()
        work = asyncio.create_task(use(zib))
        await asyncio.sleep(moments.uniform(0.05, LONGEST_SECONDS))
        family = zib.family()
        os.kill(zib.pid, signal.SIGKILL)
        await zib.program.process.wait()
        work.cancel()
        await asyncio.gather(work, return_exceptions=True)
        _, alive = await asyncio.to_thread(psutil.wait_procs, family, ORPHAN_SECONDS)
        assert [process for process in alive if process.status() != psutil.STATUS_ZOMBIE] == []
        check_wiki(zib)


async def use(zib: Session) -> None:
    """Chat and edit without end."""
    await zib.see(lambda text: "articles/Welcome.md" in text, "the first page")
    zib.press("Tell me a long story.", "enter")
    zib.press("f4")
    await zib.see(lambda text: "✎" in text, "the editor")
    while True:
        zib.press("x" * 20, "ctrl+s")
        await asyncio.sleep(0.15)


def check_wiki(zib: Session) -> None:
    """Every article is whole: what was there, plus only what was typed."""
    if not (zib.wiki / ".git").is_dir():
        return
    checked = subprocess.run(
        ["git", "-C", str(zib.wiki), "fsck", "--strict"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert checked.returncode == 0, checked.stderr
    page = zib.wiki / "articles" / "Welcome.md"
    if page.exists():
        text = page.read_text(encoding="utf-8")
        assert text.lstrip("x").startswith("# Welcome\n")
        assert text.endswith("\n")
