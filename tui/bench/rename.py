"""What it costs to rename a page that a thousand pages link to, and to take that back."""

from __future__ import annotations

import asyncio
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from tui.bench.context import BenchContext, Report
from tui.bench.figures import BenchFault, Figure, Target, sampled
from vault.history.commit import CommitResult, Committed
from vault.vault import Vault, open_vault

LINKING = 1_000
OTHERS = 1_000
RUNS = 5
_NAMES = ("Aim", "Target")


async def bench_rename(context: BenchContext, report: Report) -> tuple[Figure, ...]:
    """Rename in a made-up wiki in a scratch folder. Raises BenchFault, VaultError, OSError."""
    return await asyncio.to_thread(_measure, report)


def _measure(report: Report) -> tuple[Figure, ...]:
    with tempfile.TemporaryDirectory() as scratch:
        vault = open_vault(Path(scratch) / "wiki")
        path = _make(vault)
        report(f"  {LINKING:,} pages with two links to one page, and {OTHERS:,} with none")
        renames = []
        for turn in range(RUNS):
            name = _NAMES[turn % len(_NAMES)]
            renames.append(_seconds(partial(_rename, vault, path, name)))
            path = f"articles/{name}.md"
        undone = [_seconds(partial(_undo, vault)) for _ in range(RUNS)]
    return (
        sampled(f"rename, {LINKING:,} pages link to it", "s", renames, Target(5.0, "at most")),
        sampled("the same taken back", "s", undone, Target(5.0, "at most")),
    )


def _make(vault: Vault) -> str:
    path = vault.create(_NAMES[-1]).saved.file.path
    for number in range(LINKING):
        text = f"# P{number}\n\nSee [[Target]] and [[Target#Part|this]].\n\nA line that stays.\n"
        (vault.root / f"articles/P{number}.md").write_text(text)
    for number in range(OTHERS):
        text = f"# Q{number}\n\nSee [[P{number % LINKING}]].\n"
        (vault.root / f"articles/Q{number}.md").write_text(text)
    vault.recover()
    return path


def _rename(vault: Vault, path: str, name: str) -> None:
    moved = vault.moves.carry_out(vault.moves.plan_rename(path, name))
    links = sum(page.links for page in moved.carried.edited)
    _check(moved.commit, links == 2 * LINKING)


def _undo(vault: Vault) -> None:
    undone = vault.history.undo("@0")
    _check(undone.commit, len(undone.paths) == LINKING + 2)


def _check(commit: CommitResult, is_whole: bool) -> None:
    if not isinstance(commit, Committed) or not is_whole:
        raise BenchFault("Not every link was written anew, or not in a commit.")


def _seconds(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began
