"""The progress bar of a download or a conversion, on standard error."""

from __future__ import annotations

import sys
from collections.abc import Callable, Coroutine
from pathlib import Path

from rich.console import Console
from rich.progress import (
    BarColumn,
    DownloadColumn,
    Progress,
    TextColumn,
    TimeRemainingColumn,
    TransferSpeedColumn,
)

from engine.models.builtin_source import FetchProgress
from tui.cli.run import print_error
from tui.text.line import to_line


async def with_bar(
    label: str, work: Callable[[Callable[[FetchProgress], None]], Coroutine[None, None, Path]]
) -> Path:
    """Show a bar on a terminal while `work` runs; say once on a pipe that it waits."""
    is_shown = sys.stderr.isatty()
    text = TextColumn("{task.description}", markup=False)
    columns = (BarColumn(), DownloadColumn(), TransferSpeedColumn(), TimeRemainingColumn())
    # Safe letters only: the label may be anybody's file name.
    shown = to_line(label, 40)
    with Progress(
        text, *columns, console=Console(stderr=True), transient=True, disable=not is_shown
    ) as bar:
        task = bar.add_task(shown, total=None)
        stages: set[str] = set()

        def report(progress: FetchProgress) -> None:
            if progress.stage == "waiting":
                bar.update(task, description=f"{shown}: another program fetches it; waiting")
                if "waiting" not in stages and not is_shown:
                    print_error("Another program downloads this model; waiting for it to end.")
            else:
                total = progress.total_bytes or None
                bar.update(task, description=shown, completed=progress.done_bytes, total=total)
            stages.add(progress.stage)

        return await work(report)
