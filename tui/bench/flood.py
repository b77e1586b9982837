"""How soon the index is right again when another program writes very many pages at once."""

from __future__ import annotations

import asyncio
import tempfile
import time
from pathlib import Path

from tui.bench.context import BenchContext, Report
from tui.bench.figures import BenchFault, Figure, Target, sampled
from vault.index.index import Index
from vault.vault import Vault, open_vault
from vault.watch import watch

PAGES = 20_000
_FOLDERS = 200
_PATIENCE_SECONDS = 600


async def bench_flood(context: BenchContext, report: Report) -> tuple[Figure, ...]:
    """Watch a scratch wiki while it is flooded. Raises BenchFault, VaultError, OSError."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        vault = await asyncio.to_thread(open_vault, folder / "wiki", None, folder / "data")
        seconds = await _follow(vault, report)
        await asyncio.to_thread(_check, vault, folder / "fresh.sqlite")
        vault.index.close()
    target = Target(60.0, "at most")
    return (sampled(f"index right after {PAGES:,} pages at once", "s", [seconds], target),)


async def _follow(vault: Vault, report: Report) -> float:
    """The seconds from the last write until the index has every page."""
    expected = (await asyncio.to_thread(vault.index.counts)).pages + PAGES
    stop = asyncio.Event()
    changes = watch(vault.root, stop)
    writing = asyncio.create_task(asyncio.to_thread(_write, vault.root / "articles"))
    try:
        async with asyncio.timeout(_PATIENCE_SECONDS):
            while (await asyncio.to_thread(vault.index.counts)).pages < expected:
                changed = await anext(changes)
                await asyncio.to_thread(vault.note_changes, changed)
                report(f"  {len(changed):,} changes seen")
    except TimeoutError as error:
        raise BenchFault("The index never had every page.") from error
    finally:
        stop.set()
        written = await writing
        await changes.aclose()
    return max(time.monotonic() - written, 0.0)


def _write(folder: Path) -> float:
    """Write the pages; the moment of the last."""
    for number in range(PAGES):
        place = folder / f"folder {number % _FOLDERS}"
        place.mkdir(exist_ok=True)
        line = f"Text about [[Page {number * 7 % PAGES}]] and word{number} #tag{number % 50}.\n\n"
        (place / f"Page {number}.md").write_text(f"# Page {number}\n\n{line * 5}")
    return time.monotonic()


def _check(vault: Vault, file: Path) -> None:
    fresh = Index(vault.root, file)
    fresh.refresh()
    counts, expected = vault.index.counts(), fresh.counts()
    fresh.close()
    if counts != expected:
        raise BenchFault(f"The index has {counts}, a fresh one {expected}.")
