"""What it costs to ask for the past of a page that was changed and renamed very often."""

from __future__ import annotations

import asyncio
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from tui.bench.context import BenchContext, Report
from tui.bench.figures import BenchFault, Figure, Target, sampled
from vault.history.git import run
from vault.history.log import Revision
from vault.vault import Vault, open_vault

VERSIONS = 1_600
RENAMES = 8
RUNS = 9
_LINES = 300
_FIRST = 20
_PAGE = 100


async def bench_history(context: BenchContext, report: Report) -> tuple[Figure, ...]:
    """Ask a made-up history in a scratch folder. Raises BenchFault, VaultError, OSError."""
    return await asyncio.to_thread(_measure, report)


def _measure(report: Report) -> tuple[Figure, ...]:
    with tempfile.TemporaryDirectory() as scratch:
        vault = open_vault(Path(scratch) / "wiki")
        path = _make(vault)
        report(f"  {VERSIONS:,} versions under {RENAMES} names, and as many of other pages")
        # The first git command of a process loads the library that runs them.
        vault.log(path, 1)
        first = [_seconds(lambda: vault.log(path, _FIRST)) for _ in range(RUNS)]
        began = time.perf_counter()
        found = sum(1 for _ in _pages(vault, path))
        whole = time.perf_counter() - began
        blamed = _seconds(lambda: vault.history.blame(path))
    if found != VERSIONS:
        raise BenchFault(f"The log has {found} of {VERSIONS} versions.")
    return (
        sampled(f"first {_FIRST} versions of a page", "s", first, Target(0.3, "at most")),
        sampled(f"all {VERSIONS:,}, a page at a time", "s", [whole], Target(5.0, "at most")),
        sampled("blame of every line", "s", [blamed], Target(5.0, "at most")),
    )


def _pages(vault: Vault, path: str) -> Iterator[Revision]:
    before: Revision | None = None
    while page := vault.history.log(path, _PAGE, before):
        yield from page
        before = page[-1]


def _make(vault: Vault) -> str:
    """Write the commits; returns the page's last path."""
    tip = run(["rev-parse", "HEAD"], vault.root).output.decode().strip()
    pieces: list[bytes] = []
    lines = [f"line {number}\n" for number in range(_LINES)]
    name = "articles/Page_0.md"
    for number in range(VERSIONS):
        lines[number % _LINES] = f"line {number % _LINES} as of {number}\n"
        change = b"M 100644 inline " + name.encode() + b"\n" + _data("".join(lines))
        if number % (VERSIONS // RENAMES) == 0 and number:
            older, name = name, f"articles/Page_{number * RENAMES // VERSIONS}.md"
            change = f"R {older} {name}\n".encode()
        pieces.append(_commit(number, tip if not number else "", change))
        other = f"M 100644 inline articles/Other_{number % 50}.md\n".encode()
        pieces.append(_commit(number, "", other + _data(f"other {number}\n")))
    finished = run(["fast-import", "--quiet"], vault.root, stdin=b"".join(pieces))
    if not finished.succeeded:
        raise BenchFault(f"The history could not be made: {finished.complaint.strip()}")
    return name


def _commit(number: int, parent: str, change: bytes) -> bytes:
    when = 1_700_000_000 + 60 * number
    head = f"commit refs/heads/main\ncommitter zib <zib@localhost> {when} +0000\n".encode()
    start = f"from {parent}\n".encode() if parent else b""
    return head + _data(f"Edit {number}\n\nActor: you\n") + start + change


def _data(text: str) -> bytes:
    content = text.encode()
    return b"data %d\n" % len(content) + content + b"\n"


def _seconds(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began
